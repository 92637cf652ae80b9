import { heldTo, type KeyCaller, type UserCaller } from "../../../infra/http/routing/caller.ts";
import { coded, codedDialect, type Dialect, type InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { codedFailure } from "../../../infra/http/routing/schema.ts";
import type { EditContactFailure } from "../../application/contacts/manage-contacts.ts";
import type {
  AdministratorsOnly,
  ContactNotFound,
  NumberTaken,
  RefusedRowsNotFound,
  TagNotFound,
} from "../../domain/contact.ts";
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

const noContact = () => [404, coded("contact_not_found", "El contacto no existe")] as const;
const noTag = () => [404, coded("tag_not_found", "Una etiqueta no existe")] as const;
const taken = () => [409, coded("number_taken", "Otro contacto ya tiene ese número")] as const;
const forbidden = () => [403, coded("forbidden", "Solo un administrador puede hacerlo")] as const;
const noFile = () => [404, coded("file_not_found", "El archivo no existe")] as const;

export const contactDialects = {
  list: { ...codedDialect, forbidden } satisfies Dialect<InvalidInput | AdministratorsOnly>,
  read: { ...codedDialect, contact_not_found: noContact } satisfies Dialect<InvalidInput | ContactNotFound>,
  create: { ...codedDialect, tag_not_found: noTag, number_taken: taken } satisfies Dialect<
    InvalidInput | TagNotFound | NumberTaken
  >,
  change: {
    ...codedDialect,
    contact_not_found: noContact,
    tag_not_found: noTag,
    number_taken: taken,
  } satisfies Dialect<InvalidInput | EditContactFailure>,
  erase: { ...codedDialect, contact_not_found: noContact, forbidden } satisfies Dialect<
    InvalidInput | ContactNotFound | AdministratorsOnly
  >,
  import: { ...codedDialect, forbidden } satisfies Dialect<InvalidInput | AdministratorsOnly>,
  refusedRows: { ...codedDialect, forbidden, file_not_found: noFile } satisfies Dialect<
    InvalidInput | AdministratorsOnly | RefusedRowsNotFound
  >,
} as const;
