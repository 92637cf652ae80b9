import { csvLine, csvReply, jsonReply, wantsCsv } from "../../../infra/http/csv.ts";
import { doneBy, isAdministrator, type KeyCaller, type UserCaller } from "../../../infra/http/routing/caller.ts";
import { limitOf, pageAnswer, pagedQuery, positionIn } from "../../../infra/http/routing/cursors.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, numericIdOf, objectWith, optionalFields } from "../../../infra/http/routing/schema.ts";
import { phoneDigits } from "../../../kernel/text.ts";
import type { EditContacts } from "../../application/contacts/edit-contacts.ts";
import type { EraseContact } from "../../application/contacts/erase-contact.ts";
import type { ContactFilter, ContactReads } from "../../application/contacts/ports.ts";
import type { WholeContact } from "../../application/events.ts";
import { Forbidden } from "../../domain/acting.ts";
import { isPhoneNumber } from "../../domain/contact.ts";
import { listedContactToWire, wholeContactToWire } from "../wire/inbox-wire.ts";
import { changesIn, contactBody, contactBodyRule } from "./contact-input.ts";
import { contactColumns, fieldColumn, tagsCell } from "./contact-rows.ts";
import { etagHeader, expectedIn, tagged } from "./contact-version.ts";
import { changing, common, failures, meeting, viewerOf, wrongNumber } from "./inbox-dialect.ts";
import { listedContactSchema, pageOf } from "./inbox-schemas.ts";

const usualPage = 50;

/** Throws `Forbidden` for users who are not administrators. */
export function requireAdministrator(caller: KeyCaller | UserCaller): void {
  if (!isAdministrator(caller)) throw new Forbidden("a user of another role");
}

/** @param slowReads - reads through a pool with a long statement timeout, for exports */
export const contactsRoutes = (
  reads: ContactReads,
  slowReads: ContactReads,
  edits: EditContacts,
  erase: Pick<EraseContact, "execute">,
): Route[] => [listRoute(reads, slowReads), oneRoute(reads), createRoute(edits), changeRoute(edits), eraseRoute(erase)];

const noContact = { description: "No such contact", schema: codedFailure };
const noContactOrTag = { description: "No such contact or tag", schema: codedFailure };
export const forAdministratorsOnly = { description: "Only for administrators and App Keys", schema: codedFailure };
const taken = { description: "Another contact has the number", schema: codedFailure };

const params = objectWith({ id: numericIdOf("contact") });

const listRoute = (reads: ContactReads, slowReads: ContactReads): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/contacts",
    operationId: "listContacts",
    summary: "List contacts, newest first, or all that match as CSV",
    rules: {
      "Contacts.1":
        "Newest first. `next` is the cursor of the next page, or null. All given filters must match. `q` is any part of a " +
        "name or number (even one character), or the whole id of a customer without a number. Accents and capitals are " +
        "ignored, but ñ is not n; a blank `q` finds nothing. Erased contacts are not listed.",
      "Contacts.2":
        "Every caller sees all contacts, but in `chats` only the chats that the caller may see, each with the time of its " +
        "newest message (null if the chat was never in the inbox). `opted_out_desde` is the time of the opt-out, or null.",
      "Contacts.3":
        "With `Accept: text/csv`, all matches come in one stream, and `cursor` and `limit` are ignored: the known columns, " +
        "then up to 500 custom fields. Only for administrators and App Keys (403). Texts that a spreadsheet would run as " +
        "a formula get an apostrophe in front; a custom field named like a known column gets the prefix `campos.`. " +
        "Importing the file changes nothing.",
    },
    query: pagedQuery(usualPage, {
      q: { type: "string", minLength: 1, maxLength: 100, description: "Part of the name or number" },
      tag: { ...numericIdOf("tag"), description: "Contacts with this tag" },
      opted_out: { type: "boolean", description: "`true`: contacts that opted out of marketing" },
    }),
    responses: {
      200: { description: "A page of contacts", schema: pageOf(listedContactSchema), otherTypes: ["text/csv"] },
      403: forAdministratorsOnly,
      ...failures,
    },
    dialect: meeting("forbidden"),
    lane: ({ q }, headers) => (wantsCsv(headers) ? "exports" : q === undefined ? undefined : "longReads"),
    cost: 2,
    handle: async (call) => {
      const { query, caller, headers } = call;
      const viewer = viewerOf(caller);
      const { q: text = null, tag: tagId = null, opted_out: optedOut = null } = query;
      const filter = { text, tagId, optedOut };
      if (wantsCsv(headers)) {
        requireAdministrator(caller);
        return exported(slowReads, caller.businessId, filter, call.signal);
      }
      const [after = null] = query.cursor === undefined ? [] : positionIn(query.cursor, 1);
      const signal = text === null ? undefined : call.signal;
      const limit = limitOf(query.limit ?? usualPage);
      const found = await reads.contacts(viewer, filter, { after, limit, signal });
      return jsonReply(pageAnswer(found, limit, listedContactToWire));
    },
  });

