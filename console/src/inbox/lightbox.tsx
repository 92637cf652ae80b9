import { Modal } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import type { Clock } from "../shared/time.ts";
import { useReturnFocus } from "../shared/use-return-focus.ts";
import { pictureOf } from "./attachment.tsx";
import styles from "./lightbox.module.css";

interface LightboxProps {
  /** The messages with a picture. The oldest comes first. */
  readonly pictures: readonly Message[];
  readonly openId: number;
  readonly clock: Clock;
  readonly onOpen: (id: number) => void;
  readonly onClose: () => void;
}

/** Shows the pictures of a thread one at a time, on the whole screen. */
export function Lightbox({ pictures, openId, clock, onOpen, onClose }: LightboxProps) {
  const { t } = useTranslation("thread");
  useReturnFocus();
  const place = pictures.findIndex(({ id }) => id === openId);
  const message = pictures[place];
  const address = message && pictureOf(message);
  const step = (by: number): void => {
    const next = pictures[place + by];
    if (next) onOpen(next.id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  };
  if (!message || !address) return null;
  const name = message.adjunto?.nombre ?? t("picture.name");
  return (
    <Modal.Root
      opened
      onClose={onClose}
      fullScreen
      padding={0}
      transitionProps={{ duration: 120 }}
      onKeyDown={onKeyDown}
    >
      <Modal.Content className={styles.content ?? ""} aria-label={t("picture.title", { name: message.autor_nombre })}>
        <Modal.Body className={styles.body ?? ""}>
          <header className={styles.bar}>
            <div className={styles.about}>
              <strong>{message.autor_nombre}</strong>
              <span>
                {clock.day(message.fecha)}, {clock.time(message.fecha)}
                {pictures.length > 1 && ` · ${t("picture.place", { place: place + 1, count: pictures.length })}`}
              </span>
            </div>
            <a className={styles.button} href={address} download={name} aria-label={t("picture.download")}>
              <Icon name="download" />
            </a>
            <button
              type="button"
              className={styles.button}
              aria-label={t("picture.close")}
              onClick={onClose}
              data-autofocus
            >
              <Icon name="close" />
            </button>
          </header>
          <Picture key={address} address={address} alt={message.texto || name} />
          {message.texto && <p className={styles.caption}>{message.texto}</p>}
          {place > 0 && (
            <button
              type="button"
              className={styles.step}
              data-to="before"
              aria-label={t("picture.before")}
              onClick={() => step(-1)}
            >
              <Icon name="back" size={26} />
            </button>
          )}
          {place < pictures.length - 1 && (
            <button
              type="button"
              className={styles.step}
              data-to="after"
              aria-label={t("picture.after")}
              onClick={() => step(1)}
            >
              <Icon name="forward" size={26} />
            </button>
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Picture({ address, alt }: { readonly address: string; readonly alt: string }) {
  const { t } = useTranslation("thread");
  const [isLarge, setLarge] = useState(false);
  return (
    <div className={styles.stage} data-large={isLarge}>
      <button
        type="button"
        className={styles.zoom}
        aria-label={t(isLarge ? "picture.smaller" : "picture.larger")}
        aria-pressed={isLarge}
        onClick={() => setLarge(!isLarge)}
      >
        <img src={address} alt={alt} />
      </button>
    </div>
  );
}
