import { useTranslation } from "react-i18next";
import type { FieldName, StepFields } from "./step-fields.ts";
import type { Step } from "./steps.ts";

export interface FieldProps {
  readonly name: FieldName;
  readonly fields: StepFields;
  /** Of the step; null for one that is not made yet. */
  readonly id: number | null;
  readonly steps: readonly Step[];
  readonly error: string | undefined;
  readonly set: (change: Partial<StepFields>) => void;
}

/** The label, the help and what is wrong. */
export function useSaid({ name, error }: Pick<FieldProps, "name" | "error">) {
  const { t } = useTranslation("steps");
  const help: string = t(`helps.${name}`);
  return { label: t(`fields.${name}`), description: help === "" ? undefined : help, error };
}
