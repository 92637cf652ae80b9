import { Select, Text, TextInput, Title } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import styles from "./campaigns.module.css";
import type { Source } from "./draft.ts";

interface MappingProps {
  readonly placeholders: readonly string[];
  readonly fields: readonly string[];
  readonly sources: Readonly<Record<string, Source>>;
  readonly onChange: (sources: Readonly<Record<string, Source>>) => void;
}

/** The value of the option for a fixed text. It begins with a space, so it is hardly ever the name of a column. */
const fixed = " fixed";

export function Mapping({ placeholders, fields, sources, onChange }: MappingProps) {
  const { t } = useTranslation("campaigns");
  const set = (placeholder: string, source: Source | null): void => {
    const { [placeholder]: _, ...others } = sources;
    onChange(source ? { ...others, [placeholder]: source } : others);
  };
  return (
    <section aria-labelledby="mapping">
      <Title order={2} size="h4" id="mapping" mb="xs">
        {t("mapping")}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t("mappingHelp")}
      </Text>
      <div className={styles.mapping}>
        {placeholders.map((placeholder) => {
          const source = sources[placeholder];
          const isText = source !== undefined && "text" in source;
          const value = isText ? fixed : source && fields.includes(source.field) ? source.field : null;
          return (
            <Fragment key={placeholder}>
              <span className={styles.code1}>{`{{${placeholder}}}`}</span>
              <div>
                <Select
                  aria-label={t("fieldFor", { placeholder })}
                  aria-required="true"
                  error={value === null && t("mappingMissing", { placeholder: `{{${placeholder}}}` })}
                  placeholder={t("chooseField")}
                  data={[
                    ...fields.map((field) => ({ value: field, label: field })),
                    { value: fixed, label: t("fixed") },
                  ]}
                  value={value}
                  onChange={(chosen) =>
                    set(placeholder, chosen === null ? null : chosen === fixed ? { text: "" } : { field: chosen })
                  }
                  searchable
                />
                {isText && (
                  <TextInput
                    mt={6}
                    aria-label={t("textFor", { placeholder })}
                    aria-required="true"
                    error={source.text.trim() === "" && t("mappingMissing", { placeholder: `{{${placeholder}}}` })}
                    value={source.text}
                    maxLength={500}
                    onChange={({ currentTarget }) => set(placeholder, { text: currentTarget.value })}
                  />
                )}
              </div>
            </Fragment>
          );
        })}
      </div>
    </section>
  );
}
