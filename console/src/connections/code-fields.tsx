import { Checkbox, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { CodeForm } from "./template-code.ts";

interface Props {
  readonly code: CodeForm;
  readonly onChange: (code: CodeForm) => void;
  readonly errorOf: (field: string) => string | undefined;
}

/** The fields of a template for one-time codes. */
export function CodeFields({ code, onChange, errorOf }: Props) {
  const { t } = useTranslation("connections");
  return (
    <>
      <Text size="sm" c="dimmed">
        {t("templates.code.lead")}
      </Text>
      <Checkbox
        label={t("templates.code.warns")}
        checked={code.warns}
        onChange={(event) => onChange({ ...code, warns: event.currentTarget.checked })}
      />
      <TextInput
        label={t("templates.code.minutes")}
        description={t("templates.code.minutesHint")}
        inputMode="numeric"
        value={code.minutes}
        error={errorOf("code.minutes")}
        onChange={(event) => onChange({ ...code, minutes: event.currentTarget.value.trim() })}
      />
      <TextInput
        label={t("templates.code.button")}
        description={t("templates.code.buttonHint")}
        value={code.button}
        error={errorOf("code.button")}
        onChange={(event) => onChange({ ...code, button: event.currentTarget.value })}
      />
    </>
  );
}
