import { csvLine, csvReply, jsonReply, wantsCsv } from "../../../infra/http/csv.ts";
import { doneBy, isAdministrator, type KeyCaller, type UserCaller } from "../../../infra/http/routing/caller.ts";
import { cursorField, cursorOf, limitField, limitOf, positionIn } from "../../../infra/http/routing/cursors.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, idOf, numericIdOf, objectWith, type Schema } from "../../../infra/http/routing/schema.ts";
import { phoneDigits, storableText } from "../../../kernel/text.ts";
import type { EraseContact } from "../../application/contacts/erase-contact.ts";
import type { ManageContacts } from "../../application/contacts/manage-contacts.ts";
import type { ContactFilter, ListedContact } from "../../application/contacts/ports.ts";
import { Forbidden } from "../../domain/acting.ts";
import {
  isPhoneNumber,
  longestFieldName,
  longestFieldText,
  longestName,
  longestPhone,
  mostFields,
  mostTags,
  shortestPhone,
} from "../../domain/contact.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { listedContactToWire } from "../wire/inbox-wire.ts";
import { contactColumns, fieldColumn, tagsCell } from "./contact-rows.ts";
import { etagHeader, expectedIn, tagged } from "./contact-version.ts";
import { changing, common, failures, meeting, viewerOf, wrongNumber } from "./inbox-dialect.ts";
import { listedContactSchema, pageOf } from "./inbox-schemas.ts";

const usualPage = 50;

/** Throws `Forbidden` for users who are none. */
export function requireAdministrator(caller: KeyCaller | UserCaller): void {
  if (!isAdministrator(caller)) throw new Forbidden("a user of another role");
}

export const contactsRoutes = (contacts: ManageContacts, erase: Pick<EraseContact, "execute">): Route[] => [
  listRoute(contacts),
  oneRoute(contacts),
  createRoute(contacts),
  changeRoute(contacts),
  eraseRoute(erase),
];

const noContact = { description: "No such contact", schema: codedFailure };
const noContactOrTag = { description: "No such contact or tag", schema: codedFailure };
export const forAdministratorsOnly = { description: "Only for administrators and App Keys", schema: codedFailure };
const taken = { description: "Another contact has the number", schema: codedFailure };

const params = objectWith({ id: numericIdOf("contact") });

const listRoute = (contacts: ManageContacts): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/contacts",
    operationId: "listContacts",
    summary: "List contacts, newest first, or all that match as CSV",
    rules: [
      [
        "Contacts.1",
        "Newest first. `next` is the cursor of the next page, or null. Filters that are given together must all hold. " +
          "`q` is any part of a name or number, of one character too, or the whole id of a customer without a number; accents and capitals make no difference (but ñ is no n), and blanks " +
          "alone find nothing. Erased contacts are not listed.",
      ],
      [
        "Contacts.2",
        "`chats` are those that the caller may see, each with the moment of its newest message (null where nothing was " +
          "written); the contacts themselves are seen by all. `opted_out_desde` is the moment since which the contact " +
          "wants no marketing, or null.",
      ],
      [
        "Contacts.3",
        "With `Accept: text/csv` all that match come in one stream, without regard to `cursor` and `limit`: the known columns, " +
          "then one for each custom field, 500 at most. Only for administrators and App Keys (403). Texts that a spreadsheet " +
          "would take for a formula have an apostrophe before them. A custom field whose name is that of a known column has " +
          "`campos.` before it. An import of the file changes nothing.",
      ],
    ],
    query: {
      type: "object",
      properties: {
        q: { type: "string", minLength: 1, maxLength: 100, description: "Part of the name or number" },
        tag: { ...numericIdOf("tag"), description: "Has this tag" },
        opted_out: { type: "boolean", description: "`true`: wants no marketing" },
        cursor: cursorField,
        limit: limitField(usualPage),
      },
    } as const,
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
        return exported(contacts, viewer, filter, call.signal);
      }
      const [after = null] = query.cursor === undefined ? [] : positionIn(query.cursor, 1);
      const signal = text === null ? undefined : call.signal;
      const page = await contacts.list(viewer, filter, { after, limit: limitOf(query.limit ?? usualPage) }, signal);
      return jsonReply({
        data: page.items.map(listedContactToWire),
        next: page.next === null ? null : cursorOf(page.next),
      });
    },
  });

async function exported(
  contacts: ManageContacts,
  viewer: Viewer,
  filter: ContactFilter,
  signal: AbortSignal,
): Promise<Reply> {
  const names = await contacts.fieldNames(viewer, filter, signal);
  const pages = contacts.all(viewer, filter, signal);
  async function* lines() {
    yield csvLine([...contactColumns, ...names.map(fieldColumn)]);
    for await (const page of pages) yield page.map((contact) => lineOf(contact, names)).join("");
  }
  return csvReply(lines(), "contactos.csv");
}

const lineOf = (contact: ListedContact, names: readonly string[]): string => {
  const { id, nombre, numero, opted_out, tags, creado, campos } = listedContactToWire(contact);
  const own = names.map((name) => (Object.hasOwn(campos, name) ? campos[name] : null));
  return csvLine([id, nombre, numero, opted_out, tagsCell(tags.map((tag) => tag.nombre)), creado, ...own]);
};

const oneRoute = (contacts: Pick<ManageContacts, "one">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/contacts/:id",
    operationId: "getContact",
    summary: "Read a contact with its chats",
    rules: [["Contacts.4", "`chats` are those that the caller may see. An erased contact is one that does not exist."]],
    params,
    responses: {
      200: { description: "The contact", schema: listedContactSchema, headers: etagHeader },
      404: noContact,
      ...failures,
    },
    dialect: meeting("contact_not_found"),
    handle: async ({ params, caller }) => tagged(await contacts.one(viewerOf(caller), params.id)),
  });

