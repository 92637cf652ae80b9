import { Button, Select, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, useChange } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api, type paths } from "../shared/api.ts";
import { useLeaving } from "../shared/leaving.tsx";
import { CodeFields } from "./code-fields.tsx";
import own from "./connections.module.css";
import { MessageFields } from "./message-fields.tsx";
import { PhonePreview } from "./phone-preview.tsx";
import {
  categories,
  isMedia,
  isOfCode,
  structureOf,
  type TemplateForm,
  violationsOf,
  wordsOf,
} from "./template-form.ts";

const languages = ["es", "es_MX", "es_AR", "es_ES", "en", "en_US", "pt_BR", "pt_PT"];
const key = "templates";

type Body = NonNullable<paths["/admin/templates"]["post"]["requestBody"]>["content"]["application/json"];

export type StoredRecord = paths["/admin/templates/{id}"]["get"]["responses"][200]["content"]["application/json"];

async function kept(id: number | null, body: Body): Promise<number> {
  if (id === null) return (await answered(api.POST("/admin/templates", { body }))).id;
  await answered(api.PUT("/admin/templates/{id}", { params: { path: { id } }, body }));
  return id;
}

/** The file in the header of each sent message: the example file, if `media` is a URL and not a handle. */
const fileOf = ({ headerKind, media }: TemplateForm) => ({
  type: headerKind === "NONE" ? null : headerKind,
  ...(isMedia(headerKind) && /^https?:/i.test(media) && { archivo_nombre: media }),
});

const unwritten: ReadonlySet<string> = new Set(["missing", "example", "media"]);

interface EditorProps {
  readonly first: TemplateForm;
  readonly stored: StoredRecord | null;
  /** Whether the template may be edited and the editor supports all of its parts. */
  readonly isWhole: boolean;
}

/** A template's form with its preview. */
export function TemplateEditor({ first, stored, isWhole }: EditorProps) {
  const { t } = useTranslation("connections");
  const navigate = useNavigate();
  const [form, setForm] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const violations = violationsOf(form);
  const isValid = Object.keys(violations).length === 0;
  const set = (changes: Partial<TemplateForm>): void => setForm({ ...form, ...changes });
  const [madeId, setMadeId] = useState(stored?.id ?? null);
  const store = useChange(key, async (submits: boolean) => {
    // Fields without a control keep their stored values.
    const body = {
      ...stored,
      nombre: form.name,
      template: structureOf(form),
      descripcion: wordsOf(form),
      ...fileOf(form),
    };
    const id = await kept(madeId, body);
    // After a refused submission, the next attempt must change this template instead of creating another one.
    setMadeId(id);
    if (submits) await answered(api.POST("/admin/templates/{id}/submit", { params: { path: { id } } }));
  });
  const archive = useChange(key, () =>
    api.DELETE("/admin/templates/{id}", { params: { path: { id: stored?.id ?? 0 } } }),
  );
  const { release, question } = useLeaving(isWhole && JSON.stringify(form) !== JSON.stringify(first));
  const toList = (): void => {
    release();
    void navigate({ to: "/settings/templates", replace: stored === null });
  };
  const go = (submits: boolean): void => {
    setChecked(true);
    if (isValid) store.mutate(submits, { onSuccess: toList });
  };
  const errorOf = (field: string): string | undefined => {
    const broken = violations[field];
    // Before the first submission, empty fields are not shown as errors.
    if (!broken || (!isChecked && unwritten.has(broken.check))) return undefined;
    return t(`templates.checks.${broken.check}`, { most: broken.most, open: "{{", close: "}}" });
  };
  return (
    <div className={own.editor}>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          go(true);
        }}
      >
        <fieldset disabled={!isWhole} style={{ display: "contents" }}>
          <TextInput
            label={t("templates.name")}
            required
            value={form.name}
            error={errorOf("name")}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <div className={styles.pair}>
            <Select
              label={t("templates.language")}
              data={languages.includes(form.language) ? languages : [...languages, form.language]}
              value={form.language}
              allowDeselect={false}
              onChange={(language) => set({ language: language ?? "es" })}
            />
            <Select
              label={t("templates.category")}
              data={categories.map((value) => ({ value, label: t(`templates.categories.${value}`) }))}
              value={form.category}
              allowDeselect={false}
              onChange={(category) => set({ category: category ?? "UTILITY" })}
            />
          </div>
          {isOfCode(form) ? (
            <CodeFields code={form.code} onChange={(code) => set({ code })} errorOf={errorOf} />
          ) : (
            <MessageFields form={form} set={set} errorOf={errorOf} />
          )}
        </fieldset>
        <Failure error={store.error} />
        <div className={styles.actions}>
          {isWhole && (
            <Button type="submit" loading={store.isPending}>
              {t("templates.submit")}
            </Button>
          )}
          {isWhole && (
            <Button variant="default" disabled={store.isPending} onClick={() => go(false)}>
              {t("save")}
            </Button>
          )}
          {stored && (
            <Asking
              label={t("templates.remove")}
              name={stored.nombre}
              question={t("templates.removeAsk", { name: stored.nombre })}
              act={archive}
              onDone={toList}
            />
          )}
        </div>
      </form>
      <PhonePreview form={form} />
      {question}
    </div>
  );
}
