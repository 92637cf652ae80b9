import { heldTo, type KeyCaller, type UserCaller } from "../../../infra/http/routing/caller.ts";
import { coded, codedDialect, type Dialect, type InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { codedFailure } from "../../../infra/http/routing/schema.ts";
import type { EditContactFailure } from "../../application/contacts/manage-contacts.ts";
import type { AdministratorsOnly, RefusedRowsNotFound } from "../../domain/contact.ts";
import type { ChatNotFound, MessageNotFound, Viewer } from "../../domain/visibility.ts";

/** What all operations of the inbox have in common. */
export const common = { tag: "Inbox", auth: "key-or-session" } as const;

export const viewerOf = (caller: KeyCaller | UserCaller): Viewer => ({
  businessId: caller.businessId,
  userId: "userId" in caller ? caller.userId : null,
  agentId: heldTo(caller),
});

export const failures = {
  401: { description: "Nobody is known by this key or token", schema: codedFailure },
  500: { description: "Unexpected failure", schema: codedFailure },
} as const;
export const wrongField = { description: "A field is missing or wrong", schema: codedFailure };
export const noChat = { description: "No such chat, or none that the caller may see", schema: codedFailure };

export const inboxDialect = {
  ...codedDialect,
  chat_not_found: () => [404, coded("chat_not_found", "El chat no existe")],
  message_not_found: () => [404, coded("message_not_found", "El mensaje no existe")],
} as const satisfies Dialect<InvalidInput | ChatNotFound | MessageNotFound>;

export const contactDialect = {
  ...codedDialect,
  contact_not_found: () => [404, coded("contact_not_found", "El contacto no existe")],
  tag_not_found: () => [404, coded("tag_not_found", "Una etiqueta no existe")],
  number_taken: () => [409, coded("number_taken", "Otro contacto ya tiene ese número")],
  forbidden: () => [403, coded("forbidden", "Solo un administrador puede hacerlo")],
  file_not_found: () => [404, coded("file_not_found", "El archivo no existe")],
} as const satisfies Dialect<InvalidInput | EditContactFailure | AdministratorsOnly | RefusedRowsNotFound>;
