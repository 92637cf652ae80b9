import { FileChoice } from "../shared/file-choice.tsx";
import { type FieldProps, useSaid } from "./field-props.ts";

/** The file that is sent with the text. */
export function FileField({ name, error, fields, set, onUploading }: FieldProps) {
  const { label, description } = useSaid({ name, error });
  return (
    <FileChoice
      label={label}
      hint={description}
      error={error}
      address={fields.media_url}
      type={fields.media_tipo}
      onChange={(address, type) => set({ media_url: address, media_tipo: type, media: "" })}
      onUploading={onUploading}
    />
  );
}
