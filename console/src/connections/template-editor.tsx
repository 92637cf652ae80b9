import "./texts.ts";
import { Alert, Button, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, Loading, Page, useChange, usePlaceTitle } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api, type paths } from "../shared/api.ts";
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
import { TemplateState } from "./templates-screen.tsx";

const languages = ["es", "es_MX", "es_AR", "es_ES", "en", "en_US", "pt_BR", "pt_PT"];
const key = "templates";
/** While the platform reviews it. */
const watchMs = 3_000;

export function TemplateScreen() {
  const { template } = useParams({ strict: false }) as { template: string };
  const { t } = useTranslation("connections");
  const placeTitle = usePlaceTitle("templates");
  const id = template === "new" ? null : Number(template);
  const { data, error } = useQuery({
    queryKey: ["admin", key, "one", id],
    enabled: id !== null,
    queryFn: ({ signal }) => answered(api.GET("/admin/templates/{id}", { params: { path: { id: id ?? 0 } }, signal })),
    refetchInterval: ({ state }) => (state.data?.state === "PENDING" ? watchMs : false),
  });
  if (id === null) {
    return (
      <Page place="templates" title={t("templates.newTitle")}>
        <Editor key="new" first={emptyForm} stored={null} isWhole />
      </Page>
    );
  }
  return (
    <Page
      place="templates"
      title={data?.nombre ?? placeTitle}
      action={data && <TemplateState state={data.state ?? "no_status"} />}
    >
      <Failure error={error} />
      {!data && !error && <Loading />}
      {data && <Stored key={id} record={data} />}
    </Page>
  );
}

type Body = NonNullable<paths["/admin/templates"]["post"]["requestBody"]>["content"]["application/json"];

type StoredRecord = paths["/admin/templates/{id}"]["get"]["responses"][200]["content"]["application/json"];

function Stored({ record }: { readonly record: StoredRecord }) {
  const { t } = useTranslation("connections");
  const { form, isWhole } = formOf(record.nombre, record.template, record.descripcion);
  const isLocked = record.state === "PENDING" || record.state === "APPROVED";
  return (
    <>
      {record.rejected_reason && record.state !== "APPROVED" && (
        <Alert color="red" variant="light" role="alert">
          {t("templates.reason", { reason: record.rejected_reason })}
        </Alert>
      )}
      {isLocked && (
        <Alert color="gray" variant="light">
          {t("templates.locked")}
        </Alert>
      )}
      {!isWhole && (
        <Alert color="gray" variant="light">
          {t("templates.foreign")}
        </Alert>
      )}
      <Editor
        key={String(isLocked)}
        first={form}
        stored={record}
        isWhole={isWhole && !isLocked && record.tipo === "Cloud"}
      />
    </>
  );
}

async function kept(id: number | null, body: Body): Promise<number> {
  if (id === null) return (await answered(api.POST("/admin/templates", { body }))).id;
  await answered(api.PUT("/admin/templates/{id}", { params: { path: { id } }, body }));
  return id;
}

/** What sends put into the header, where the example is an address. */
const fileOf = ({ headerKind, media }: TemplateForm) => ({
  type: headerKind === "NONE" ? null : headerKind,
  ...(isMedia(headerKind) && /^https?:/i.test(media) && { archivo_nombre: media }),
});

const unwritten: ReadonlySet<string> = new Set(["missing", "example", "media"]);

interface EditorProps {
  readonly first: TemplateForm;
  readonly stored: StoredRecord | null;
  /** Whether it can be changed here. */
  readonly isWhole: boolean;
}

function Editor({ first, stored, isWhole }: EditorProps) {
  const { t } = useTranslation("connections");
  const navigate = useNavigate();
  const [form, setForm] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const violations = violationsOf(form);
  const isValid = Object.keys(violations).length === 0;
  const set = (changes: Partial<TemplateForm>): void => setForm({ ...form, ...changes });
  const [madeId, setMadeId] = useState(stored?.id ?? null);
  const store = useChange(key, async (submits: boolean) => {
    // What the editor does not show stays as it is stored.
    const body = {
      ...stored,
      nombre: form.name,
      template: structureOf(form),
      descripcion: wordsOf(form),
      ...fileOf(form),
    };
    const id = await kept(madeId, body);
    // A second attempt after a refused submission changes this template; it makes no other.
    setMadeId(id);
    if (submits) await answered(api.POST("/admin/templates/{id}/submit", { params: { path: { id } } }));
  });
  const archive = useChange(key, () =>
    api.DELETE("/admin/templates/{id}", { params: { path: { id: stored?.id ?? 0 } } }),
  );
  const go = (submits: boolean): void => {
    setChecked(true);
    if (isValid) store.mutate(submits, { onSuccess: () => void navigate({ to: "/settings/templates" }) });
  };
  const errorOf = (field: string): string | undefined => {
    const broken = violations[field];
    // What was not written yet is no error before it is submitted.
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
              onDone={() => void navigate({ to: "/settings/templates" })}
            />
          )}
        </div>
      </form>
      <PhonePreview form={form} />
    </div>
  );
}
