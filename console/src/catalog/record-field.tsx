import { Button, MultiSelect, PasswordInput, Select, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { choicesOf, useAllBranches } from "../settings/records.ts";
import { FileChoice } from "../shared/file-choice.tsx";
import type { OnUploading } from "../shared/use-upload.ts";
import styles from "./catalog.module.css";
import { useAllArticles, type Value } from "./records.ts";
import { couponTypes, type Field } from "./resources.ts";

/** Whether the text is a price in major units with at most two decimals, such as `12.50` or `12,5`. */
export const isPrice = (text: string): boolean => /^\d{1,12}([.,]\d{1,2})?$/.test(text);

interface FieldProps {
  readonly field: Field;
  readonly value: Value;
  /** Why the service refused the field's value. */
  readonly error?: string | undefined;
  readonly isFirst: boolean;
  readonly isNew: boolean;
  readonly onChange: (value: Value) => void;
  readonly onUploading: OnUploading;
}

export function RecordField(props: FieldProps) {
  switch (props.field.kind) {
    case "branch":
      return <BranchField {...props} />;
    case "articles":
      return <ArticlesField {...props} />;
    case "lines":
      return <LinesField {...props} />;
    case "file":
      return <FileField {...props} />;
    case "coupon":
      return <CouponField {...props} />;
    case "secret":
      return <SecretField {...props} />;
    default:
      return <TextField {...props} />;
  }
}

function TextField({ field: { name, kind, isRequired, maxLength }, value, error, isFirst, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const { moneda } = useMe();
  const text = String(value ?? "");
  const isPriceField = kind === "price";
  const isWrong = isPriceField && text.trim() !== "" && !isPrice(text.trim());
  return (
    <TextInput
      label={t(`fields.${name}`)}
      description={name === "retailer_id" || name === "tracking_id" ? t(`hints.${name}`) : undefined}
      required={isRequired === true}
      data-autofocus={isFirst || undefined}
      inputMode={isPriceField ? "decimal" : undefined}
      rightSection={isPriceField ? <Text size="sm">{moneda}</Text> : undefined}
      rightSectionWidth={isPriceField ? 52 : undefined}
      error={isWrong ? t("wrongPrice") : error}
      maxLength={maxLength}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const placeholders = ["contacto.nombre", "contacto.numero", "agente.nombre", "negocio.nombre"] as const;

/** A text area for the text of a quick reply, with buttons that insert placeholders. */
function LinesField({ field: { name, maxLength }, value, error, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const input = useRef<HTMLTextAreaElement>(null);
  const text = String(value ?? "");
  const insert = (placeholder: string): void => {
    const at = input.current?.selectionStart ?? text.length;
    onChange(`${text.slice(0, at)}{{${placeholder}}}${text.slice(input.current?.selectionEnd ?? at)}`);
    input.current?.focus();
  };
  return (
    <div>
      <Textarea
        ref={input}
        autosize
        required
        minRows={4}
        maxRows={14}
        label={t(`fields.${name}`)}
        description={t("hints.texto")}
        maxLength={maxLength}
        error={error}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div className={styles.insert}>
        {placeholders.map((each) => (
          <Button key={each} variant="default" size="compact-sm" onClick={() => insert(each)}>
            {t(`placeholders.${each.replace(".", "_") as "contacto_nombre"}`)}
          </Button>
        ))}
      </div>
      {text.trim() !== "" && <FilledReply text={text} />}
    </div>
  );
}

/** The reply as an example contact would get it. */
function FilledReply({ text }: { readonly text: string }) {
  const { t } = useTranslation("catalog");
  const { nombre, empresa } = useMe();
  const facts: Readonly<Record<string, string>> = {
    "contacto.nombre": t("example.name"),
    "contacto.numero": t("example.number"),
    "agente.nombre": nombre,
    "negocio.nombre": empresa.nombre,
  };
  const filled = text.replace(/\{\{([^{}]+)\}\}/g, (_, name: string) => {
    const [whose = "", ...rest] = name.split(".").map((part) => part.trim());
    return facts[[whose, ...rest].join(".").toLowerCase()] ?? "";
  });
  return (
    <figure className={styles.filled}>
      <figcaption>{t("example.title")}</figcaption>
      <p>{filled}</p>
    </figure>
  );
}

function BranchField({ field: { name }, value, error, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const { data } = useAllBranches();
  return (
    <Select
      clearable
      searchable
      label={t(`fields.${name}`)}
      placeholder={t("everyBranch")}
      error={error}
      data={choicesOf(data)}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
    />
  );
}

/** At most this many choices are shown, since the library renders the whole list at once. Typing finds the others. */
const choicesShown = 50;

function ArticlesField({ field: { name }, value, error, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const { data } = useAllArticles(true);
  const chosen = Array.isArray(value) ? (value as readonly number[]) : [];
  return (
    <MultiSelect
      clearable
      searchable
      hidePickedOptions
      limit={choicesShown}
      maxValues={1_000}
      label={t(`fields.${name}`)}
      description={t("hints.articulos")}
      error={error}
      data={(data ?? []).map(({ id, name: label }) => ({ value: String(id), label }))}
      value={chosen.map(String)}
      onChange={(values) => onChange(values.map(Number).sort((a, b) => a - b))}
    />
  );
}

function FileField({ field: { name }, value, error, onChange, onUploading }: FieldProps) {
  const { t } = useTranslation("catalog");
  return (
    <FileChoice
      label={t(`fields.${name}`)}
      error={error}
      address={String(value ?? "")}
      type={null}
      onChange={(address) => onChange(address || null)}
      onUploading={onUploading}
    />
  );
}

function CouponField({ field: { name }, value, error, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const [stored] = useState(value);
  const otherType = couponTypes.includes(stored) ? "item" : stored;
  return (
    <Switch
      label={t(`fields.${name}`)}
      description={t("hints.type")}
      error={error}
      checked={couponTypes.includes(value)}
      onChange={(event) => onChange(event.currentTarget.checked ? "free_delivery" : otherType)}
    />
  );
}

function SecretField({ field: { name, maxLength }, value, error, isNew, isFirst, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  return (
    <PasswordInput
      label={t(`fields.${name}`)}
      description={isNew ? undefined : t("hints.token")}
      required={isNew}
      data-autofocus={isFirst || undefined}
      autoComplete="off"
      error={error}
      aria-invalid={error !== undefined || undefined}
      maxLength={maxLength}
      visibilityToggleButtonProps={{ "aria-label": t("showSecret"), tabIndex: 0, "aria-hidden": false }}
      value={String(value ?? "")}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
