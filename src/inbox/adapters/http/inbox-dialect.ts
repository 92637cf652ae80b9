import { heldTo, type KeyCaller, type UserCaller, userIn } from "../../../infra/http/routing/caller.ts";
import { coded, codedDialect, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { codedFailure, objectWith, text } from "../../../infra/http/routing/schema.ts";
import type { AgentNotFound, ChatTaken, ContactErased, DepartmentNotFound, Forbidden } from "../../domain/acting.ts";
import type {
  ContactMovedOn,
  ContactNotFound,
  HasNoNumber,
  NumberTaken,
  RefusedRowsNotFound,
  TagNotFound,
  WrongNumber,
} from "../../domain/contact.ts";
import type { ChatNotFound, MessageNotFound, Viewer } from "../../domain/visibility.ts";
import { namedToWire } from "../wire/inbox-wire.ts";
import { namedSchema } from "./inbox-schemas.ts";

export const common = { tag: "Inbox", auth: "key-or-session" } as const;
export const changing = { ...common, scope: "send" } as const;

export const viewerOf = (caller: KeyCaller | UserCaller): Viewer => ({
  businessId: caller.businessId,
  userId: userIn(caller),
  agentId: heldTo(caller),
});

const wrongField = { description: "A field is missing or wrong", schema: codedFailure };
export const failures = {
  400: wrongField,
  500: { description: "Unexpected failure", schema: codedFailure },
} as const;
export const noChat = { description: "No such chat, or none that the caller may see", schema: codedFailure };

export const wrongNumber = "numero no es válido";
export const forbidden = { description: "The caller's role does not allow this", schema: codedFailure };
export const chatTaken = objectWith({ error: text, code: { const: "chat_taken" }, soporte: namedSchema });

/** The inbox's failures on the wire; each operation picks the ones that it can meet. */
const words = {
  chat_not_found: () => [404, coded("chat_not_found", "El chat no existe")],
  message_not_found: () => [404, coded("message_not_found", "El mensaje no existe")],
  contact_not_found: () => [404, coded("contact_not_found", "El contacto no existe")],
  moved_on: () => [412, coded("moved_on", "El contacto cambió")],
  wrong_number: () => [400, coded("invalid_input", wrongNumber)],
  has_no_number: () => [409, coded("has_no_number", "Este contacto escribe por un canal sin números")],
  number_taken: () => [409, coded("number_taken", "Otro contacto ya tiene ese número")],
  file_not_found: () => [404, coded("file_not_found", "El archivo no existe")],
  tag_not_found: () => [404, coded("tag_not_found", "La etiqueta no existe")],
  agent_not_found: () => [404, coded("agent_not_found", "El agente no existe")],
  department_not_found: () => [404, coded("department_not_found", "El departamento no existe")],
  contact_erased: () => [409, coded("contact_erased", "Los datos del contacto fueron borrados")],
  forbidden: () => [403, coded("forbidden", "No tienes permiso para hacerlo")],
  chat_taken: ({ holder }) => [
    409,
    { ...coded("chat_taken", `El chat lo tiene ${holder.name}`), soporte: namedToWire(holder) },
  ],
} as const satisfies Partial<
  Dialect<
    | RefusedRowsNotFound
    | HasNoNumber
    | ContactMovedOn
    | ContactNotFound
    | NumberTaken
    | WrongNumber
    | ChatNotFound
    | MessageNotFound
    | TagNotFound
    | AgentNotFound
    | DepartmentNotFound
    | Forbidden
    | ChatTaken
    | ContactErased
  >
>;

type Words = typeof words;

/** The dialect of an operation that has these failures in addition to the common ones. */
export const meeting = <const Codes extends readonly (keyof Words)[]>(...codes: Codes) =>
  ({
    ...codedDialect,
    ...Object.fromEntries(codes.map((code) => [code, words[code]])),
  }) as typeof codedDialect & Pick<Words, Codes[number]>;
