import { useTranslation } from "react-i18next";
import type { OnUploading } from "../shared/use-upload.ts";
import type { FieldName, StepFields } from "./step-fields.ts";
import type { Step } from "./steps.ts";

export interface FieldProps {
  readonly name: FieldName;
  readonly fields: StepFields;
  /** Null for a new step. */
  readonly id: number | null;
  readonly steps: readonly Step[];
  readonly error: string | undefined;
  readonly set: (change: Partial<StepFields>) => void;
  readonly onUploading: OnUploading;
}

/** Fields whose labels need no help text. */
const unexplained = ["tipo", "descripcion", "inicio", "check_sucursal"] as const;
type Explained = Exclude<FieldName, (typeof unexplained)[number]>;
const isExplained = (name: FieldName): name is Explained => !unexplained.some((each) => each === name);

export function useSaid({ name, error }: Pick<FieldProps, "name" | "error">) {
  const { t } = useTranslation("steps");
  return { label: t(`fields.${name}`), description: isExplained(name) ? t(`helps.${name}`) : undefined, error };
}
