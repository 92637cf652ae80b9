import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import type { Clock } from "../shared/time.ts";
import { Attachment } from "./attachment.tsx";
import { Details } from "./details.tsx";
import { isWritten, kindOf } from "./kinds.ts";
import { fieldsOf } from "./media.ts";
import { MessageText } from "./message-text.tsx";
import { MessageTools } from "./message-tools.tsx";
import { StatusMark } from "./status-mark.tsx";
import styles from "./thread.module.css";
import type { Row } from "./thread-rows.ts";

/** Actions on messages. The object must stay the same, so that bubbles are not rendered again. */
export interface MessageActions {
  /** Null if replies cannot be sent on the channel. */
  readonly onQuote: ((message: Message) => void) | null;
  /** Scrolls to the message, and loads it first if necessary. */
  readonly onJump: (id: number) => void;
  readonly onPicture: (id: number) => void;
  readonly onAgain: (message: Message) => void;
}

type BubbleProps = Pick<Extract<Row, { kind: "message" }>, "message" | "quoted" | "follows"> & {
  readonly clock: Clock;
  readonly actions: MessageActions;
};

/** The kinds that are not shown as text. */
const shown = new Set(["image", "sticker", "video", "audio", "document", "location", "contacts", "order"]);

/** An erased message still has its kind, but no content. */
const isErased = ({ tipo, texto, adjunto, detalles }: Message): boolean =>
  texto === "" && !adjunto && detalles === null && (shown.has(tipo) || isWritten(tipo));

/** Platforms add new kinds. The bubble names a kind that the console cannot show. */
const isUnshown = ({ tipo, adjunto }: Message, text: string): boolean => text === "" && !adjunto && !shown.has(tipo);

export const MessageBubble = memo(function MessageBubble(props: BubbleProps) {
  const { message, quoted, follows, clock, actions } = props;
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const isOut = message.direccion === "saliente";
  const isWithdrawn = fieldsOf(message.detalles).eliminado === true;
  const isGone = isWithdrawn || isErased(message);
  const text = message.texto;
  const by = message.nota ? t("thread.note", { name: message.autor_nombre }) : message.autor_nombre;
  const name = [by, clock.time(message.fecha)].filter(Boolean).join(", ");
  return (
    <article className={styles.message} aria-label={name} data-side={sideOf(message)} data-follows={follows}>
      <div className={styles.bubble}>
        {!follows && <Author message={message} />}
        {quoted !== undefined && <Quote quoted={quoted} id={message.responde_a} onJump={actions.onJump} />}
        {isGone ? (
          <p className={styles.withdrawn}>
            <Icon name="withdrawn" size={16} /> {isWithdrawn ? tThread("withdrawn") : t("erased.message")}
          </p>
        ) : (
          <>
            <Attachment message={message} onPicture={actions.onPicture} />
            <Details message={message} />
            {text && !repeatsName(message) && <MessageText text={text} />}
            {isUnshown(message, text) && (
              <p className={styles.withdrawn}>{tThread("unshown", { type: kindOf(message.tipo, t) })}</p>
            )}
          </>
        )}
        <p className={styles.foot}>
          {message.editado !== null && <span>{tThread("edited")}</span>}
          {message.tipo === "template" && <span>{tThread("template")}</span>}
          <time dateTime={message.fecha}>{clock.time(message.fecha)}</time>
          {isOut && !message.nota && <StatusMark state={message.estado} reason={message.error?.motivo ?? null} />}
        </p>
        {message.estado === "failed" && (
          <p className={styles.failure}>
            <span>
              {message.error?.motivo ? t("status.failedWhy", { reason: message.error.motivo }) : t("status.failed")}
            </span>
            {/* The second click of a double click would send the text twice. */}
            {message.tipo === "text" && (
              <button
                type="button"
                className={styles.again}
                onClick={({ detail }) => detail < 2 && actions.onAgain(message)}
              >
                {tThread("again")}
              </button>
            )}
          </p>
        )}
        {message.estado === "unknown" && (
          <p className={styles.uncertain}>{message.error?.motivo ?? tThread("unknown")}</p>
        )}
        {message.reacciones.length > 0 && <Reactions reactions={message.reacciones} />}
      </div>
      {!isGone && <MessageTools message={message} onQuote={actions.onQuote} />}
    </article>
  );
});

const sideOf = ({ nota, direccion }: Message): string => (nota ? "note" : direccion === "saliente" ? "out" : "in");

/** The text can be what the card shows already: the name of a file, place or contact, or a place's address. */
const repeatsName = ({ tipo, texto, adjunto, detalles }: Message): boolean => {
  if (tipo === "document") return texto === (adjunto?.nombre ?? fieldsOf(fieldsOf(detalles).archivo).nombre);
  if (tipo === "contacts") return true;
  if (tipo !== "location") return false;
  const all = fieldsOf(detalles);
  const { name, address } = "latitude" in all ? all : fieldsOf(all.location);
  return texto === name || texto === address;
};

function Author({ message: { nota, autor, autor_nombre: name } }: { readonly message: Message }) {
  const { t } = useTranslation();
  if (nota)
    return (
      <p className={styles.author}>
        <Icon name="note" size={14} /> {t("thread.note", { name })}
      </p>
    );
  if (autor === "contacto" || !name) return null;
  return <p className={styles.author}>{name}</p>;
}

/** Shows each emoji once, with its authors. */
function Reactions({ reactions }: { readonly reactions: Message["reacciones"] }) {
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const authors = new Map<string, string[]>();
  for (const { autor, emoji } of reactions) authors.set(emoji, [...(authors.get(emoji) ?? []), autor]);
  return (
    <ul className={styles.reactions} aria-label={tThread("reactions")}>
      {[...authors].map(([emoji, by]) => {
        const said = by.map((author) => t("thread.reaction", { author, emoji })).join(", ");
        return (
          <li key={emoji} title={said}>
            <span role="img" aria-label={said}>
              {emoji}
            </span>
            {by.length > 1 && <span className={styles.reactionCount}>{by.length}</span>}
          </li>
        );
      })}
    </ul>
  );
}

interface QuoteProps {
  readonly quoted: Message | null;
  readonly id: number | null;
  readonly onJump: (id: number) => void;
}

function Quote({ quoted, id, onJump }: QuoteProps) {
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const name = quoted?.autor_nombre ?? "";
  const said = quoted ? quoted.texto || kindOf(quoted.tipo, t) : t("thread.original");
  return (
    <button type="button" className={styles.quote} title={tThread("jump")} onClick={() => id !== null && onJump(id)}>
      {name && <span className={styles.quoteAuthor}>{name}</span>}
      <span className={styles.quoteText}>{said}</span>
    </button>
  );
}
