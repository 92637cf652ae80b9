import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import type { Clock } from "../shared/time.ts";
import media from "./media.module.css";
import { ownAddress, sizeOf } from "./media.ts";
import { MessageText } from "./message-text.tsx";
import { discard, isKeyOver, type Outgoing, retry, type StoredFile } from "./outbox.ts";
import { isOpenReason } from "./outgoing.ts";
import { StatusMark } from "./status-mark.tsx";
import styles from "./thread.module.css";

interface OutgoingProps {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
}

export function OutgoingBubble({ outgoing, clock }: OutgoingProps) {
  const { t } = useTranslation();
  const { key, content, at, refusal } = outgoing;
  const reason = useReason(outgoing);
  const isNote = content.kind === "note";
  return (
    <article
      className={styles.message}
      aria-label={`${t(isNote ? "composer.note" : "inbox.you")}, ${clock.time(at)}`}
      data-side={isNote ? "note" : "out"}
    >
      <div className={styles.bubble} data-waiting={refusal === null}>
        {"file" in content && content.file && <SentFile file={content.file} />}
        {content.text && <MessageText text={content.text} />}
        <p className={styles.foot}>
          <time dateTime={at}>{clock.time(at)}</time>
          <StatusMark state={refusal === null ? "sending" : "failed"} reason={reason} />
        </p>
        {reason !== null && (
          <div className={styles.refused} role="alert">
            <p className={styles.failure}>{t("status.failedWhy", { reason })}</p>
            <button type="button" className={styles.again} onClick={() => retry(key)}>
              {t("composer.again")}
            </button>
            <button type="button" className={styles.again} onClick={() => discard(key)}>
              {t("composer.discard")}
            </button>
          </div>
        )}
      </div>
    </article>
  );
}

function useReason(outgoing: Outgoing): string | null {
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const { refusal } = outgoing;
  if (!isOpenReason(refusal)) return refusal;
  const reason = refusal === "stale" ? t("composer.stale") : tThread("trouble");
  return refusal === "doubt" || isKeyOver(outgoing) ? `${reason} ${t("once.inDoubt")}` : reason;
}

function SentFile({ file }: { readonly file: StoredFile }) {
  const { i18n } = useTranslation();
  const address = ownAddress(file.url);
  if (address && file.type.startsWith("image/"))
    return (
      <span className={media.picture}>
        <img src={address} alt={file.name} decoding="async" />
      </span>
    );
  return (
    <span className={media.file}>
      <span className={media.fileIcon}>
        <Icon name="file" />
      </span>
      <span className={media.fileText}>
        <span className={media.fileName}>{file.name}</span>
        {file.bytes > 0 && <span className={media.fileDetail}>{sizeOf(file.bytes, i18n.language)}</span>}
      </span>
    </span>
  );
}
