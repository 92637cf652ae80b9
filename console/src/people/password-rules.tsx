import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import styles from "./people.module.css";

export const [shortest, longest] = [10, 200];

/** Counts whole characters, as the service does, instead of UTF-16 units. */
export const isGoodPassword = (password: string): boolean => {
  const length = [...password].length;
  return length >= shortest && length <= longest;
};

export function PasswordRules({ password, id }: { readonly password: string; readonly id: string }) {
  const { t } = useTranslation("people");
  const length = [...password].length;
  const isKept = isGoodPassword(password);
  const left = shortest - length;
  const isShort = length > 0 && left > 0;
  return (
    <p id={id} className={styles.rule} data-kept={isKept} aria-live="polite">
      {isKept && <Icon name="done" size={18} />}
      {isShort ? t("password.left", { count: left }) : t(length > longest ? "password.long" : "password.rule")}
    </p>
  );
}