const contactBody = {
  nombre: { type: "string", pattern: "\\S", maxLength: longestName, example: "Ana Rojas" },
  numero: { type: "string", pattern: "[0-9]", maxLength: 64, example: "+591 722-00009" },
  campos: {
    type: "object",
    maxProperties: mostFields,
    propertyNames: { type: "string", minLength: 1, maxLength: longestFieldName },
    additionalProperties: { type: "string", maxLength: longestFieldText },
    "x-error": { minLength: "campos no puede tener un campo sin nombre" },
  },
  tags: { type: "array", maxItems: mostTags, items: idOf("tag") },
  opted_out: { type: "boolean" },
} as const satisfies Record<string, Schema>;

interface GivenContact {
  readonly nombre?: string;
  readonly numero?: string;
  readonly campos?: { readonly [name: string]: string };
  readonly tags?: readonly number[];
  readonly opted_out?: boolean;
}

/** What is not given is null. */
const changesIn = (body: GivenContact) => ({
  name: body.nombre === undefined ? null : storableText(body.nombre),
  phone: body.numero === undefined ? null : phoneDigits(body.numero),
  fields:
    body.campos === undefined
      ? null
      : Object.fromEntries(Object.entries(body.campos).map(([name, text]) => [storableText(name), storableText(text)])),
  tagIds: body.tags === undefined ? null : [...new Set(body.tags)],
  optedOut: body.opted_out ?? null,
});

const bodyRule =
  `\`campos\` holds up to ${mostFields} custom fields with texts of up to ${longestFieldText} characters; campaigns find ` +
  "them by the names in `paramMapping`. `tags` are ids of the business's tags, otherwise 404 `tag_not_found`. Of " +
  `\`numero\` only the digits count, ${shortestPhone} to ${longestPhone} of them.`;
const eventRule = "Emits `contact:changed` with the contact, to all sockets of the business.";

const createRoute = (contacts: Pick<ManageContacts, "create">): Route =>
  defineRoute({
    ...changing,
    method: "post",
    path: "/contacts",
    operationId: "createContact",
    summary: "Make a contact",
    rules: [
      ["Contacts.5", `${bodyRule} Without \`nombre\` the contact is called by its number.`],
      ["Contacts.6", "A number that another contact of the business has is a 409 `number_taken`."],
      ["Contacts.7", "A number whose contact was erased is opted out, even where `opted_out` is false."],
      ["Contacts.8", eventRule],
    ],
    idempotent: true,
    complaint: ({ body }) => (isPhoneNumber(phoneDigits(body.numero) ?? "") ? undefined : wrongNumber),
    about: ({ body }, { status, body: made }) =>
      status === 201 ? { contactId: (made as { id: number }).id } : { phone: phoneDigits(body.numero) ?? "" },
    body: { type: "object", required: ["numero"], properties: contactBody } as const,
    responses: {
      201: { description: "The contact", schema: listedContactSchema },
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
      return new Reply(201, listedContactToWire(contact));
    },
  });

const changeRoute = (contacts: Pick<ManageContacts, "change">): Route =>
  defineRoute({
    ...changing,
    method: "put",
    path: "/contacts/:id",
    operationId: "changeContact",
    summary: "Change what is given of a contact",
    rules: [
      ["Contacts.9", `Changes only what is given; \`campos\` and \`tags\` replace all that there were. ${bodyRule}`],
      [
        "Contacts.10",
        "A number that another contact of the business has is a 409 `number_taken`. A contact that writes on a channel " +
          "without numbers (its `numero` is empty) gets none: 409 `has_no_number`.",
      ],
      [
        "Contacts.11",
        "A contact that has or gets a number that was erased is opted out, even where `opted_out` is false. Chats of a " +
          "contact that gets another number go on as they are; once it writes from the new number, they go there.",
      ],
      ["Contacts.12", eventRule],
      [
        "Contacts.18",
        "`If-Match` with the `ETag` that reading or changing the contact answered makes the change only if nothing that " +
          "is shown of the contact changed since: otherwise 412 `moved_on`.",
      ],
    ],
    conditional: true,
    params,
    body: { type: "object", properties: contactBody } as const,
    responses: {
      200: { description: "The contact as it is now", schema: listedContactSchema, headers: etagHeader },
      412: { description: "The contact is not as `If-Match` names it", schema: codedFailure },
      404: noContactOrTag,
      409: { description: "Another contact has the number, or this one can have none", schema: codedFailure },
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
    rules: [
      [
        "Contacts.13",
        "Name, number, custom fields and tags, the texts and media of all its messages and the addresses of its orders are " +
          "gone everywhere once this is answered: in the event log, in answers kept for `Idempotency-Key`, in campaigns, in " +
          "webhooks that wait, in rows that imports refused (others of the same file stay), in stored media that nothing " +
          "else names. Orders, chats and figures stay without them. Where this fails, the contact may be erased in part: " +
          "the rest follows within minutes, or when it is asked for again.",
      ],
      [
        "Contacts.14",
        "The number stays opted out: a keyed digest of it is kept. When it writes again, or is made or imported again, its " +
          "contact is opted out, also where `opted_out` is given as false.",
      ],
      ["Contacts.15", "Emits `contact:changed` and `message:changed` without personal data."],
      ["Contacts.16", "Only for administrators, and for App Keys with the scope `admin` (403)."],
      ["Contacts.17", "Stands in the audit, as `contacts`: who erased it, and of the contact nothing but its id."],
    ],
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