async function exported(reads: ContactReads, businessId: number, filter: ContactFilter, signal: AbortSignal) {
  const names = await reads.fieldNames(businessId, filter, signal);
  const pages = reads.all(businessId, filter, signal);
  async function* lines() {
    yield csvLine([...contactColumns, ...names.map(fieldColumn)]);
    for await (const page of pages) yield page.map((contact) => lineOf(contact, names)).join("");
  }
  return csvReply(lines(), "contactos.csv");
}

const lineOf = (contact: WholeContact, names: readonly string[]): string => {
  const { id, nombre, numero, opted_out, tags, creado, campos } = wholeContactToWire(contact);
  const own = names.map((name) => (Object.hasOwn(campos, name) ? campos[name] : null));
  return csvLine([id, nombre, numero, opted_out, tagsCell(tags.map((tag) => tag.nombre)), creado, ...own]);
};

const oneRoute = (reads: Pick<ContactReads, "contact">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/contacts/:id",
    operationId: "getContact",
    summary: "Read a contact with its chats",
    rules: {
      "Contacts.4": "`chats` has only chats that the caller may see. An erased contact is answered as missing.",
    },
    params,
    responses: {
      200: { description: "The contact", schema: listedContactSchema, headers: etagHeader },
      404: noContact,
      ...failures,
    },
    dialect: meeting("contact_not_found"),
    handle: async ({ params, caller }) => tagged(await reads.contact(viewerOf(caller), params.id)),
  });

const eventRule = "Emits `contact:changed` to all sockets of the business.";

const createRoute = (contacts: Pick<EditContacts, "create">): Route =>
  defineRoute({
    ...changing,
    method: "post",
    path: "/contacts",
    operationId: "createContact",
    summary: "Create a contact",
    rules: {
      "Contacts.5": `${contactBodyRule} Without \`nombre\`, the number is the name.`,
      "Contacts.6": "A number that another contact of the business has is a 409 `number_taken`.",
      "Contacts.7": "If a contact with this number was erased, the new one is opted out even if `opted_out` is false.",
      "Contacts.8": eventRule,
    },
    idempotent: true,
    complaint: ({ body }) => (isPhoneNumber(phoneDigits(body.numero) ?? "") ? undefined : wrongNumber),
    about: ({ body }, { status, body: made }) =>
      status === 201 ? { contactId: (made as { id: number }).id } : { phone: phoneDigits(body.numero) ?? "" },
    body: { type: "object", required: ["numero"], properties: contactBody } as const,
    responses: {
      201: { description: "The contact", schema: listedContactSchema, headers: etagHeader },
      404: { description: "No such tag", schema: codedFailure },
      409: taken,
      ...failures,
    },
    dialect: meeting("tag_not_found", "number_taken"),
    handle: async ({ body, caller }) => {
      const { name, fields, tagIds, optedOut } = changesIn(body);
      const phone = phoneDigits(body.numero) ?? "";
      const contact = await contacts.create(viewerOf(caller), {
        name: name ?? phone,
        phone,
        fields: fields ?? {},
        tagIds: tagIds ?? [],
        optedOut: optedOut ?? false,
      });
      return tagged(contact, 201);
    },
  });

