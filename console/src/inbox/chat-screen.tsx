import "./inbox-texts.ts";
import { Loader, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { tellViewing } from "../live/socket.ts";
import { answered, api, type Chat, type Message, Refused } from "../shared/api.ts";
import { storage } from "../shared/storage.ts";
import { ChatHeader } from "./chat-header.tsx";
import { chatKey } from "./chat-lists.ts";
import { Composer } from "./composer.tsx";
import styles from "./inbox.module.css";
import { Thread } from "./thread.tsx";
import { pressAction, useShortcuts } from "./use-shortcuts.ts";

const ChatSide = lazy(() => import("./chat-side.tsx"));
const Panel = lazy(async () => ({ default: (await import("../shared/panel.tsx")).Panel }));

async function fetchChat(id: number): Promise<Chat | null> {
  try {
    return await answered(api.GET("/chats/{id}", { params: { path: { id } } }));
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.status === 400)) return null;
    throw error;
  }
}

export function ChatScreen() {
  const { chat } = useParams({ from: "/inbox/$chat" });
  return <OpenChat key={chat} id={Number(chat)} />;
}

function OpenChat({ id }: { readonly id: number }) {
  const { t } = useTranslation();
  const { data: chat, isError } = useQuery({ queryKey: chatKey(id), queryFn: () => fetchChat(id) });
  const [quoted, setQuoted] = useState<Message | null>(null);
  const { t: words } = useTranslation("inbox");
  const side = useSide();
  useChatKeys(t, side.toggle);
  const isThere = Boolean(chat);
  useEffect(() => {
    if (!isThere) return;
    tellViewing(id);
    return () => tellViewing(null);
  }, [id, isThere]);

  if (chat === undefined && !isError)
    return (
      <div className={styles.nothing}>
        <Loader aria-label={t("thread.loading")} role="status" />
      </div>
    );
  if (!chat)
    return (
      <div className={styles.nothing} role="alert">
        <Text>{t(isError ? "inbox.failed" : "chat.notFound")}</Text>
      </div>
    );
  return (
    <div className={styles.open}>
      <div className={styles.column}>
        <ChatHeader chat={chat} isPanelOpen={side.isOpen} onPanel={side.toggle} />
        <Thread chat={chat} onQuote={setQuoted} />
        <Composer chat={chat} quoted={quoted} onQuoted={() => setQuoted(null)} />
      </div>
      {side.isOpen && (
        <Suspense fallback={side.isBeside && <aside className={styles.beside} />}>
          {side.isBeside ? (
            <aside className={styles.beside} aria-label={words("panelTitle")}>
              <ChatSide chat={chat} />
            </aside>
          ) : (
            <Panel title={words("panelTitle")} onClose={side.toggle} size={400}>
              <ChatSide chat={chat} />
            </Panel>
          )}
        </Suspense>
      )}
    </div>
  );
}

const besideFrom = "(min-width: 1200px)";
const storedAs = "recado.side";

/** Beside the thread where there is room, remembered; over it elsewhere, and closed at first. */
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

/** What keys do with the open chat. */
function useChatKeys(t: TFunction, toggleSide: () => void): void {
  const named = (selector: string, name: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].find(
      (each) => each.getAttribute("aria-label") === name || each.textContent === name,
    );
  const reply = (): void => named("textarea", t("composer.label"))?.focus();
  useShortcuts({
    r: reply,
    n: () => {
      const note = named("button", t("composer.note"));
      if (note?.getAttribute("aria-pressed") !== "true") note?.click();
      reply();
    },
    t: () => pressAction("take"),
    a: () => pressAction("assign"),
    c: () => pressAction("close"),
    i: toggleSide,
  });
}
