import { queryClient } from "../shared/query.ts";

const sidesKey = ["side"] as const;
export const sideKey = (chatId: number) => [...sidesKey, chatId] as const;

const pauseMs = 500;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What is shown around the open chat is read again, once for many events. */
export function reloadSide(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void queryClient.invalidateQueries({ queryKey: sidesKey });
  }, pauseMs);
}
