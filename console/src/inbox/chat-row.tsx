import { Badge } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import type { Chat } from "../shared/api.ts";
import { isErased, nameOf } from "../shared/customer.ts";
import { Initials } from "../shared/initials.tsx";
import { useClock } from "../shared/use-clock.ts";
import { useAgentName } from "./agents.ts";
import { channelNames } from "./channels.ts";
import styles from "./chat-row.module.css";
import { readDraft } from "./drafts.ts";
import { kindOf } from "./kinds.ts";

type LastMessage = NonNullable<Chat["mensaje"]>;

interface ChatRowProps {
  readonly chat: Chat;
  readonly isOpen: boolean;
  readonly place: { readonly top: number; readonly height: number; readonly index: number; readonly count: number };
}

const maxShown = 99;

export const ChatRow = memo(function ChatRow({ chat, isOpen, place }: ChatRowProps) {
  const { t } = useTranslation();
  const clock = useClock();
  const agent = useAgentName(chat.soporte_id);
  // Only changes that arrive while the row is shown are highlighted.
  const [firstVersion] = useState(chat.version);
  const name = nameOf(chat.contacto, t);
  const { no_leidos: unread, estado } = chat;

  return (
    // biome-ignore lint/a11y/useSemanticElements: the list renders only visible rows.
    <div
      role="listitem"
      aria-setsize={place.count}
      aria-posinset={place.index}
      className={styles.item}
      style={{ height: place.height, transform: `translateY(${place.top}px)` }}
    >
      <Link
        to="/inbox/$chat"
        params={{ chat: String(chat.chat_id) }}
        search={(before) => before}
        className={styles.row}
        data-open={isOpen}
        data-unread={unread > 0}
      >
        {chat.version !== firstVersion && <span key={chat.version} className={styles.changed} aria-hidden="true" />}
        <Initials name={name} size={42} />
        <span className={styles.text}>
          <span className={styles.line}>
            <span className={styles.name} dir="auto">
              {name}
            </span>
            {chat.ultimo_mensaje && <span className={styles.time}>{clock.brief(chat.ultimo_mensaje)}</span>}
          </span>
          <span className={styles.line}>
            <Preview chat={chat} />
            {unread > 0 && (
              <Badge size="sm" circle={unread < 10} className={styles.unread}>
                <span aria-hidden="true">{unread > maxShown ? `${maxShown}+` : unread}</span>
                <span className={styles.spoken}>{t("inbox.unread", { count: unread })}</span>
              </Badge>
            )}
          </span>
          <span className={styles.meta}>
            <span className={styles.state} data-state={estado}>
              {t(`state.${estado}`)}
            </span>
            {" · "}
            {channelNames[chat.provider]}
            {agent && ` · ${agent}`}
          </span>
        </span>
      </Link>
    </div>
  );
});

function Preview({ chat: { chat_id, contacto, mensaje } }: { readonly chat: Chat }) {
  const { t } = useTranslation();
  const { id, nombre } = useMe();
  if (isErased(contacto)) return <span className={styles.preview}>{t("erased.message")}</span>;
  const { text: draft } = readDraft(id, chat_id);
  if (draft)
    return (
      <span className={styles.preview}>
        <em className={styles.draft}>{t("inbox.draft")}</em> {draft}
      </span>
    );
  if (!mensaje) return <span className={styles.preview}>{t("inbox.noMessage")}</span>;
  const by = sayerOf(mensaje, nombre, t);
  const said = mensaje.texto || kindOf(mensaje.tipo, t);
  return (
    <span className={styles.preview} dir="auto">
      {by === "" ? said : `${by}: ${said}`}
    </span>
  );
}

/** The text in front of the last message, such as a colleague's first name. It is empty for the customer. */
function sayerOf({ nota, direccion, autor, autor_nombre: name }: LastMessage, own: string, t: TFunction): string {
  if (nota) return t("inbox.noteBefore");
  if (direccion === "entrante") return "";
  if (autor === "bot") return t("state.bot");
  if (autor !== "usuario") return name;
  return name === own ? t("inbox.you") : (name.trim().split(/\s+/)[0] ?? name);
}
