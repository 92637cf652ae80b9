import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import {
  dynamicCall,
  type Part,
  placesOf,
  type Query,
  type StatementCall,
  sql,
} from "../../../infra/postgres/dynamic-sql.ts";
import type { ContactSearch } from "../../../infra/postgres/search-text.ts";
import { jsonOf } from "../../../infra/postgres/sql-text.ts";
import type { ContactFilter, ContactReads, ListedContact } from "../../application/contacts/ports.ts";
import type { PageAsked, PageOf } from "../../application/reading/ports.ts";
import { mostFieldColumns } from "../../domain/contact.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { wholeContact } from "./chat-sql.ts";
import { pageOf } from "./inbox-reads.ts";
import { areFew, areMany, searchOf, soughtBy } from "./list-chats-sql.ts";
import { isVisible, viewerOf, viewerWith } from "./visibility-sql.ts";

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

const at = placesOf({ business: "bigint", viewer: "bigint", limit: "bigint", after: "bigint", tag: "bigint" });

interface Conditions {
  readonly shape: readonly (string | undefined | false)[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly search: ContactSearch | undefined;
  /** Adds to a query of rows `contact` all conditions but the text that is searched for, and but the tag. */
  ofAnyTag(query: Query): Query;
  /** The same with the tag. */
  plain(query: Query): Query;
}

function conditionsOf(businessId: number, { text, tagId: tag, optedOut }: ContactFilter): Conditions {
  const search = text === null ? undefined : searchOf(text);
  const ofAnyTag = (query: Query): Query => {
    query.where("contact.business_id", at.business).whereNull("contact.erased_at");
    if (optedOut === null) return query;
    return optedOut ? query.whereNotNull("contact.opted_out_at") : query.whereNull("contact.opted_out_at");
  };
  const hasTag = `exists (
    select 1 from contact_tags as tagged
    where tagged.business_id = contact.business_id and tagged.contact_id = contact.id and tagged.tag_id = ?)`;
  return {
    shape: [search?.key, tag !== null && "tag", optedOut !== null && (optedOut ? "out" : "in")],
    values: { business: businessId, tag, ...search?.values },
    search,
    ofAnyTag,
    plain: (query) => (tag === null ? ofAnyTag(query) : ofAnyTag(query).whereRaw(hasTag, [at.tag])),
  };
}

function listCall(viewer: Viewer, filter: ContactFilter, { after, limit }: PageAsked<number>): StatementCall {
  const conditions = conditionsOf(viewer.businessId, filter);
  const values = { ...conditions.values, viewer: viewer.agentId, limit: limit + 1, after };
  return dynamicCall("contacts", [after !== null && "next", ...conditions.shape], values, () => {
    const found = sourceOf(conditions, filter.tagId !== null, after !== null).as("found");
    const query = viewerWith(at.business, at.viewer)
      .select(sql.raw(`${listedContact} as contact`))
      .from(newest(sql.queryBuilder().select("id").from(found), "id").as("page"))
      .joinRaw(
        `cross join lateral (
          select * from contacts as known where known.business_id = ? and known.id = page.id limit 1
        ) as contact`,
        [at.business],
      )
      .orderBy("page.id", "desc");
    return conditions.search ? soughtBy(query, conditions.search, at.business) : query;
  });
}

const newest = (query: Query, id: string): Query => query.orderByRaw(`${id} desc limit ?`, [at.limit]);

/** Walks the index that fits; few contacts that have a text are found by the text first. */
function sourceOf({ plain, ofAnyTag, search }: Conditions, isTagged: boolean, isNext: boolean): Query {
  const behind = (query: Query, id: string): Query => newest(isNext ? query.where(id, "<", at.after) : query, id);
  const walk = (...where: readonly Part[]): Query => {
    const query = plain(sql({ contact: "contacts" }).select("contact.id"));
    return behind(
      where.reduce((all: Query, each) => all.where(each), query),
      "contact.id",
    );
  };
  if (search) {
    const few = walk(areFew, sql.raw("contact.id in (select id from found)"));
    return sql.queryBuilder().unionAll([few, walk(areMany, search.condition())], true);
  }
  if (!isTagged) return walk();
  const tagged = sql({ tagged: "contact_tags" })
    .select("contact.id")
    .joinRaw(`
      cross join lateral (
        select * from contacts where business_id = tagged.business_id and id = tagged.contact_id offset 0
      ) as contact`)
    .where({ "tagged.business_id": at.business, "tagged.tag_id": at.tag });
  return behind(ofAnyTag(tagged), "tagged.contact_id");
}

function fieldNamesCall(businessId: number, filter: ContactFilter): StatementCall {
  const { shape, values, plain, search } = conditionsOf(businessId, filter);
  return dynamicCall("contact_fields", shape, values, () => {
    const query = plain(sql({ contact: "contacts" }).distinct("field.name"))
      .joinRaw("cross join lateral jsonb_object_keys(contact.fields) as field(name)")
      .orderBy("field.name")
      .limit(mostFieldColumns, { skipBinding: true });
    return search ? query.where(search.condition()) : query;
  });
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
