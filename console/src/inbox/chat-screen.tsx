import { Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { tellViewing } from "../live/socket.ts";
import { answered, api, type Chat, type Message, Refused } from "../shared/api.ts";
import { ChatHeader } from "./chat-header.tsx";
import { chatKey } from "./chat-lists.ts";
import { Composer } from "./composer.tsx";
import styles from "./inbox.module.css";
import { Thread } from "./thread.tsx";

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
    <>
      <ChatHeader chat={chat} />
      <Thread chat={chat} onQuote={setQuoted} />
      <Composer chat={chat} quoted={quoted} onQuoted={() => setQuoted(null)} />
    </>
  );
}
