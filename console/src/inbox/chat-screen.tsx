import "./inbox-texts.ts";
import { Button, Loader, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { sendViewing } from "../live/socket.ts";
import type { Chat, Message } from "../shared/api.ts";
import { isErased } from "../shared/customer.ts";
import { Icon } from "../shared/icons.tsx";
import { loadPart } from "../shared/load-part.ts";
import { storage } from "../shared/storage.ts";
import { ChatHeader } from "./chat-header.tsx";
import { chatKey, fetchChat } from "./chat-lists.ts";
import { Composer } from "./composer.tsx";
import styles from "./inbox.module.css";
import { LostChat } from "./lost-chat.tsx";
import { Thread } from "./thread.tsx";
import { focusComposer, pressAction, useShortcuts } from "./use-shortcuts.ts";

const ChatSide = lazy(() => loadPart(() => import("./chat-side.tsx")));
const Panel = lazy(async () => ({ default: (await loadPart(() => import("../shared/panel.tsx"))).Panel }));

export function ChatScreen() {
  const { chat } = useParams({ from: "/inbox/$chat" });
  return <OpenChat key={chat} id={Number(chat)} />;
}

function OpenChat({ id }: { readonly id: number }) {
  const { t } = useTranslation();
  const { data, isError, refetch } = useQuery({ queryKey: chatKey(id), queryFn: () => fetchChat(id) });
  const { chat, isLost } = useLastSeen(data);
  const [holder, setHolder] = useState<string | null>(null);
  const [quoted, setQuoted] = useState<Message | null>(null);
  const { t: tInbox } = useTranslation("inbox");
  const side = useSide();
  useChatKeys(side.toggle);
  const isThere = Boolean(data);
  useEffect(() => {
    if (!isThere) return;
    sendViewing(id);
    return () => sendViewing(null);
  }, [id, isThere]);

  if (chat === undefined && !isError)
    return (
      <div className={styles.nothing}>
        <Loader aria-label={t("thread.loading")} role="status" />
      </div>
    );
  if (!chat)
    return (
      <div className={styles.nothing}>
        {isError ? (
          <Stack role="alert" align="center" gap="sm">
            <Text>{t("chat.notLoaded")}</Text>
            <Button variant="default" onClick={() => void refetch()}>
              {t("inbox.retry")}
            </Button>
          </Stack>
        ) : (
          <LostChat chatId={id} said={t("chat.notFound")} />
        )}
      </div>
    );
  const lost = holder === null ? t("chat.left") : t("chat.taken", { name: holder });
  return (
    <div className={styles.open}>
      <div className={styles.column}>
        <ChatHeader chat={chat} isLost={isLost} isPanelOpen={side.isOpen} onPanel={side.toggle} onTaken={setHolder} />
        <Thread chat={chat} isLost={isLost} onQuote={setQuoted} />
        {isLost ? (
          <LostChat chatId={id} said={lost} />
        ) : isErased(chat.contacto) ? (
          <p className={styles.erased}>
            <Icon name="withdrawn" size={18} /> {t("erased.chat")}
          </p>
        ) : (
          <Composer chat={chat} quoted={quoted} onQuoted={() => setQuoted(null)} />
        )}
      </div>
      {side.isOpen && !isLost && (
        <Suspense fallback={side.isBeside && <aside className={styles.beside} />}>
          {side.isBeside ? (
            <aside className={styles.beside} aria-label={tInbox("panelTitle")}>
              <ChatSide chat={chat} />
            </aside>
          ) : (
            <Panel title={tInbox("panelTitle")} onClose={side.toggle} size={400}>
              <ChatSide chat={chat} />
            </Panel>
          )}
        </Suspense>
      )}
    </div>
  );
}

/** Keeps the last known chat, so that an open thread stays readable after the user has lost access to the chat. */
function useLastSeen(data: Chat | null | undefined) {
  const [last, setLast] = useState(data ?? null);
  if (data && data !== last) setLast(data);
  return { chat: data ?? last ?? data, isLost: data === null && last !== null };
}

const besideFrom = "(min-width: 1200px)";
const storedAs = "recado.side";

/**
 * On a wide page the panel is beside the thread, and the browser remembers whether it is open. On a narrow page the
 * panel opens over the thread.
 */
function useSide() {
  const isBeside = useMediaQuery(besideFrom, window.matchMedia(besideFrom).matches);
  const [isKept, setKept] = useState(() => storage.get(storedAs) !== "closed");
  const [isOver, setOver] = useState(false);
  const toggle = (): void => {
    if (isBeside) {
      storage.set(storedAs, isKept ? "closed" : null);
      setKept(!isKept);
    } else setOver(!isOver);
  };
  return { isBeside, isOpen: isBeside ? isKept : isOver, toggle };
}

function useChatKeys(toggleSide: () => void): void {
  useShortcuts({
    r: focusComposer,
    n: () => {
      document.querySelector<HTMLElement>('[data-action="note"][aria-pressed="false"]')?.click();
      focusComposer();
    },
    t: () => pressAction("take"),
    a: () => pressAction("assign"),
    c: () => pressAction("close"),
    i: toggleSide,
  });
}