const changeRoute = (contacts: Pick<EditContacts, "change">): Route =>
  defineRoute({
    ...changing,
    method: "put",
    path: "/contacts/:id",
    operationId: "changeContact",
    summary: "Change the given fields of a contact",
    rules: {
      "Contacts.9": `Changes only the given fields; \`campos\` and \`tags\` replace all former ones. ${contactBodyRule}`,
      "Contacts.10":
        "A number that another contact of the business has is a 409 `number_taken`. A contact of a channel without numbers " +
        "(its `numero` is empty) cannot get one: 409 `has_no_number`.",
      "Contacts.11":
        "A contact with a number that was erased stays opted out even if `opted_out` is false. After a change of number, " +
        "all chats keep using the old one until the contact writes from the new number on any channel.",
      "Contacts.12": eventRule,
      "Contacts.18":
        "With `If-Match` and the `ETag` of an earlier answer, the change is made only if no shown field of the contact " +
        "changed since; otherwise 412 `moved_on`.",
    },
    conditional: true,
    params,
    body: optionalFields(contactBody),
    responses: {
      200: { description: "The contact as it is now", schema: listedContactSchema, headers: etagHeader },
      412: { description: "The contact changed since the `ETag` in `If-Match`", schema: codedFailure },
      404: noContactOrTag,
      409: { description: "Another contact has the number, or this contact cannot have one", schema: codedFailure },
      ...failures,
    },
    dialect: meeting("contact_not_found", "moved_on", "tag_not_found", "number_taken", "wrong_number", "has_no_number"),
    handle: async ({ params, body, caller, headers }) =>
      tagged(await contacts.change(viewerOf(caller), params.id, changesIn(body), expectedIn(headers))),
  });

const eraseRoute = (erase: Pick<EraseContact, "execute">): Route =>
  defineRoute({
    ...common,
    scope: "admin",
    method: "delete",
    path: "/contacts/:id",
    operationId: "eraseContact",
    summary: "Erase a contact for good",
    rules: {
      "Contacts.13":
        "Once this is answered, name, number, custom fields, tags, the texts and media of all messages, and the addresses, " +
        "reasons of cancellation and picked options of orders are gone everywhere: in the event log, in keys and answers stored for `Idempotency-Key`, in campaigns, in queued " +
        "webhooks, in refused rows of imports, and in stored media that nothing else uses. Orders, chats and figures stay " +
        "without them; the bot's reason for cancelling an abandoned order stays, too. Webhooks about messages from before the erasure are dropped, also if they come for the first time. " +
        "If this fails, part may be erased: the rest follows within minutes, or on the next request.",
      "Contacts.14":
        "The number stays opted out: a keyed digest of it is stored. When the number writes, is created or is imported " +
        "again, its contact is opted out, even if `opted_out` is false.",
      "Contacts.15": "Emits `contact:changed` and `message:changed` without personal data.",
      "Contacts.16": "Only for administrators, and for App Keys with the scope `admin` (403).",
      "Contacts.17": "The audit records it under `contacts`: who erased the contact, and only its id.",
    },
    lane: "exports",
    cost: 10,
    params,
    responses: {
      204: { description: "The contact is erased" },
      403: forAdministratorsOnly,
      404: noContact,
      ...failures,
    },
    dialect: meeting("contact_not_found", "forbidden"),
    handle: async ({ params, caller, ip }) => {
      requireAdministrator(caller);
      await erase.execute(caller.businessId, params.id, doneBy(caller, ip));
      return new Reply(204, undefined);
    },
  });
