import { ActionIcon, Button, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import styles from "./contact.module.css";

/** A custom field in the editor. */
export interface Field {
  readonly key: number;
  readonly name: string;
  readonly text: string;
}

const mostFields = 50;
let keys = 0;

export const rowsOf = (fields: Readonly<Record<string, string>>): Field[] =>
  Object.entries(fields).map(([name, text]) => ({ key: keys++, name, text }));

const filled = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ name, text }) => name.trim() !== "" || text !== "");

export const asFields = (fields: readonly Field[]): Record<string, string> =>
  Object.fromEntries(filled(fields).map(({ name, text }) => [name.trim(), text]));

export const hasNameless = (fields: readonly Field[]): boolean => filled(fields).some(({ name }) => name.trim() === "");

const isDouble = (fields: readonly Field[], { name, key }: Field): boolean =>
  name.trim() !== "" && fields.some((each) => each.key !== key && each.name.trim() === name.trim());

export const hasDouble = (fields: readonly Field[]): boolean => fields.some((field) => isDouble(fields, field));

interface EditorProps {
  readonly fields: readonly Field[];
  readonly onChange: (fields: readonly Field[]) => void;
}

export function FieldEditor({ fields, onChange }: EditorProps) {
  const { t } = useTranslation("contacts");
  const change = (key: number, part: Partial<Field>): void =>
    onChange(fields.map((field) => (field.key === key ? { ...field, ...part } : field)));
  const complaint = (field: Field): string | undefined => {
    if (isDouble(fields, field)) return t("fields.double");
    return field.name.trim() === "" && field.text !== "" ? t("fields.nameless") : undefined;
  };
  return (
    <fieldset className={styles.fieldset}>
      <legend className={styles.legend}>{t("fields.title")}</legend>
      {fields.length === 0 && <p className={styles.dim}>{t("fields.none")}</p>}
      {fields.map((field) => (
        <div key={field.key} className={styles.field}>
          <TextInput
            aria-label={t("fields.name")}
            placeholder={t("fields.name")}
            maxLength={100}
            value={field.name}
            error={complaint(field)}
            onChange={(event) => change(field.key, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={field.name ? t("fields.textOf", { name: field.name }) : t("fields.text")}
            placeholder={t("fields.text")}
            maxLength={1_000}
            value={field.text}
            onChange={(event) => change(field.key, { text: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t("fields.remove", { name: field.name })}
            onClick={() => onChange(fields.filter(({ key }) => key !== field.key))}
          >
            <Icon name="close" size={16} />
          </ActionIcon>
        </div>
      ))}
      {fields.length < mostFields && (
        <Button
          size="compact-sm"
          variant="subtle"
          className={styles.add}
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => onChange([...fields, { key: keys++, name: "", text: "" }])}
        >
          {t("fields.add")}
        </Button>
      )}
    </fieldset>
  );
}
