import { Button, Loader, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Fragment, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { answered, api, type Chat, type Message } from "../shared/api.ts";
import { useClock } from "../shared/use-clock.ts";
import { showChat } from "./chat-lists.ts";
import { MessageBubble } from "./message-bubble.tsx";
import { useOutbox } from "./outbox.ts";
import { OutgoingBubble } from "./outgoing-bubble.tsx";
import styles from "./thread.module.css";
import { fetchMessages, messagesOf, threadKey } from "./threads.ts";

/** Pixels from an end of the thread that count as being there. */
const near = 120;

interface ThreadProps {
  readonly chat: Chat;
  readonly onQuote: (message: Message) => void;
}

export function Thread({ chat, onQuote }: ThreadProps) {
  const { t } = useTranslation();
  const clock = useClock();
  const thread = useInfiniteQuery({
    queryKey: threadKey(chat.chat_id),
    queryFn: ({ pageParam, signal }) => fetchMessages(chat.chat_id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const messages = useMemo(() => messagesOf(thread.data), [thread.data]);
  const byId = useMemo(() => new Map(messages.map((message) => [message.id, message])), [messages]);
  const outgoing = useOutbox().filter(({ chatId }) => chatId === chat.chat_id);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = thread;
  const older = (): void => void (hasNextPage && !isFetchingNextPage && fetchNextPage());
  const { ref, onScroll } = useScroll(messages, outgoing.length, older);
  useRead(chat, messages);

  return (
    <div
      ref={ref}
      onScroll={onScroll}
      className={styles.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll what has the focus.
      tabIndex={0}
      role="log"
      aria-label={t("thread.label")}
    >
      <div className={styles.messages}>
        {thread.isPending && (
          <Loader size="sm" className={styles.middle} aria-label={t("thread.loading")} role="status" />
        )}
        {thread.isError && !thread.data && (
          <Button variant="default" className={styles.middle} onClick={() => void thread.refetch()}>
            {t("inbox.retry")}
          </Button>
        )}
        {hasNextPage && (
          <Button variant="subtle" size="xs" className={styles.middle} loading={isFetchingNextPage} onClick={older}>
            {t("thread.older")}
          </Button>
        )}
        {thread.data && messages.length === 0 && outgoing.length === 0 && (
          <Text c="dimmed" className={styles.middle}>
            {t("thread.empty")}
          </Text>
        )}
        {messages.map((message, index) => {
          const before = messages[index - 1];
          const isNewDay = !before || clock.dayKey(before.fecha) !== clock.dayKey(message.fecha);
          const quoted = message.responde_a === null ? undefined : (byId.get(message.responde_a) ?? null);
          return (
            <Fragment key={message.id}>
              {isNewDay && <p className={styles.day}>{clock.day(message.fecha)}</p>}
              <MessageBubble message={message} quoted={quoted} onQuote={onQuote} />
            </Fragment>
          );
        })}
        {outgoing.map((one) => (
          <OutgoingBubble key={one.key} outgoing={one} />
        ))}
      </div>
    </div>
  );
}

/** Stays at the newest message while one is there, and at what one reads while older ones come in above it. */
function useScroll(messages: readonly Message[], waiting: number, older: () => void) {
  const ref = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const height = useRef(0);
  const top = useRef(0);
  const first = useRef<number | undefined>(undefined);
  const firstId = messages[0]?.id;

  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is shown.
  useLayoutEffect(() => {
    const scroller = ref.current;
    if (!scroller) return;
    if (atEnd.current) scroller.scrollTop = scroller.scrollHeight;
    else if (first.current !== undefined && first.current !== firstId)
      scroller.scrollTop += scroller.scrollHeight - height.current;
    height.current = scroller.scrollHeight;
    first.current = firstId;
  }, [messages, waiting, firstId]);

  // Pictures that load later make the thread taller; so does a smaller window.
  useEffect(() => {
    const scroller = ref.current;
    if (!scroller) return;
    const follow = new ResizeObserver(() => {
      if (atEnd.current) scroller.scrollTop = scroller.scrollHeight;
      height.current = scroller.scrollHeight;
    });
    follow.observe(scroller);
    if (scroller.firstElementChild) follow.observe(scroller.firstElementChild);
    return () => follow.disconnect();
  }, []);

  const onScroll = (): void => {
    const scroller = ref.current;
    if (!scroller) return;
    // What grows below takes the end away without a hand on the scroll bar; only scrolling up leaves it.
    if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near) atEnd.current = true;
    else if (scroller.scrollTop < top.current) atEnd.current = false;
    top.current = scroller.scrollTop;
    if (scroller.scrollTop < near) older();
  };
  return { ref, onScroll };
}

/** Marks read what the user has before their eyes. */
function useRead(chat: Chat, messages: readonly Message[]): void {
  const asked = useRef(0);
  const { chat_id: id, no_leidos: unread } = chat;
  const newest = messages.findLast(({ direccion }) => direccion === "entrante")?.id;
  useEffect(() => {
    if (newest === undefined || unread === 0) return;
    const read = (): void => {
      if (document.visibilityState !== "visible" || asked.current >= newest) return;
      asked.current = newest;
      answered(api.POST("/chats/{id}/read", { params: { path: { id } }, body: { hasta: newest } }))
        .then(showChat)
        // With the next message, or when the page is looked at again.
        .catch(() => {
          asked.current = 0;
        });
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [id, newest, unread]);
}
