import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { kindOf } from "./kinds.ts";
import styles from "./media.module.css";
import { fieldsOf, ownAddress, sizeOf, textOf } from "./media.ts";
import { Voice } from "./voice.tsx";

interface AttachmentProps {
  readonly message: Message;
  readonly onPicture: (id: number) => void;
}

/** The URL of a picture that the lightbox can show, or null. */
export function pictureOf({ adjunto, tipo }: Message): string | null {
  if (!adjunto || tipo === "sticker" || !isPicture(adjunto.tipo)) return null;
  return ownAddress(adjunto.url);
}

/** The type may be a media type, or only its first part. */
const isPicture = (type: string): boolean => type.split("/")[0] === "image";

export function Attachment({ message, onPicture }: AttachmentProps) {
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const { adjunto, tipo } = message;
  if (!adjunto) return <MissingFile message={message} />;
  const address = ownAddress(adjunto.url);
  const name = adjunto.nombre ?? kindOf(tipo, t);
  // Loading a file from another host would tell that host who reads the chat.
  if (address === null) return <FileLink href={adjunto.url} name={name} isElsewhere />;
  const kind = adjunto.tipo.split("/")[0];
  if (tipo === "sticker" || kind === "sticker")
    return <img src={address} alt={t("thread.sticker")} className={styles.sticker} decoding="async" />;
  if (kind === "image")
    return (
      <button
        type="button"
        className={styles.picture}
        aria-label={tThread("picture.open", { name: message.texto || name })}
        onClick={() => onPicture(message.id)}
      >
        <img src={address} alt="" decoding="async" draggable={false} />
      </button>
    );
  if (kind === "audio") return <Voice address={address} name={name} />;
  if (kind === "video")
    // biome-ignore lint/a11y/useMediaCaption: customers' recordings have no captions.
    return <video controls preload="metadata" src={address} aria-label={name} className={styles.video} />;
  return <FileLink href={address} name={name} bytes={adjunto.bytes} />;
}

interface FileLinkProps {
  readonly href: string;
  readonly name: string;
  readonly bytes?: number | null;
  readonly isElsewhere?: boolean;
}

function FileLink({ href, name, bytes, isElsewhere = false }: FileLinkProps) {
  const { t, i18n } = useTranslation("thread");
  if (!/^(https?:\/\/|\/media\/)/.test(href)) return null;
  const extension = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toUpperCase();
  const details = [extension, bytes ? sizeOf(bytes, i18n.language) : null, isElsewhere ? t("file.elsewhere") : null];
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={styles.file}
      {...(isElsewhere ? {} : { download: name })}
    >
      <span className={styles.fileIcon}>
        <Icon name="file" />
      </span>
      <span className={styles.fileText}>
        <span className={styles.fileName}>{name}</span>
        <span className={styles.fileDetail}>{details.filter(Boolean).join(" · ")}</span>
      </span>
      <Icon name={isElsewhere ? "outside" : "download"} size={18} />
    </a>
  );
}

function MissingFile({ message }: { readonly message: Message }) {
  const { t } = useTranslation();
  const { estado, motivo, nombre } = fieldsOf(message.detalles?.archivo);
  if (estado !== "pendiente" && estado !== "no_disponible") return null;
  const reason = textOf(motivo);
  const isComing = estado === "pendiente";
  return (
    <div className={styles.missing} data-coming={isComing}>
      <Icon name={isComing ? "clock" : "alert"} size={18} />
      <span>
        {textOf(nombre) && <strong className={styles.fileName}>{textOf(nombre)}</strong>}
        {isComing && t("thread.fetching")}
        {!isComing && (reason ? t("thread.unavailableWhy", { reason }) : t("thread.unavailable"))}
      </span>
    </div>
  );
}
