import { Button, Select, TextInput } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../settings/page.tsx";
import { FileButton } from "../shared/file-button.tsx";
import { type OnUploading, useUpload } from "../shared/use-upload.ts";
import { headerKinds, type MediaKind, mediaKinds, type TemplateForm } from "./template-form.ts";

/** The file types that the platform accepts. */
const accepted: Readonly<Record<MediaKind, string>> = {
  IMAGE: "image/jpeg,image/png",
  VIDEO: "video/mp4,video/3gpp",
  DOCUMENT: "application/pdf",
};

interface Props {
  readonly form: TemplateForm;
  readonly set: (changes: Partial<TemplateForm>) => void;
  readonly errorOf: (field: string) => string | undefined;
  /** Inputs for an example of each placeholder in the header's text. */
  readonly examples: ReactNode;
  readonly onUploading: OnUploading;
}

export function HeaderFields({ form, set, errorOf, examples, onUploading }: Props) {
  const { headerKind, header, media } = form;
  const { t } = useTranslation("connections");
  const kind = mediaKinds.find((each) => each === headerKind);
  return (
    <>
      <Select
        label={t("templates.headerKind")}
        data={headerKinds.map((value) => ({ value, label: t(`templates.headerKinds.${value}`) }))}
        value={headerKind}
        allowDeselect={false}
        onChange={(chosen) =>
          set({ headerKind: headerKinds.find((each) => each === chosen) ?? headerKind, header: "", media: "" })
        }
      />
      {headerKind === "TEXT" && (
        <>
          <TextInput
            label={t("templates.header")}
            description={`${[...header].length}/60`}
            value={header}
            error={errorOf("header")}
            onChange={(event) => set({ header: event.currentTarget.value })}
          />
          {examples}
        </>
      )}
      {kind && (
        <Media
          key={kind}
          kind={kind}
          media={media}
          error={errorOf("media")}
          onChange={(given) => set({ media: given })}
          onUploading={onUploading}
        />
      )}
    </>
  );
}

interface MediaProps {
  readonly kind: MediaKind;
  readonly media: string;
  readonly error: string | undefined;
  readonly onChange: (media: string) => void;
  readonly onUploading: OnUploading;
}

/** An example file for the header, for reviewers and the preview. */
function Media({ kind, media, error, onChange, onUploading }: MediaProps) {
  const { t } = useTranslation("connections");
  const store = useUpload(onChange, onUploading);
  const { cancel } = store;
  // Cancels the upload when the user chooses another kind of header or leaves, since the file is no longer needed.
  useEffect(() => cancel, [cancel]);
  return (
    <>
      <TextInput
        label={t("templates.media")}
        description={t("templates.mediaHint")}
        required
        value={media}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
      <FileButton accept={accepted[kind]} onChoose={(file) => store.mutate(file)}>
        {(props) => (
          <Button {...props} variant="default" style={{ alignSelf: "flex-start" }} loading={store.isPending}>
            {t("templates.chooseMedia")}
          </Button>
        )}
      </FileButton>
      <Failure error={store.error} />
    </>
  );
}
