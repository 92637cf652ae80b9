import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { kindOf } from "./kinds.ts";
import styles from "./thread.module.css";

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Stored files are loaded from this service, even where their address names another host. */
function ownAddress(url: string): string | null {
  const path = /\/media\/(m_[\w.-]+)$/.exec(url.split(/[?#]/)[0] ?? "");
  return path ? `/media/${path[1]}` : null;
}

export function Attachment({ message }: { readonly message: Message }) {
  const { t } = useTranslation();
  const { adjunto, tipo } = message;
  if (!adjunto) return <MissingFile message={message} />;
  const address = ownAddress(adjunto.url);
  const name = adjunto.nombre ?? kindOf(tipo, t);
  // Pictures of other hosts are not loaded: that would tell them who reads here.
  if (address === null) return <FileLink href={adjunto.url} name={name} isElsewhere />;
  const kind = adjunto.tipo.split("/")[0];
  if (kind === "image")
    return (
      <a href={address} target="_blank" rel="noreferrer" className={styles.picture}>
        <img src={address} alt={message.texto || name} loading="lazy" data-sticker={tipo === "sticker"} />
      </a>
    );
  if (kind === "audio")
    // biome-ignore lint/a11y/useMediaCaption: what customers record has no captions.
    return <audio controls preload="metadata" src={address} aria-label={name} className={styles.audio} />;
  if (kind === "video")
    // biome-ignore lint/a11y/useMediaCaption: what customers record has no captions.
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
  const { i18n } = useTranslation();
  if (!/^(https?:\/\/|\/media\/)/.test(href)) return null;
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={styles.file}
      {...(isElsewhere ? {} : { download: name })}
    >
      <Icon name="file" />
      <span className={styles.fileName}>{name}</span>
      {bytes ? <span className={styles.size}>{sizeOf(bytes, i18n.language)}</span> : null}
    </a>
  );
}

function sizeOf(bytes: number, language: string): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}

function MissingFile({ message }: { readonly message: Message }) {
  const { t } = useTranslation();
  const { estado, motivo } = fieldsOf(message.detalles?.archivo);
  if (estado === "pendiente") return <p className={styles.missing}>{t("thread.fetching")}</p>;
  if (estado !== "no_disponible") return null;
  const reason = textOf(motivo);
  return <p className={styles.missing}>{reason ? t("thread.unavailableWhy", { reason }) : t("thread.unavailable")}</p>;
}

/** What some kinds of messages have besides text and file. */
export function Details({ message }: { readonly message: Message }) {
  const { t } = useTranslation();
  const { tipo, detalles } = message;
  const fields = fieldsOf(detalles);
  if (tipo === "location") return <Location fields={"latitude" in fields ? fields : fieldsOf(fields.location)} />;
  if (tipo === "contacts" || tipo === "order")
    return (
      <p className={styles.kind}>
        <Icon name={tipo === "order" ? "orders" : "contacts"} size={18} />{" "}
        {[t(`thread.${tipo}`), namesIn(fields)].filter(Boolean).join(": ")}
      </p>
    );
  return null;
}

function namesIn({ contacts }: Fields): string {
  if (!Array.isArray(contacts)) return "";
  return contacts
    .map((contact) => textOf(fieldsOf(fieldsOf(contact).name).formatted_name))
    .filter(Boolean)
    .join(", ");
}

/** As text: no map is asked where the customer is. */
function Location({ fields }: { readonly fields: Fields }) {
  const { t } = useTranslation();
  const { latitude, longitude } = fields;
  const place = [textOf(fields.name), textOf(fields.address)].filter(Boolean).join(", ");
  const at = typeof latitude === "number" && typeof longitude === "number" ? `${latitude}, ${longitude}` : "";
  return (
    <p className={styles.kind}>
      <Icon name="place" size={18} />
      <span>
        {place || t("thread.location")}
        {at && <span className={styles.coordinates}>{at}</span>}
      </span>
    </p>
  );
}
