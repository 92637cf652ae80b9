import { Button, CloseButton, Select, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import styles from "../settings/settings.module.css";
import { type ButtonForm, buttonKinds, mostButtons, type TemplateForm } from "./template-form.ts";

interface Props {
  readonly buttons: TemplateForm["buttons"];
  readonly onChange: (buttons: TemplateForm["buttons"]) => void;
  readonly errorOf: (field: string) => string | undefined;
}

export function TemplateButtons({ buttons, onChange, errorOf }: Props) {
  const { t } = useTranslation("connections");
  const change = (index: number, changes: Partial<ButtonForm>): void =>
    onChange(buttons.map((each, place) => (place === index ? { ...each, ...changes } : each)));
  const error = errorOf("buttons");
  return (
    <>
      {buttons.map(({ kind, text, value, example }, index) => (
        // Buttons have no ids, so the index is the key.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={styles.pair}>
          <Select
            label={t("templates.buttonKind", { n: index + 1 })}
            data={buttonKinds.map((each) => ({ value: each, label: t(`templates.kinds.${each}`) }))}
            value={kind}
            allowDeselect={false}
            onChange={(chosen) =>
              change(index, { kind: buttonKinds.find((each) => each === chosen) ?? kind, value: "", example: "" })
            }
          />
          <TextInput
            label={t("templates.buttonText", { n: index + 1 })}
            value={text}
            error={errorOf(`button.${index}.text`)}
            onChange={(event) => change(index, { text: event.currentTarget.value })}
          />
          {kind !== "QUICK_REPLY" && (
            <TextInput
              label={t("templates.buttonValue", { n: index + 1 })}
              value={value}
              error={errorOf(`button.${index}.value`)}
              onChange={(event) => change(index, { value: event.currentTarget.value })}
            />
          )}
          {value.includes("{{") && (
            <TextInput
              label={t("templates.buttonExample", { n: index + 1 })}
              value={example}
              error={errorOf(`button.${index}.example`)}
              onChange={(event) => change(index, { example: event.currentTarget.value })}
            />
          )}
          <CloseButton
            mt={26}
            size="lg"
            aria-label={t("templates.removeButton", { n: index + 1 })}
            onClick={() => onChange(buttons.filter((_, place) => place !== index))}
          />
        </div>
      ))}
      {error && (
        <Text c="var(--danger)" size="sm" role="alert">
          {error}
        </Text>
      )}
      {buttons.length < mostButtons && (
        <Button
          variant="subtle"
          style={{ alignSelf: "flex-start" }}
          onClick={() => onChange([...buttons, { kind: "QUICK_REPLY", text: "", value: "", example: "" }])}
        >
          {t("templates.addButton")}
        </Button>
      )}
    </>
  );
}
