import { useTranslation } from "react-i18next";
import styles from "./connections.module.css";
import { filled, type TemplateForm } from "./template-form.ts";

/** A template as the customer's phone shows it, with its examples in place. */
export function PhonePreview({ form }: { readonly form: TemplateForm }) {
  const { t } = useTranslation("connections");
  const { header, body, footer, buttons, examples } = form;
  return (
    <section aria-label={t("templates.preview")} className={styles.phone}>
      <div className={styles.bubble}>
        {header && (
          <p>
            <strong>{filled(header, "header", examples)}</strong>
          </p>
        )}
        <p>{filled(body, "body", examples) || "…"}</p>
        {footer && <p className={styles.footer}>{footer}</p>}
      </div>
      {buttons.map((button, index) => (
        // A button has no id; its place is what it is known by.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={styles.button}>
          {button.text || "…"}
        </div>
      ))}
    </section>
  );
}
