import { useTranslation } from "react-i18next";
import styles from "./template-preview.module.css";
import { filled, type TemplateText } from "./template-text.ts";

interface TemplatePreviewProps {
  readonly template: TemplateText;
  /** The values by placeholder. A placeholder without a value stays in the text. */
  readonly values?: Readonly<Record<string, string>>;
}

/** A preview that looks similar to a message on a phone. */
export function TemplatePreview({ template, values = {} }: TemplatePreviewProps) {
  const { t } = useTranslation();
  const { media, header, body, footer, buttons } = template;
  return (
    <figure className={styles.phone} aria-label={t("preview.label")} style={{ margin: 0 }}>
      <div className={styles.bubble}>
        {media && <div className={styles.media}>{t(`preview.${mediaName(media)}`)}</div>}
        {header && <p className={styles.header}>{filled(header, values)}</p>}
        <p>{filled(body, values)}</p>
        {footer && <p className={styles.footer}>{footer}</p>}
      </div>
      {buttons.length > 0 && (
        <ul className={styles.buttons}>
          {buttons.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </figure>
  );
}

const mediaName = (media: string) =>
  media === "VIDEO" ? ("video" as const) : media === "DOCUMENT" ? ("document" as const) : ("picture" as const);
