import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import styles from "./tag-list.module.css";

interface Tag {
  readonly id: number;
  readonly nombre: string;
}

interface TagListProps<Shown extends Tag> {
  readonly label: string;
  readonly tags: readonly Shown[];
  readonly className?: string | undefined;
  readonly children: (tag: Shown) => ReactNode;
}

const shownFirst = 12;

/** Shows the first tags, and a button that shows all others. So a long list does not push down the content below. */
export function TagList<Shown extends Tag>({ label, tags, className, children }: TagListProps<Shown>) {
  const { t } = useTranslation();
  const [isWhole, setWhole] = useState(false);
  const hidden = tags.length - shownFirst;
  return (
    <ul aria-label={label} className={[styles.tags, className].filter(Boolean).join(" ")}>
      {(isWhole ? tags : tags.slice(0, shownFirst)).map((tag) => (
        <li key={tag.id}>{children(tag)}</li>
      ))}
      {hidden > 0 && (
        <li key="more">
          <button type="button" className={styles.more} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? t("tags.fewer") : t("tags.more", { count: hidden })}
          </button>
        </li>
      )}
    </ul>
  );
}
