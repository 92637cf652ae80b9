import { timestamp } from "../../../infra/http/routing/schema.ts";
import { emailPattern } from "../../../kernel/text.ts";
import { flag, references, requiredName } from "../../adapters/http/fields.ts";
import { invitationSchema, invitationToWire } from "../../adapters/http/invitation-on-wire.ts";
import type { FieldOnWire, RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Invitation } from "../../application/user-access.ts";
import type { User } from "./record.ts";

const expiresAt: FieldOnWire<string> = { name: "expires_at", schema: timestamp, readOnly: true };

export const invitationsOnWire: RecordOnWire<{ readonly expiresAt: string }> = {
  path: "user-invitations",
  entity: "user",
  one: "UserInvitation",
  many: "UserInvitations",
  fields: { expiresAt },
};

/** The audit's format for a session that an operator opened, and for the number of sessions that ended. */
export const sessionsOnWire: RecordOnWire<{ readonly expiresAt: string; readonly sessions: number }> = {
  path: "user-sessions",
  entity: "user",
  one: "UserSession",
  many: "UserSessions",
  fields: { expiresAt, sessions: { name: "sessions", schema: { type: "integer" }, readOnly: true } },
};

const longestEmail = 320;
const largestRole = 32_767;

export const usersOnWire: RecordOnWire<User> = {
  path: "users",
  entity: "user",
  one: "User",
  many: "Users",
  fields: {
    name: requiredName("nombre"),
    email: {
      name: "email",
      schema: {
        type: "string",
        pattern: String.raw`^\s*${emailPattern}\s*$`,
        maxLength: longestEmail,
        example: "ana@example.com",
      },
      read: (input: string) => input.trim().toLowerCase(),
    },
    roleId: { name: "role_id", schema: { type: "integer", minimum: 1, maximum: largestRole, example: 5 } },
    departmentIds: references("departamentos", "department"),
    branchIds: references("sucursales", "branch"),
    active: { ...flag("activo", true), keptIfLeftOut: true },
  },
  matching: { by: ["email"] },
  filters: ["roleId", "active"],
  shownOnce: { invitation: invitationSchema },
  shownOnceToWire: ({ invitation }) => ({ invitation: invitationToWire(invitation as Invitation) }),
  rules: [
    "`role_id` 1 is an administrator and 5 an agent. Other roles have no special rights or limits.",
    "An `email` can belong to only one user in the whole installation; case does not matter. An e-mail that is in use is a 409 " +
      "`taken`, which does not say by whom. Archiving a user frees the e-mail.",
    "`departamentos` are the departments that have the user in their `agentes`. Changing either side gives both records a new " +
      "version and an audit entry; the entry of the other side has that field only.",
    "The answer to a creation has an invitation for `POST /auth/invitation`; the caller has to deliver it to the user. Changing " +
      "`email` cancels an invitation that was not accepted yet.",
    "An imported user has no password either, and needs an invitation by `POST /admin/users/{id}/invite`.",
    "A business must have at least one active administrator: 409 `last_administrator`. An administrator with a password cannot " +
      "leave before another active one has a password; an invitation that was not accepted does not count.",
    "Deactivating or archiving a user, or removing the agent's role, ends the user's sessions and sockets at once and returns the " +
      "user's open chats and tickets to the waiting lines of their departments.",
  ],
};
