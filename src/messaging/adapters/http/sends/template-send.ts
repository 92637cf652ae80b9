import type { Schema } from "../../../../infra/http/routing/schema.ts";

export const parameters = {
  type: "array",
  maxItems: 100,
  items: { type: "string", maxLength: 4_096 },
  default: [],
  "x-error": "parameters debe ser un arreglo",
} as const satisfies Schema;

export const unreachable = "Error: la plataforma de mensajes no está disponible; no se envió nada";
export const uncertain = "Error: no se sabe si la plataforma aceptó el mensaje; su estado se conocerá después";

/** Describes the response header of a send in the API document. */
export const messageIdHeader = { "X-Message-Id": "The platform's id of the message" } as const;

export const messageIdIn = (headers: Readonly<Record<string, string>>): string | undefined => headers["X-Message-Id"];

/** The header with the sent message's id; empty if the id is not valid in a header. */
export const messageIdHeaders = (platformMessageId: string): Record<string, string> =>
  /^[\x21-\x7e]{1,512}$/.test(platformMessageId) ? { "X-Message-Id": platformMessageId } : {};
