import { queryClient } from "../shared/query.ts";

const sidesKey = ["side"] as const;
export const sideKey = (chatId: number) => [...sidesKey, chatId] as const;

const pauseMs = 500;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reloads the details of the open chat, once for several events. */
export function reloadSide(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void queryClient.invalidateQueries({ queryKey: sidesKey });
  }, pauseMs);
}
