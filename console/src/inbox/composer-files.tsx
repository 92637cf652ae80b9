import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { type Attached, type FileTray, mostFiles, type Refusal, useTray } from "./attached.ts";
import styles from "./composer-files.module.css";
import { sizeOf } from "./media.ts";

/** The attached files, and the reasons why other files were refused. */
export function ComposerFiles({ tray, channel }: { readonly tray: FileTray; readonly channel: string }) {
  const { t } = useTranslation("thread");
  const { files, refusals } = useTray(tray);
  return (
    <>
      {refusals.length > 0 && (
        <div className={styles.refusals} role="alert">
          <ul>
            {refusals.map((refusal) => (
              <li key={refusal.name}>
                <Why refusal={refusal} channel={channel} />
              </li>
            ))}
          </ul>
          <button type="button" className={styles.plain} onClick={() => tray.dismiss()}>
            {t("files.dismiss")}
          </button>
        </div>
      )}
      {files.length > 0 && (
        <ul className={styles.files} aria-label={t("files.list")}>
          {files.map((file) => (
            <AttachedFile key={file.id} file={file} tray={tray} />
          ))}
        </ul>
      )}
    </>
  );
}

function Why({ refusal, channel }: { readonly refusal: Refusal; readonly channel: string }) {
  const { t, i18n } = useTranslation("thread");
  const { name } = refusal;
  if (refusal.kind === "tooMany") return t("files.tooMany", { count: mostFiles });
  if (refusal.kind === "tooLarge")
    return t("files.tooLarge", { name, size: sizeOf(refusal.bytes, i18n.language), limit: refusal.limit });
  if (refusal.kind === "wrongForChannel")
    return t("files.wrongForChannel", { name, channel, types: refusal.extensions.join(", ").toUpperCase() });
  return t(`files.${refusal.kind}`, { name });
}

function AttachedFile({ file, tray }: { readonly file: Attached; readonly tray: FileTray }) {
  const { t, i18n } = useTranslation("thread");
  const { id, name, bytes, preview, progress, url, failure } = file;
  const isUploading = url === null && failure === null;
  const percent = Math.round(progress * 100);
  return (
    <li className={styles.file} data-failed={failure !== null}>
      <span className={styles.preview}>{preview ? <img src={preview} alt="" /> : <Icon name="file" />}</span>
      <span className={styles.about}>
        <span className={styles.name} title={name}>
          {name}
        </span>
        <span className={styles.detail} title={failure || undefined} role={failure === null ? undefined : "alert"}>
          {failure !== null && (failure || t("files.failed", { name }))}
          {failure === null &&
            (isUploading ? t("files.uploading", { percent }) : bytes > 0 && sizeOf(bytes, i18n.language))}
        </span>
        {isUploading && (
          <span className={styles.progress} role="progressbar" aria-label={name} aria-valuenow={percent}>
            <span style={{ width: `${percent}%` }} />
          </span>
        )}
      </span>
      {failure !== null && (
        <button
          type="button"
          className={styles.button}
          aria-label={t("files.retry", { name })}
          onClick={() => tray.retry(id)}
        >
          <Icon name="again" size={16} />
        </button>
      )}
      <button
        type="button"
        className={styles.button}
        aria-label={t("files.remove", { name })}
        onClick={() => tray.remove(id)}
      >
        <Icon name="close" size={16} />
      </button>
    </li>
  );
}

/** Accepts files that are dropped anywhere on the page, and shows a hint while they are dragged over it. */
export function DropArea({ onFiles }: { readonly onFiles: (files: File[]) => void }) {
  const { t } = useTranslation("thread");
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // There is no related target if the pointer leaves the window.
    const leave = (event: DragEvent): void => setOver(event.relatedTarget !== null);
    const drop = (event: DragEvent): void => {
      setOver(false);
      if (!carriesFiles(event)) return;
      event.preventDefault();
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const ends = new AbortController();
    const { signal } = ends;
    document.addEventListener("dragover", over, { signal });
    document.addEventListener("dragleave", leave, { signal });
    document.addEventListener("drop", drop, { signal });
    return () => ends.abort();
  }, [onFiles]);
  if (!isOver) return null;
  return (
    <div className={styles.drop}>
      <p>
        <Icon name="attach" size={28} />
        {t("compose.drop")}
      </p>
    </div>
  );
}
