import { Button, Group, Input } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Failure } from "../settings/page.tsx";
import { FileButton } from "./file-button.tsx";
import styles from "./file-choice.module.css";
import { type OnUploading, useUpload } from "./use-upload.ts";

interface FileChoiceProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** The URL of the file; empty if there is none. */
  readonly address: string;
  /** The media type; null if only the URL is known. */
  readonly type: string | null;
  readonly onChange: (address: string, type: string) => void;
  readonly onUploading: OnUploading;
}

const isPicture = (address: string, type: string | null): boolean =>
  type === null ? /\.(png|jpe?g|webp|gif)$/i.test(address) : type.startsWith("image/");

/** Uploads a file as soon as it is chosen. Pictures get a preview. */
export function FileChoice({ label, hint, error, address, type, onChange, onUploading }: FileChoiceProps) {
  const { t } = useTranslation();
  const sending = useUpload((stored, file) => onChange(stored, file.type), onUploading);
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.label}>{label}</legend>
      {hint && <Input.Description mb={6}>{hint}</Input.Description>}
      {address && isPicture(address, type) && (
        <img src={address} alt={t("file.picture", { name: label })} className={styles.picture} />
      )}
      <Group gap="xs">
        {address && (
          <a href={address} target="_blank" rel="noreferrer">
            {t("file.see")}
          </a>
        )}
        <FileButton onChoose={(file) => sending.mutate(file)}>
          {(props) => (
            <Button {...props} variant="default" size="compact-sm" loading={sending.isPending}>
              {t(address ? "file.other" : "file.choose")}
            </Button>
          )}
        </FileButton>
        {address && (
          <Button variant="subtle" size="compact-sm" disabled={sending.isPending} onClick={() => onChange("", "")}>
            {t("file.none")}
          </Button>
        )}
      </Group>
      {error && <Input.Error mt={6}>{error}</Input.Error>}
      <Failure error={sending.error} />
    </fieldset>
  );
}
