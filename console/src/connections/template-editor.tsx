import { Button, Select, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, useChange } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import styles from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { Frozen } from "../shared/frozen.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { queryClient } from "../shared/query.ts";
import { type Read, useRecordForm } from "../shared/record-form.ts";
import { useIsShown } from "../shared/use-is-shown.ts";
import { CodeFields } from "./code-fields.tsx";
import own from "./connections.module.css";
import { MessageFields } from "./message-fields.tsx";
import { PhonePreview } from "./phone-preview.tsx";
import {
  categories,
  emptyForm,
  formOf,
  isMedia,
  isOfCode,
  structureOf,
  type TemplateForm,
  violationsOf,
  wordsOf,
} from "./template-form.ts";
import { fetchTemplate, key, type StoredRecord } from "./templates.ts";

const languages = ["es", "es_MX", "es_AR", "es_ES", "en", "en_US", "pt_BR", "pt_PT"];

const empty: Read<TemplateForm> = { fields: emptyForm, version: null };

const readOf = ({ nombre, template, descripcion, record_version }: StoredRecord): Read<TemplateForm> => ({
  fields: formOf(nombre, template, descripcion).form,
  version: record_version,
});

/** The header's type. If the example file (`media`) is a URL, sent messages have this file in their header. */
const fileOf = ({ headerKind, media }: TemplateForm) => ({
  type: headerKind === "NONE" ? null : headerKind,
  ...(isMedia(headerKind) && /^https?:/i.test(media) && { archivo_nombre: media }),
});

const labels = {
  name: "name",
  language: "language",
  category: "category",
  headerKind: "headerKind",
  header: "header",
  media: "media",
  body: "body",
  footer: "footer",
  buttons: "buttons",
  examples: "examples",
  code: "codeParts",
} as const satisfies Record<keyof TemplateForm, string>;

const unwritten: ReadonlySet<string> = new Set(["missing", "example", "media"]);

interface EditorProps {
  readonly stored: StoredRecord | null;
  /** Whether the template may be edited and the editor supports all of its parts. */
  readonly isWhole: boolean;
}

/** A template's form with its preview. */
export function TemplateEditor({ stored, isWhole }: EditorProps) {
  const { t } = useTranslation("connections");
  const navigate = useNavigate();
  /** The record as it was last read or saved. A save sends this record's values for fields that the form lacks. */
  const [record, setRecord] = useState(stored);
  const [isChecked, setChecked] = useState(false);
  const submits = useRef(false);
  const submission = useChange(key, async ({ id, sent }: { readonly id: number; readonly sent: TemplateForm }) => {
    try {
      await answered(api.POST("/admin/templates/{id}/submit", { params: { path: { id } } }));
    } catch (error) {
      // The record is read again, since even a refused submission changes its version.
      const now = await fetchTemplate(id).catch(() => null);
      if (now) {
        setRecord(now);
        editing.reset(readOf(now), sent);
      }
      throw error;
    }
    toList();
  });
  const start = stored ? readOf(stored) : empty;
  const editing = useRecordForm<TemplateForm, StoredRecord>(start, {
    save: (given, header) => {
      const body = {
        ...record,
        nombre: given.name,
        template: structureOf(given),
        descripcion: wordsOf(given),
        ...fileOf(given),
      };
      if (record === null) return answered(api.POST("/admin/templates", { body }));
      return answered(api.PUT("/admin/templates/{id}", { params: { path: { id: record.id }, header }, body }));
    },
    readAgain: async () => {
      if (record === null) return empty;
      // This read leaves the cached template as it is. If a colleague has submitted the template and the cache showed
      // that, the page would replace this editor, and the typed text would be lost.
      const now = await fetchTemplate(record.id);
      setRecord(now);
      return readOf(now);
    },
    refresh: () => {
      // If a submission follows the save, the list is read again only after the submission.
      if (!submits.current) void queryClient.invalidateQueries({ queryKey: ["admin", key] });
    },
    onSaved: (saved, sent) => {
      // The form stays open after a refused submission. The next save must change this template, not create another.
      setRecord(saved);
      editing.reset(readOf(saved), sent);
      if (submits.current) submission.mutate({ id: saved.id, sent });
      else toList();
    },
  });
  const { fields: form, set } = editing;
  const violations = violationsOf(form);
  const isValid = Object.keys(violations).length === 0;
  const isPending = editing.isSaving || submission.isPending;
  const archive = useChange(key, () =>
    api.DELETE("/admin/templates/{id}", { params: { path: { id: stored?.id ?? 0 } } }),
  );
  const { release, question } = useLeaving(isWhole && editing.isChanged);
  const isShown = useIsShown();
  const toList = (): void => {
    // The user may have left the page during the request.
    if (!isShown()) return;
    release();
    void navigate({ to: "/settings/templates", replace: stored === null });
  };
  const go = (isSubmission: boolean): void => {
    setChecked(true);
    if (!isValid || isPending || editing.isUploading) return;
    submission.reset();
    submits.current = isSubmission;
    editing.save();
  };
  const errorOf = (field: string): string | undefined => {
    const broken = violations[field];
    // Empty fields are shown as errors only after the first attempt to save or submit.
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
        <MovedOn clashes={editing.clashes?.map((name) => t(`templates.${labels[name]}`)) ?? null} />
        <fieldset disabled={!isWhole} style={{ display: "contents" }}>
          <Frozen when={isPending}>
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
              <MessageFields form={form} set={set} errorOf={errorOf} onUploading={editing.onUploading} />
            )}
          </Frozen>
        </fieldset>
        <Failure error={editing.error ?? submission.error} />
        <div className={styles.actions}>
          {isWhole && (
            <Button type="submit" loading={isPending} disabled={editing.isUploading}>
              {t("templates.submit")}
            </Button>
          )}
          {isWhole && (
            <Button variant="default" disabled={isPending || editing.isUploading} onClick={() => go(false)}>
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
