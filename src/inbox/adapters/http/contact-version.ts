import type { IncomingHttpHeaders } from "node:http";
import { ifMatchOf, tagOfContent } from "../../../infra/http/entity-tags.ts";
import { Reply } from "../../../infra/http/routing/route.ts";
import type { ListedContact } from "../../application/contacts/ports.ts";
import type { WholeContact } from "../../application/events.ts";
import { listedContactToWire, wholeContactToWire } from "../wire/inbox-wire.ts";

export const etagHeader = { ETag: "Changes when any shown field of the contact changes" } as const;

/** Covers the contact without its chats, because callers see different chats. */
const etagOf = (contact: WholeContact): string =>
  tagOfContent(JSON.stringify(Object.entries(wholeContactToWire(contact)).sort(([a], [b]) => (a < b ? -1 : 1))));

export const tagged = (contact: ListedContact, status: 200 | 201 = 200): Reply =>
  new Reply(status, listedContactToWire(contact), { ETag: etagOf(contact) });

/** The check that the header `If-Match` asks for; null if the header is missing or `*`. */
export function expectedIn(headers: IncomingHttpHeaders): ((contact: WholeContact) => boolean) | null {
  const tags = ifMatchOf(headers);
  return tags === null || tags === "any" ? null : (contact) => tags.includes(etagOf(contact));
}
