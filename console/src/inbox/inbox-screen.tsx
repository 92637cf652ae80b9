import { VisuallyHidden } from "@mantine/core";
import { Outlet, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ChatList } from "./chat-list.tsx";
import { useEarlyParts } from "./early-parts.ts";
import styles from "./inbox.module.css";

export function InboxScreen() {
  const { t } = useTranslation();
  const { chat } = useParams({ strict: false });
  useEarlyParts();
  return (
    <>
      {/* The visible title is in the list, which a phone hides while a thread is open. */}
      <VisuallyHidden component="h1">{t("nav.inbox")}</VisuallyHidden>
      <div className={styles.inbox} data-open={chat !== undefined}>
        <ChatList openId={Number(chat)} />
        <section className={styles.thread}>
          <Outlet />
        </section>
      </div>
    </>
  );
}
