import { Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { OnUploading } from "../shared/use-upload.ts";
import { HeaderFields } from "./header-fields.tsx";
import { TemplateButtons } from "./template-buttons.tsx";
import { placeholdersIn, type TemplateForm } from "./template-form.ts";

interface Props {
  readonly form: TemplateForm;
  readonly set: (changes: Partial<TemplateForm>) => void;
  readonly errorOf: (field: string) => string | undefined;
  readonly onUploading: OnUploading;
}

/** The fields of a template that is not for one-time codes. */
export function MessageFields({ form, set, errorOf, onUploading }: Props) {
  const { t } = useTranslation("connections");
  const examples = (part: "header" | "body") =>
    placeholdersIn(form[part]).map((name) => (
      <TextInput
        key={`${part}.${name}`}
        label={t("templates.example", { name: `{{${name}}}` })}
        value={form.examples[`${part}.${name}`] ?? ""}
        error={errorOf(`${part}.${name}`)}
        onChange={(event) => set({ examples: { ...form.examples, [`${part}.${name}`]: event.currentTarget.value } })}
      />
    ));
  return (
    <>
      <HeaderFields form={form} set={set} errorOf={errorOf} examples={examples("header")} onUploading={onUploading} />
      <Textarea
        label={t("templates.body")}
        description={`${t("templates.bodyHint", { open: "{{", close: "}}" })} ${[...form.body].length}/1024`}
        required
        rows={5}
        value={form.body}
        error={errorOf("body")}
        onChange={(event) => set({ body: event.currentTarget.value })}
      />
      {examples("body")}
      <TextInput
        label={t("templates.footer")}
        description={`${[...form.footer].length}/60`}
        value={form.footer}
        error={errorOf("footer")}
        onChange={(event) => set({ footer: event.currentTarget.value })}
      />
      <TemplateButtons buttons={form.buttons} onChange={(buttons) => set({ buttons })} errorOf={errorOf} />
    </>
  );
}
