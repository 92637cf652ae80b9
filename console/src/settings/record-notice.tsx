import "./texts.ts";
import { Alert } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface NoticeProps {
  /** Names of the fields that both sides changed; null while nothing was joined. */
  readonly clashes: readonly string[] | null;
}

/** Says that somebody else saved meanwhile, and what became of both changes. */
export function MovedOn({ clashes }: NoticeProps) {
  const { t } = useTranslation("settings");
  if (clashes === null) return null;
  return (
    <Alert color="yellow" variant="light" role="alert" title={t("movedOn.title")}>
      {clashes.length === 0 ? t("movedOn.joined") : t("movedOn.clash", { fields: clashes.join(", ") })}
    </Alert>
  );
}
