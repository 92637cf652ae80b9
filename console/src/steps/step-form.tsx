import { Button, Group } from "@mantine/core";
import { type FormEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import settings from "../settings/settings.module.css";
import { type FieldRefusal, fieldRefusal } from "../shared/field-refusal.ts";
import { Frozen } from "../shared/frozen.tsx";
import { type Read, useRecordForm } from "../shared/record-form.ts";
import { StepField } from "./step-field.tsx";
import {
  bodyOf,
  type FieldName,
  fits,
  isWrongJson,
  jsonFields,
  parts,
  readOf,
  type StepFields,
} from "./step-fields.ts";
import styles from "./steps.module.css";
import { readStep, type Step, saveStep, stepsChanged } from "./steps.ts";

interface FormProps {
  /** Null for a new step. */
  readonly id: number | null;
  readonly start: Read<StepFields>;
  readonly steps: readonly Step[];
  readonly onDirty: (isDirty: boolean) => void;
  readonly onCancel: () => void;
  readonly onSaved: (id: number) => void;
}

export function StepForm({ id, start, steps, onDirty, onCancel, onSaved }: FormProps) {
  const { t } = useTranslation("steps");
  const element = useRef<HTMLFormElement>(null);
  const form = useRecordForm<StepFields, Step>(start, {
    save: (fields, header) => saveStep(id, bodyOf(fields), header),
    readAgain: async () => (id === null ? start : readOf(await readStep(id))),
    refresh: () => void stepsChanged(),
    onSaved: (saved) => onSaved(saved.id),
  });
  const { fields, set } = form;
  useEffect(() => onDirty(form.isChanged), [form.isChanged, onDirty]);

  const isWrong = (name: FieldName): boolean =>
    jsonFields.some((each) => each === name && isWrongJson(each, fields[each]));
  // Invalid JSON prevents saving, so its field is shown even if the step's type does not use the field.
  const shownIn = (names: readonly FieldName[]): FieldName[] =>
    names.filter((name) => fits(name, fields.tipo) || isWrong(name));
  const shown = parts.map(({ part, fields: names }) => ({ part, names: shownIn(names) }));
  const refusal = fieldRefusal(
    form.error,
    shown.flatMap(({ names }) => names),
  );
  const wordsOfRefusal = useRefusalWords();
  const errorOf = (name: FieldName): string | undefined => {
    if (isWrong(name)) return t("wrong.json");
    return refusal?.name === name ? wordsOfRefusal(refusal) : undefined;
  };
  const isTechnicalWrong = shown.some(
    ({ part, names }) => part === "technical" && names.some((name) => errorOf(name) !== undefined),
  );

  useEffect(() => {
    if (form.error) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [form.error]);

  const send = (event: FormEvent): void => {
    event.preventDefault();
    form.save();
  };
  const fieldsOf = (names: readonly FieldName[]) =>
    names.map((name) => (
      <StepField
        key={`${name}-${form.round}`}
        name={name}
        fields={fields}
        id={id}
        steps={steps}
        error={errorOf(name)}
        set={set}
        onUploading={form.onUploading}
      />
    ));
  return (
    <form ref={element} onSubmit={send} className={settings.form} noValidate>
      <MovedOn clashes={form.clashes?.map((name) => t(`fields.${name}`)) ?? null} />
      <Frozen when={form.isSaving}>
        {shown.map(({ part, names }) => {
          if (names.length === 0) return null;
          if (part === "basics")
            return (
              <div key={part} className={styles.first}>
                {fieldsOf(names)}
              </div>
            );
          if (part === "technical")
            return (
              <div key={part} className={styles.part}>
                <details open={isTechnicalWrong || undefined}>
                  <summary>{t(`parts.${part}`)}</summary>
                  <div>{fieldsOf(names)}</div>
                </details>
              </div>
            );
          return (
            <section key={part} aria-labelledby={`part-${part}`} className={styles.part}>
              <h3 id={`part-${part}`}>{t(`parts.${part}`)}</h3>
              {fieldsOf(names)}
            </section>
          );
        })}
      </Frozen>
      <div className={styles.foot}>
        {refusal === null && <Failure error={form.error} />}
        <Group justify="flex-end" mt={form.error && refusal === null ? "sm" : 0}>
          <Button variant="default" onClick={onCancel}>
            {t("cancel")}
          </Button>
          <Button
            type="submit"
            loading={form.isSaving}
            disabled={!form.isChanged || form.isUploading || fields.nombre.trim() === "" || jsonFields.some(isWrong)}
          >
            {t("save")}
          </Button>
        </Group>
      </div>
    </form>
  );
}

function useRefusalWords(): (refusal: FieldRefusal<FieldName>) => string {
  const { t } = useTranslation("steps");
  return ({ problem, words }) => (problem === "other" ? t("wrong.other", { words }) : t(`wrong.${problem}`));
}
