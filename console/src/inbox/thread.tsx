import { Button, Text, VisuallyHidden } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import "./thread-texts.ts";
import type { Chat, Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { loadPart } from "../shared/load-part.ts";
import { useClock } from "../shared/use-clock.ts";
import { pictureOf } from "./attachment.tsx";
import { useChannelLimits } from "./channel-limits.ts";
import { kindOf } from "./kinds.ts";
import type { MessageActions } from "./message-bubble.tsx";
import { type Outgoing, send, useOutbox } from "./outbox.ts";
import styles from "./thread.module.css";
import { ThreadRow } from "./thread-row.tsx";
import { type Row, rowsOf } from "./thread-rows.ts";
import { fetchMessages, type MessagePage, messagesOf, named, refreshThread, threadKey } from "./threads.ts";
import { isLoaded, useJump } from "./use-jump.ts";
import { useReadMark } from "./use-read-mark.ts";
import { useThreadScroll } from "./use-thread-scroll.ts";

const Lightbox = lazy(async () => ({ default: (await loadPart(() => import("./lightbox.tsx"))).Lightbox }));

/**
 * A thread with more loaded messages than this keeps only its newest page once the user is at the end. Scrolling up
 * loads the older messages again.
 */
const mostHeld = 1_000;

interface ThreadProps {
  readonly chat: Chat;
  /** Whether the user may no longer see the chat. The thread then loads nothing more and marks nothing as read. */
  readonly isLost: boolean;
  readonly onQuote: (message: Message) => void;
}

export function Thread({ chat, isLost, onQuote }: ThreadProps) {
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const clock = useClock();
  const chatId = chat.chat_id;
  const { responde_a: mayReply } = useChannelLimits(chat);
  const thread = useInfiniteQuery({
    queryKey: threadKey(chatId),
    queryFn: ({ pageParam, signal }) => fetchMessages(chatId, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: MessagePage) => next,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = thread;
  const mayLoad = hasNextPage && !isLost;
  const { nombre: customer, platform_id: platformId } = chat.contacto;
  const messages = useMemo(
    () => named(messagesOf(thread.data), customer, platformId),
    [thread.data, customer, platformId],
  );
  const all = useOutbox();
  const outgoing = useMemo(() => all.filter((one) => one.chatId === chatId), [all, chatId]);
  const unreadFrom = useUnreadMark(chat, messages, outgoing);
  const rows = useMemo(
    () => rowsOf({ messages, outgoing, unreadFrom }, clock),
    [messages, outgoing, unreadFrom, clock],
  );
  const { scroller, virtualizer, isAtEnd, seen, toEnd, toRow, onScroll } = useThreadScroll(rows, {
    older: () => mayLoad && !isFetchingNextPage && !thread.isFetchNextPageError && void fetchNextPage(),
    written: outgoing.at(-1)?.key,
    start: firstUnreadIn(rows, hasNextPage && unreadFrom?.isOlder === true),
  });
  useReadMark(chat, messages, isLost ? 0 : seen);
  useEffect(() => {
    if (isAtEnd && messages.length > mostHeld && !isFetchingNextPage && !isLost) void refreshThread(chatId);
  }, [isAtEnd, messages.length, isFetchingNextPage, chatId, isLost]);

  const [openPicture, setOpenPicture] = useState<number | null>(null);
  const { lit, jump, isSeeking } = useJump(async (id) => {
    if (messages.some((message) => message.id === id) || (!isLost && (await isLoaded(id, fetchNextPage, messages))))
      return toRow(`m${id}`);
    return false;
  });
  const actions = useStable<MessageActions>({
    onQuote: mayReply ? onQuote : null,
    onJump: (id) => void jump(id),
    onPicture: setOpenPicture,
    onAgain: ({ texto, responde_a }) => send({ chatId, content: { kind: "text", text: texto }, replyTo: responde_a }),
  });
  const arrived = useArrived(messages);

  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        onScroll={onScroll}
        className={styles.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll the focused element.
        tabIndex={0}
        role="log"
        // The `VisuallyHidden` below announces new messages. This element would also announce old ones on scrolling.
        aria-live="off"
        aria-label={t("thread.label")}
        aria-busy={thread.isPending}
      >
        {thread.isPending && <Waiting />}
        {thread.isError && !thread.data && (
          <Button variant="default" className={styles.middle} onClick={() => void thread.refetch()}>
            {t("inbox.retry")}
          </Button>
        )}
        {thread.data && rows.length === 0 && (
          <Text c="dimmed" className={styles.middle}>
            {t("thread.empty")}
          </Text>
        )}
        <div className={styles.messages} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            return (
              row && (
                <ThreadRow
                  key={key}
                  ref={virtualizer.measureElement}
                  row={row}
                  index={index}
                  start={start}
                  clock={clock}
                  actions={actions}
                  isLit={row.kind === "message" && row.message.id === lit}
                />
              )
            );
          })}
        </div>
      </div>
      {(isFetchingNextPage || isSeeking) && (
        <p className={styles.olderState} role="status">
          {tThread("loadingOlder")}
        </p>
      )}
      {thread.isFetchNextPageError && (
        <Button size="xs" variant="default" className={styles.olderState} onClick={() => void fetchNextPage()}>
          {tThread("olderFailed")}
        </Button>
      )}
      {!isAtEnd && rows.length > 0 && <ToNewest messages={messages} onClick={() => toEnd()} />}
      <VisuallyHidden aria-live="polite">
        {arrived && `${arrived.autor_nombre}: ${arrived.texto || kindOf(arrived.tipo, t)}`}
      </VisuallyHidden>
      {openPicture !== null && (
        <Suspense>
          <Lightbox
            pictures={messages.filter((message) => pictureOf(message) !== null)}
            openId={openPicture}
            clock={clock}
            onOpen={setOpenPicture}
            onClose={() => setOpenPicture(null)}
          />
        </Suspense>
      )}
    </div>
  );
}

