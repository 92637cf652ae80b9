import { type CSSProperties, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import styles from "./media.module.css";
import { lengthOf } from "./media.ts";

const speeds = [1, 1.5, 2] as const;
/** Only one recording of the page plays at a time. */
let playing: HTMLAudioElement | null = null;

interface VoiceProps {
  readonly address: string;
  readonly name: string;
}

export function Voice({ address, name }: VoiceProps) {
  const { t } = useTranslation("thread");
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(0);
  const [speed, setSpeed] = useState<(typeof speeds)[number]>(1);
  const [isBroken, setBroken] = useState(false);
  // The player is removed when it is scrolled out of view. The recording must stop then.
  useEffect(() => {
    const element = audio.current;
    return () => element?.pause();
  }, []);

  if (isBroken)
    return (
      <a className={styles.file} href={address} download={name}>
        <span className={styles.fileIcon}>
          <Icon name="voice" />
        </span>
        <span className={styles.fileText}>
          <span className={styles.fileName}>{name}</span>
          <span className={styles.fileDetail}>{t("voice.unplayable")}</span>
        </span>
      </a>
    );

  const toggle = (): void => {
    const element = audio.current;
    if (!element) return;
    if (!element.paused) {
      element.pause();
      return;
    }
    if (playing !== element) playing?.pause();
    playing = element;
    element.playbackRate = speed;
    element.play().catch(() => setBroken(element.error !== null));
  };
  const seek = (to: number): void => {
    if (audio.current) audio.current.currentTime = to;
    setAt(to);
  };
  const faster = (): void => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1;
    setSpeed(next);
    if (audio.current) audio.current.playbackRate = next;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group of controls outside of forms.
    <div className={styles.voice} role="group" aria-label={name}>
      {/* biome-ignore lint/a11y/useMediaCaption: customers' recordings have no captions. */}
      <audio
        ref={audio}
        src={address}
        preload="metadata"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => seek(0)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onDurationChange={(event) => setLength(event.currentTarget.duration)}
        onError={() => setBroken(true)}
      />
      <button
        type="button"
        className={styles.play}
        aria-label={t(isPlaying ? "voice.pause" : "voice.play")}
        onClick={toggle}
      >
        <Icon name={isPlaying ? "pause" : "play"} size={18} />
      </button>
      <div className={styles.track}>
        <input
          type="range"
          className={styles.seek}
          min={0}
          max={Number.isFinite(length) && length > 0 ? length : 1}
          step={0.1}
          value={at}
          aria-label={t("voice.position")}
          aria-valuetext={t("voice.at", { at: lengthOf(at), length: lengthOf(length) })}
          onChange={(event) => seek(Number(event.currentTarget.value))}
          style={{ "--played": `${length > 0 && Number.isFinite(length) ? (100 * at) / length : 0}%` } as CSSProperties}
        />
        <span className={styles.length}>{lengthOf(at > 0 ? at : length)}</span>
      </div>
      <button type="button" className={styles.speed} aria-label={t("voice.speed", { speed })} onClick={faster}>
        {`${speed}×`}
      </button>
    </div>
  );
}
