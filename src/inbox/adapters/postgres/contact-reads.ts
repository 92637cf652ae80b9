import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import { jsonOf } from "../../../infra/postgres/sql-text.ts";
import { type StatementCall, Values } from "../../../infra/postgres/values.ts";
import type { ContactFilter, ContactReads, ListedContact } from "../../application/contacts/ports.ts";
import type { PageAsked, PageOf } from "../../application/reading/ports.ts";
import { mostFieldColumns } from "../../domain/contact.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { wholeContact } from "./chat-sql.ts";
import { pageOf } from "./inbox-reads.ts";
import { mostFound, searchOf } from "./list-chats-sql.ts";
import { isVisible, viewerOf } from "./visibility-sql.ts";

const listedContact = `
  ${wholeContact} || jsonb_build_object('optedOutAt', contact.opted_out_at, 'chats', coalesce((
    select jsonb_agg(${jsonOf<ListedContact["chats"][number]>({
      chatId: "chat.id",
      provider: "chat.provider",
      lastMessageAt: "chat.last_message_at",
    })} order by chat.id)
    from chats as chat
    where chat.business_id = contact.business_id and chat.contact_id = contact.id and ${isVisible}), '[]'))`;

const one: Statement = {
  name: "contact_one",
  text: `
    with ${viewerOf("$1", "$2::bigint")}
    select ${listedContact} as contact
    from contacts as contact where contact.business_id = $1 and contact.id = $3 and contact.erased_at is null`,
};

interface Conditions {
  readonly key: string;
  /** Of the row `contact`, but for the text that is searched for. */
  readonly plain: string;
  /** The same without the tag. */
  readonly ofAnyTag: string;
  readonly search: string | null;
  /** The value of the tag. */
  readonly tag: string | null;
}

function conditionsOf(values: Values, { text, tagId, optedOut }: ContactFilter): Conditions {
  const search = text === null ? null : searchOf(values, text);
  const tag = tagId === null ? null : values.add(tagId, "bigint");
  const key = [search?.key, tag && "tag", optedOut === null ? null : optedOut ? "out" : "in"].filter(Boolean).join("_");
  const tagged = `
    and exists (
      select from contact_tags as tagged
      where tagged.business_id = contact.business_id and tagged.contact_id = contact.id and tagged.tag_id = ${tag})`;
  const ofAnyTag = `
    contact.business_id = ${values.business} and contact.erased_at is null
    ${optedOut === null ? "" : `and contact.opted_out_at is ${optedOut ? "not " : ""}null`}`;
  const plain = tag === null ? ofAnyTag : ofAnyTag + tagged;
  return { key, plain, ofAnyTag, search: search?.text ?? null, tag };
}

function listCall(viewer: Viewer, filter: ContactFilter, { after, limit }: PageAsked<number>): StatementCall {
  const values = new Values(viewer.businessId);
  const agent = values.add(viewer.agentId, "bigint");
  const most = values.add(limit + 1, "bigint");
  const position = after === null ? null : values.add(after, "bigint");
  const conditions = conditionsOf(values, filter);
  return values.callOf(`contacts_${position ? "next_" : ""}${conditions.key}`, () => {
    const { ctes, text } = sourceOf(conditions, values.business, position, most);
    return `
      with ${viewerOf(values.business, agent)}${ctes}
      select ${listedContact} as contact
      from (select id from (${text}) as found order by id desc limit ${most}) as page
      cross join lateral (
        select * from contacts as known where known.business_id = ${values.business} and known.id = page.id limit 1
      ) as contact
      order by page.id desc`;
  });
}

/** Walks the index that fits; few contacts that have a text are found by the text first. */
function sourceOf(
  { plain, ofAnyTag, search, tag }: Conditions,
  business: string,
  position: string | null,
  most: string,
) {
  const here = (id: string) => (position === null ? "" : `and ${id} < ${position}`);
  const walk = (where: string) => `
    select contact.id from contacts as contact where ${plain} ${where} ${here("contact.id")}
    order by contact.id desc limit ${most}`;
  if (search !== null) {
    const ctes = `
      , found as materialized (
        select id from contacts as contact where contact.business_id = ${business} and ${search}
        limit ${mostFound + 1}
      ),
      sought as materialized (select count(*) <= ${mostFound} as are_few from found)`;
    const few = walk("and (select are_few from sought) and contact.id in (select id from found)");
    const many = walk(`and not (select are_few from sought) and ${search}`);
    return { ctes, text: `(${few}) union all (${many})` };
  }
  if (tag !== null) {
    const text = `
      select contact.id
      from contact_tags as tagged
      cross join lateral (
        select * from contacts where business_id = tagged.business_id and id = tagged.contact_id offset 0
      ) as contact
      where tagged.business_id = ${business} and tagged.tag_id = ${tag} and ${ofAnyTag} ${here("tagged.contact_id")}
      order by tagged.contact_id desc limit ${most}`;
    return { ctes: "", text };
  }
  return { ctes: "", text: walk("") };
}

function fieldNamesCall(businessId: number, filter: ContactFilter): StatementCall {
  const values = new Values(businessId);
  const { key, plain, search } = conditionsOf(values, filter);
  return values.callOf(
    `contact_fields_${key}`,
    () => `
      select distinct field.name
      from contacts as contact cross join lateral jsonb_object_keys(contact.fields) as field(name)
      where ${plain} ${search === null ? "" : `and ${search}`}
      order by field.name limit ${mostFieldColumns}`,
  );
}

export class PostgresContactReads implements ContactReads {
  constructor(private readonly cells: Cells) {}

  async contacts(
    viewer: Viewer,
    filter: ContactFilter,
    page: PageAsked<number>,
    signal?: AbortSignal,
  ): Promise<PageOf<ListedContact, number>> {
    const { statement, values } = listCall(viewer, filter, page);
    const cell = this.cells.of(viewer.businessId);
    const rows = await cell.rows<{ contact: ListedContact }>(statement, values, signal);
    return pageOf(
      rows,
      page.limit,
      ({ contact }) => contact,
      ({ contact }) => contact.id,
    );
  }

  async contact({ businessId, agentId }: Viewer, contactId: number): Promise<ListedContact | null> {
    const values = [businessId, agentId, contactId];
    const [row] = await this.cells.of(businessId).rows<{ contact: ListedContact }>(one, values);
    return row?.contact ?? null;
  }

  async fieldNames(businessId: number, filter: ContactFilter, signal?: AbortSignal): Promise<string[]> {
    const { statement, values } = fieldNamesCall(businessId, filter);
    const rows = await this.cells.of(businessId).rows<{ name: string }>(statement, values, signal);
    return rows.map(({ name }) => name);
  }
}
