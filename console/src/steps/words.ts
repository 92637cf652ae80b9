import { useTranslation } from "react-i18next";
import type { IconName } from "../shared/icons.tsx";
import type { Step, StepType } from "./steps.ts";

export const typeIcons: Readonly<Record<StepType, IconName>> = {
  ticket: "assign",
  mensaje: "chat",
  pregunta: "edit",
  botones: "quick",
  opciones: "filter",
  media: "picture",
  catalogo: "orders",
  ubicacion: "place",
  sucursal: "inbox",
  pedido: "orders",
  pago: "check",
  flow: "template",
  ia: "emoji",
  fin: "done",
};

export function useStepWords() {
  const { t } = useTranslation("steps");
  const type = ({ tipo }: Pick<Step, "tipo">): string => t(`types.${tipo}.title`);
  return {
    type,
    /** The accessible name and the tooltip of the step's box in the diagram. */
    summary: (step: Step): string =>
      [step.nombre, type(step), step.inicio && t("start"), step.loop && t("repeats")].filter(Boolean).join(", "),
  };
}
