import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import styles from "./connections.module.css";
import { codeMessage } from "./template-code.ts";
import { filled, isMedia, isOfCode, type MediaKind, type TemplateForm } from "./template-form.ts";

/** The template with its examples, as on a customer's phone. */
export function PhonePreview({ form }: { readonly form: TemplateForm }) {
  const { t } = useTranslation("connections");
  const { headerKind, header, media, examples } = form;
  const code = isOfCode(form) ? codeMessage(form) : null;
  const { body, footer } = code ?? { body: filled(form.body, "body", examples), footer: form.footer };
  const buttons = code ? [code.button] : form.buttons.map(({ text }) => text);
  return (
    <section aria-label={t("templates.preview")} className={styles.phone}>
      <div className={styles.bubble}>
        {!code && isMedia(headerKind) && <Media kind={headerKind} media={media} />}
        {!code && header && (
          <p>
            <strong>{filled(header, "header", examples)}</strong>
          </p>
        )}
        <p>{body || "…"}</p>
        {footer && <p className={styles.footer}>{footer}</p>}
      </div>
      {buttons.map((text, index) => (
        // Buttons have no ids, so the index is the key.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={styles.button}>
          {text || "…"}
        </div>
      ))}
    </section>
  );
}

const icons = { IMAGE: "picture", VIDEO: "play", DOCUMENT: "file" } as const;

/** Shows a picture if it is on this host. An icon stands for all other files. */
function Media({ kind, media }: { readonly kind: MediaKind; readonly media: string }) {
  const { t } = useTranslation("connections");
  const isOwn = URL.canParse(media) && new URL(media).origin === location.origin;
  if (kind === "IMAGE" && isOwn)
    return <img src={media} alt={t("templates.headerKinds.IMAGE")} className={styles.media} />;
  return (
    <div className={styles.media}>
      <Icon name={icons[kind]} size={32} /> {t(`templates.headerKinds.${kind}`)}
    </div>
  );
}
