import "./texts.ts";
import { Alert, Button, Group, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ownAddress } from "../inbox/media.ts";
import { useWordsOf } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import settings from "../settings/settings.module.css";
import { answered, api, type paths, Refused } from "../shared/api.ts";
import { FileButton } from "../shared/file-button.tsx";
import { Initials } from "../shared/initials.tsx";
import type { IfMatch } from "../shared/record-form.ts";
import { type OnUploading, useUpload } from "../shared/use-upload.ts";
import styles from "./business.module.css";
import { SaveFoot, type SingleForm, SingleRecordPage } from "./single-record.tsx";

type Business = paths["/admin/business"]["get"]["responses"][200]["content"]["application/json"];
type Fields = Pick<Business, "nombre" | "img_wa" | "timezone">;

const source = {
  place: "business",
  read: () => answered(api.GET("/admin/business")),
  save: (body: Fields, header: IfMatch) => answered(api.PUT("/admin/business", { params: { header }, body })),
  readOf: ({ nombre, img_wa, timezone, version }: Business) => ({ fields: { nombre, img_wa, timezone }, version }),
} as const;

export const BusinessScreen = () => <SingleRecordPage source={source} form={BusinessForm} />;

const words = { nombre: "name", img_wa: "picture", timezone: "zone" } as const;

function BusinessForm({ form }: { readonly form: SingleForm<Fields> }) {
  const { t } = useTranslation("people");
  const { fields, set } = form;
  const zones = [...new Set([fields.timezone, ...Intl.supportedValuesOf("timeZone")])];
  return (
    <form onSubmit={form.submit} className={settings.form}>
      <MovedOn clashes={form.clashes?.map((name) => t(`business.${words[name]}`)) ?? null} />
      <div className={styles.card}>
        <Picture
          name={fields.nombre}
          url={fields.img_wa}
          onChange={(img_wa) => set({ img_wa })}
          onUploading={form.onUploading}
        />
        <div className={styles.two}>
          <TextInput
            required
            maxLength={200}
            label={t("business.name")}
            value={fields.nombre}
            onChange={(event) => set({ nombre: event.currentTarget.value })}
          />
          <Select
            searchable
            allowDeselect={false}
            limit={100}
            label={t("business.zone")}
            description={t("business.zoneHint")}
            inputWrapperOrder={["label", "input", "description", "error"]}
            data={zones}
            value={fields.timezone}
            onChange={(timezone) => timezone && set({ timezone })}
          />
        </div>
      </div>
      <SaveFoot form={form} isValid={fields.nombre.trim() !== ""} />
    </form>
  );
}

interface PictureProps {
  readonly name: string;
  readonly url: string | null;
  readonly onChange: (url: string | null) => void;
  readonly onUploading: OnUploading;
}

function Picture({ name, url, onChange, onUploading }: PictureProps) {
  const { t } = useTranslation("people");
  const wordsOf = useWordsOf();
  const [broken, setBroken] = useState<string | null>(null);
  const send = useUpload(onChange, onUploading);
  return (
    <div>
      <div className={styles.picture}>
        {url !== null && broken !== url ? (
          <img
            src={ownAddress(url) ?? url}
            alt={t("business.picture")}
            width={72}
            height={72}
            onError={() => setBroken(url)}
          />
        ) : (
          <Initials name={name} size={72} />
        )}
        <div className={settings.what}>
          <Group gap="xs">
            <FileButton accept="image/jpeg,image/png" onChoose={(file) => send.mutate(file)}>
              {(props) => (
                <Button variant="default" size="sm" loading={send.isPending} {...props}>
                  {t("business.upload")}
                </Button>
              )}
            </FileButton>
            {url !== null && (
              <Button variant="subtle" size="sm" disabled={send.isPending} onClick={() => onChange(null)}>
                {t("business.remove")}
              </Button>
            )}
          </Group>
          <p className={settings.detail}>{t("business.pictureHint")}</p>
        </div>
      </div>
      {send.error && (
        <Alert color="red" variant="light" role="alert" mt="xs">
          {t("business.uploadFailed")} {send.error instanceof Refused && wordsOf(send.error)}
        </Alert>
      )}
    </div>
  );
}
