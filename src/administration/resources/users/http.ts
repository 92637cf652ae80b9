import { flag, references, requiredName } from "../../adapters/http/fields.ts";
import { invitationSchema, invitationToWire } from "../../adapters/http/invitation-on-wire.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Invitation } from "../../application/user-access.ts";
import { type User, userMatching } from "./record.ts";

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
        pattern: String.raw`^\s*[^\s@]+@[^\s@]+\s*$`,
        maxLength: longestEmail,
        example: "ana@example.com",
      },
      read: (input: string) => input.trim().toLowerCase(),
    },
    roleId: { name: "role_id", schema: { type: "integer", minimum: 1, maximum: largestRole, example: 5 } },
    departmentIds: references("departamentos", "department"),
    branchIds: references("sucursales", "branch"),
    active: flag("activo", true),
  },
  matching: userMatching,
  shownOnce: { invitation: invitationSchema },
  shownOnceToWire: ({ invitation }) => ({ invitation: invitationToWire(invitation as Invitation) }),
  rules: [
    "`role_id` 1 is an administrator, 5 an agent; others have no rules of their own.",
    "An `email` is one user's in all of the installation, without regard to case: another's is a 409 `taken`, whose it is " +
      "is not told. A user who is archived leaves it free.",
    "`departamentos` are those whose `agentes` name the user: a change of either side counts up the version of both, and " +
      "stands in the audit of both, with that field alone of the one that was not written.",
    "A new user gets an invitation, which `POST /auth/invitation` accepts; taking it to them is the caller's part. Another " +
      "`email` ends an invitation that was not accepted yet.",
    "A user who comes in by a file has no password either, and is invited by `POST /admin/users/{id}/invite`.",
    "A business keeps one active administrator at least: 409 `last_administrator`.",
    "Deactivating or archiving a user, and taking the agent's role from one, ends the user's sessions and sockets at once " +
      "and hands the open chats and tickets to the waiting lines of their departments.",
  ],
};
