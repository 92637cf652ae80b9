import "./texts.ts";
import { Alert } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface NoticeProps {
  /** The fields that the user and another user changed to different values; null if nothing was merged. */
  readonly clashes: readonly string[] | null;
}

/** Tells the user that another user saved the record first, and that both users' changes were merged. */
export function MovedOn({ clashes }: NoticeProps) {
  const { t } = useTranslation("settings");
  if (clashes === null) return null;
  return (
    <Alert color="yellow" variant="light" role="alert" title={t("movedOn.title")}>
      {clashes.length === 0 ? t("movedOn.joined") : t("movedOn.clash", { fields: clashes.join(", ") })}
    </Alert>
  );
}
