import {
  Button,
  FileButton,
  Group,
  MultiSelect,
  PasswordInput,
  Select,
  Switch,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Failure } from "../settings/page.tsx";
import { choicesOf, useAllBranches } from "../settings/records.ts";
import { upload } from "../shared/upload.ts";
import styles from "./catalog.module.css";
import { useAllArticles, type Value } from "./records.ts";
import { couponTypes, type Field } from "./resources.ts";

/** Major units with at most two decimals, as the service takes them; a comma may stand for the point. */
export const isPrice = (text: string): boolean => /^\d{1,12}([.,]\d{1,2})?$/.test(text);

interface FieldProps {
  readonly field: Field;
  readonly value: Value;
  /** What the service said of it. */
  readonly error?: string | undefined;
  readonly isFirst: boolean;
  readonly isNew: boolean;
  readonly onChange: (value: Value) => void;
}

/** The control of one field, by what the field holds. */
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

/** The text of a quick reply, with what may be filled into it at hand. */
function LinesField({ field: { name, maxLength }, value, onChange }: FieldProps) {
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
    </div>
  );
}

function BranchField({ field: { name }, value, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const { data } = useAllBranches();
  return (
    <Select
      clearable
      searchable
      label={t(`fields.${name}`)}
      placeholder={t("everyBranch")}
      data={choicesOf(data)}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
    />
  );
}

/** The library draws all choices that match; more than this many are found by typing. */
const choicesShown = 50;

function ArticlesField({ field: { name }, value, onChange }: FieldProps) {
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
      data={(data ?? []).map(({ id, name: label }) => ({ value: String(id), label }))}
      value={chosen.map(String)}
      onChange={(values) => onChange(values.map(Number).sort((a, b) => a - b))}
    />
  );
}

function FileField({ field: { name }, value, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const sending = useMutation({
    mutationFn: (file: File) => upload(file, file.name, () => {}).stored,
    onSuccess: onChange,
  });
  const address = value === null ? null : String(value);
  return (
    <div>
      <Text size="sm" fw={500}>
        {t(`fields.${name}`)}
      </Text>
      <Group gap="xs" mt={4}>
        {address && (
          <a href={address} target="_blank" rel="noreferrer">
            {t("seeFile")}
          </a>
        )}
        <FileButton onChange={(file) => file && sending.mutate(file)}>
          {(props) => (
            <Button {...props} variant="default" size="compact-sm" loading={sending.isPending}>
              {t(address ? "otherFile" : "chooseFile")}
            </Button>
          )}
        </FileButton>
        {address && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange(null)}>
            {t("noFile")}
          </Button>
        )}
      </Group>
      <Failure error={sending.error} />
    </div>
  );
}

function CouponField({ field: { name }, value, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  const [stored] = useState(value);
  const otherType = couponTypes.includes(stored) ? "item" : stored;
  return (
    <Switch
      label={t(`fields.${name}`)}
      description={t("hints.type")}
      checked={couponTypes.includes(value)}
      onChange={(event) => onChange(event.currentTarget.checked ? "free_delivery" : otherType)}
    />
  );
}

function SecretField({ field: { name, maxLength }, value, isNew, isFirst, onChange }: FieldProps) {
  const { t } = useTranslation("catalog");
  return (
    <PasswordInput
      label={t(`fields.${name}`)}
      description={isNew ? undefined : t("hints.token")}
      required={isNew}
      data-autofocus={isFirst || undefined}
      autoComplete="off"
      maxLength={maxLength}
      visibilityToggleButtonProps={{ "aria-label": t("showSecret"), tabIndex: 0, "aria-hidden": false }}
      value={String(value ?? "")}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
