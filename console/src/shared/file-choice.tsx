import { Button, Group, Input } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Failure } from "../settings/page.tsx";
import { FileButton } from "./file-button.tsx";
import styles from "./file-choice.module.css";
import { upload } from "./upload.ts";

interface FileChoiceProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** The URL of the file; empty if there is none. */
  readonly address: string;
  /** The media type; null if only the URL is known. */
  readonly type: string | null;
  readonly onChange: (address: string, type: string) => void;
}

const isPicture = (address: string, type: string | null): boolean =>
  type === null ? /\.(png|jpe?g|webp|gif)$/i.test(address) : type.startsWith("image/");

/** Uploads a file as soon as it is chosen. Pictures get a preview. */
export function FileChoice({ label, hint, error, address, type, onChange }: FileChoiceProps) {
  const { t } = useTranslation();
  const sending = useMutation({
    mutationFn: (file: File) => upload(file, file.name, () => {}).stored,
    onSuccess: (stored, file) => onChange(stored, file.type),
  });
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
          <Button variant="subtle" size="compact-sm" onClick={() => onChange("", "")}>
            {t("file.none")}
          </Button>
        )}
      </Group>
      {error && <Input.Error mt={6}>{error}</Input.Error>}
      <Failure error={sending.error} />
    </fieldset>
  );
}