/**
 * The index of the row with the unread mark, or -1. With `isOlder`, the first unread message is not loaded yet, so the
 * result is -1.
 */
const firstUnreadIn = (rows: readonly Row[], isOlder: boolean): number =>
  isOlder ? -1 : rows.findIndex((row) => row.kind === "message" && row.unread > 0);

function Waiting() {
  const { t } = useTranslation();
  return (
    <div className={styles.waiting} role="status" aria-label={t("thread.loading")}>
      {["in", "in", "out", "in", "out", "out"].map((side, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <span key={index} className={styles.ghost} data-side={side} />
      ))}
    </div>
  );
}

/** A button to the newest message. It counts the customer's messages since the user left the end. */
function ToNewest({ messages, onClick }: { readonly messages: readonly Message[]; readonly onClick: () => void }) {
  const { t } = useTranslation("thread");
  const [left] = useState(messages.at(-1)?.id ?? 0);
  const count = messages.filter(({ id, direccion }) => id > left && direccion === "entrante").length;
  return (
    <button type="button" className={styles.newest} onClick={onClick} aria-label={t("newest", { count })}>
      {count > 0 && <span className={styles.newestCount}>{count}</span>}
      <Icon name="down" size={20} />
    </button>
  );
}

/** The first message that was unread when the thread opened. The mark disappears when the user answers. */
function useUnreadMark({ no_leidos }: Chat, messages: readonly Message[], outgoing: readonly Outgoing[]) {
  const [count] = useState(no_leidos);
  const [newest, setNewest] = useState<number | null>(null);
  const last = messages.at(-1)?.id;
  if (newest === null && last !== undefined) setNewest(last);
  // A colleague's answer does not remove the mark, since the messages would move while the user reads them.
  const [isAnswered, setAnswered] = useState(false);
  if (!isAnswered && outgoing.some(({ content }) => content.kind !== "note")) setAnswered(true);
  return useMemo(() => {
    if (count === 0 || newest === null || isAnswered) return null;
    const incoming = messages.filter(({ id, direccion }) => direccion === "entrante" && id <= newest);
    // Until all unread messages are loaded, the mark is at the customer's oldest loaded message.
    const first = incoming.at(-count) ?? incoming[0];
    return first ? { id: first.id, count, isOlder: count > incoming.length } : null;
  }, [count, newest, messages, isAnswered]);
}

/** The customer's last message since the thread was opened. */
function useArrived(messages: readonly Message[]): Message | undefined {
  const [opened, setOpened] = useState<number | null>(null);
  const last = messages.at(-1);
  if (opened === null && last) setOpened(last.id);
  const incoming = messages.findLast(({ direccion }) => direccion === "entrante");
  return incoming && opened !== null && incoming.id > opened ? incoming : undefined;
}

/** Returns the same object in every render. Its functions are those of the last render. */
function useStable<Functions extends object>(functions: Functions): Functions {
  const [stable] = useState(() => ({ ...functions }));
  useEffect(() => void Object.assign(stable, functions));
  return stable;
}
