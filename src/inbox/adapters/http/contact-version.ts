import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ifMatchOf } from "../../../infra/http/entity-tags.ts";
import { Reply } from "../../../infra/http/routing/route.ts";
import type { ListedContact } from "../../application/contacts/ports.ts";
import type { WholeContact } from "../../application/events.ts";
import { listedContactToWire, wholeContactToWire } from "../wire/inbox-wire.ts";

/** As responses document it. */
export const etagHeader = { ETag: "Changes with what is shown of the contact" } as const;

/** Of the contact itself: its chats are not the same for all callers. */
function etagOf(contact: WholeContact): string {
  const content = JSON.stringify(Object.entries(wholeContactToWire(contact)).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

/** An answer that names the version of its contact. */
export const tagged = (contact: ListedContact): Reply =>
  new Reply(200, listedContactToWire(contact), { ETag: etagOf(contact) });

/** Whether a contact is one that `If-Match` names; null where any may be changed. */
export function expectedIn(headers: IncomingHttpHeaders): ((contact: WholeContact) => boolean) | null {
  const tags = ifMatchOf(headers);
  return tags === null || tags === "any" ? null : (contact) => tags.includes(etagOf(contact));
}
