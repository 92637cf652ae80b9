import type { InfiniteData } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Message } from "../shared/api.ts";
import type { MessagePage } from "./threads.ts";

const litMs = 2_000;

/** Scrolls to a quoted message and highlights it for a moment. `go` returns whether it found the message. */
export function useJump(go: (id: number) => Promise<boolean>) {
  const [lit, setLit] = useState<number | null>(null);
  const [isSeeking, setSeeking] = useState(false);
  useEffect(() => {
    if (lit === null) return;
    const timer = setTimeout(() => setLit(null), litMs);
    return () => clearTimeout(timer);
  }, [lit]);
  const jump = async (id: number): Promise<void> => {
    setSeeking(true);
    try {
      if (await go(id)) setLit(id);
    } finally {
      setSeeking(false);
    }
  };
  return { lit, jump, isSeeking };
}

type NextPage = () => Promise<{
  readonly data: InfiniteData<MessagePage> | undefined;
  readonly hasNextPage: boolean;
  readonly isError: boolean;
}>;

/** Loads older messages until the one with this id is loaded. Returns false if it does not exist or loading fails. */
export async function isLoaded(id: number, nextPage: NextPage, messages: readonly Message[]): Promise<boolean> {
  if (messages.some((message) => message.id === id)) return true;
  for (;;) {
    const { data, hasNextPage, isError } = await nextPage();
    if (data?.pages.some((page) => page.data.some((message) => message.id === id))) return true;
    if (isError || !hasNextPage || (data?.pages.at(-1)?.data.at(-1)?.id ?? 0) < id) return false;
  }
}
