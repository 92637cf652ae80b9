import type { Schema } from "../../../../infra/http/routing/schema.ts";

/** What the endpoints that send a template to one recipient share. */

export const parameters = {
  type: "array",
  maxItems: 100,
  items: { type: "string", maxLength: 4_096 },
  default: [],
  "x-error": "parameters debe ser un arreglo",
} as const satisfies Schema;

export const unreachable = "Error: la plataforma de mensajes no está disponible; no se envió nada";
export const uncertain = "Error: no se sabe si la plataforma aceptó el mensaje; su estado se conocerá después";
