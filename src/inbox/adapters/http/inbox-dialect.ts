import { heldTo, type KeyCaller, type UserCaller } from "../../../infra/http/routing/caller.ts";
import { coded, codedDialect, type Dialect, type InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { codedFailure } from "../../../infra/http/routing/schema.ts";
import type { ChatNotFound, MessageNotFound, Viewer } from "../../domain/visibility.ts";

/** What all operations of the inbox have in common. */
export const common = { tag: "Inbox", auth: "key-or-session" } as const;

export const viewerOf = (caller: KeyCaller | UserCaller): Viewer => ({
  businessId: caller.businessId,
  userId: "userId" in caller ? caller.userId : null,
  agentId: heldTo(caller),
});

export const failures = { 500: { description: "Unexpected failure", schema: codedFailure } } as const;
export const wrongField = { description: "A field is missing or wrong", schema: codedFailure };
export const noChat = { description: "No such chat, or none that the caller may see", schema: codedFailure };

export const inboxDialect = {
  ...codedDialect,
  chat_not_found: () => [404, coded("chat_not_found", "El chat no existe")],
  message_not_found: () => [404, coded("message_not_found", "El mensaje no existe")],
} as const satisfies Dialect<InvalidInput | ChatNotFound | MessageNotFound>;
