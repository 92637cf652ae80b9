import { Button, FileButton, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Failure } from "../settings/page.tsx";
import { upload } from "../shared/upload.ts";
import { type FieldProps, useSaid } from "./field-props.ts";
import styles from "./steps.module.css";

/** The file that goes with the text. */
export function FileField({ name, error, fields, set }: FieldProps) {
  const { t } = useTranslation("steps");
  const { label, description } = useSaid({ name, error });
  const sending = useMutation({
    mutationFn: async (file: File) => ({
      media_url: await upload(file, file.name, () => {}).stored,
      media_tipo: file.type,
      media: "",
    }),
    onSuccess: set,
  });
  const address = fields.media_url;
  const isPicture = address !== "" && fields.media_tipo.startsWith("image/");
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{label}</legend>
      <p className={styles.help}>{description}</p>
      {isPicture && <img src={address} alt={t("file.picture")} className={styles.media} />}
      <Group gap="xs">
        {address && (
          <a href={address} target="_blank" rel="noreferrer">
            {t("file.see")}
          </a>
        )}
        <FileButton onChange={(file) => file && sending.mutate(file)}>
          {(props) => (
            <Button {...props} variant="default" size="compact-sm" loading={sending.isPending}>
              {t(address ? "file.other" : "file.choose")}
            </Button>
          )}
        </FileButton>
        {address && (
          <Button variant="subtle" size="compact-sm" onClick={() => set({ media_url: "", media_tipo: "", media: "" })}>
            {t("file.none")}
          </Button>
        )}
      </Group>
      {error && <p className={styles.wrong}>{error}</p>}
      <Failure error={sending.error} />
    </fieldset>
  );
}
