import type { Cells } from "../../../../infra/postgres/cells.ts";
import { dynamicCall, type StatementCall, sql } from "../../../../infra/postgres/dynamic-sql.ts";
import { columnsOfRow, jsonOf } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ContactFilter, ContactReads, ListedContact } from "../../../application/contacts/ports.ts";
import type { WholeContact } from "../../../application/events.ts";
import type { PageAsked } from "../../../application/reading/ports.ts";
import { ContactNotFound, mostFieldColumns } from "../../../domain/contact.ts";
import type { Viewer } from "../../../domain/visibility.ts";
import { wholeContact } from "../chat-sql.ts";
import { mostFound } from "../search-sql.ts";
import { isVisible, viewerOf, viewerWith } from "../visibility-sql.ts";
import { exportedCall, foundCall, walkedCall } from "./contact-export-sql.ts";
import { at, ContactWalk, contactOfPage } from "./contact-search-sql.ts";

const listedContact = `
  ${wholeContact} || jsonb_build_object('optedOutAt', contact.opted_out_at, 'chats', coalesce((
    select jsonb_agg(${jsonOf<ListedContact["chats"][number]>({
      ...columnsOfRow("chat", "provider", "lastMessageAt"),
      chatId: "chat.id",
    })} order by chat.id)
    from chats as chat
    where chat.business_id = contact.business_id and chat.contact_id = contact.id and ${isVisible}), '[]'))`;

const one = statement("contact_one")`
  with ${viewerOf("$1", "$2::bigint")}
  select ${listedContact} as contact
  from contacts as contact where contact.business_id = $1 and contact.id = $3 and contact.erased_at is null`;

/** The number of contacts that an export reads at a time. */
const exportPage = 1_000;

function listCall(viewer: Viewer, filter: ContactFilter, { after, limit }: PageAsked<number>): StatementCall {
  const walk = new ContactWalk(viewer.businessId, filter, after);
  const values = { ...walk.values, viewer: viewer.agentId, limit: limit + 1 };
  return dynamicCall("contacts", walk.shape, values, () => {
    const whole = viewerWith(at.business, at.viewer);
    const ids = sql.select("id").from(walk.page(whole).as("found")).orderByRaw("id desc limit ?", [at.limit]);
    return whole
      .select(sql.raw(`${listedContact} as contact`))
      .from(ids.as("page"))
      .modify(contactOfPage)
      .orderBy("page.id", "desc");
  });
}

function fieldNamesCall(businessId: number, filter: ContactFilter): StatementCall {
  const walk = new ContactWalk(businessId, filter);
  return dynamicCall("contact_fields", walk.shape, walk.values, () =>
    walk
      .searched(walk.tagged(walk.ofAnyTag(sql({ contact: "contacts" }).distinct("field.name"))))
      .joinRaw("cross join lateral jsonb_object_keys(contact.fields) as field(name)")
      .orderBy("field.name")
      .limit(mostFieldColumns, { skipBinding: true }),
  );
}

type Rows = <Row extends object>(call: StatementCall) => Promise<Row[]>;

export class PostgresContactReads implements ContactReads {
  constructor(private readonly cells: Cells) {}

  async contacts(viewer: Viewer, filter: ContactFilter, page: PageAsked<number>): Promise<ListedContact[]> {
    const { statement, values } = listCall(viewer, filter, page);
    const cell = this.cells.of(viewer.businessId);
    const rows = await cell.rows<{ contact: ListedContact }>(statement, values, page.signal);
    return rows.map(({ contact }) => contact);
  }

  async contact({ businessId, agentId }: Viewer, contactId: number): Promise<ListedContact> {
    const values = [businessId, agentId, contactId];
    const [row] = await this.cells.of(businessId).rows<{ contact: ListedContact }>(one, values);
    if (!row) throw new ContactNotFound(`contact ${contactId}`);
    return row.contact;
  }

  async *all(businessId: number, filter: ContactFilter, signal: AbortSignal): AsyncGenerator<readonly WholeContact[]> {
    const rows = <Row extends object>({ statement, values }: StatementCall): Promise<Row[]> =>
      this.cells.of(businessId).rows<Row>(statement, values, signal);
    for await (const ids of this.idsOf(businessId, filter, rows)) {
      for (let from = 0; from < ids.length; from += exportPage) {
        const call = exportedCall(businessId, filter, ids.slice(from, from + exportPage));
        yield (await rows<{ contact: WholeContact }>(call)).map(({ contact }) => contact);
      }
    }
  }

  /** Searches the text index for a text. Without a text, or if too many contacts have it, looks at each contact. */
  private async *idsOf(businessId: number, filter: ContactFilter, rows: Rows): AsyncGenerator<readonly number[]> {
    if (filter.text !== null) {
      const [found] = await rows<{ ids: number[] }>(foundCall(businessId, filter));
      if (found && found.ids.length <= mostFound) return yield found.ids.sort((a, b) => b - a);
    }
    let after: number | null = null;
    do {
      const [looked]: { ids: number[]; reached: number | null }[] = await rows(walkedCall(businessId, filter, after));
      if (looked) yield looked.ids;
      after = looked?.reached ?? null;
    } while (after !== null);
  }

  async fieldNames(businessId: number, filter: ContactFilter, signal?: AbortSignal): Promise<string[]> {
    const { statement, values } = fieldNamesCall(businessId, filter);
    const rows = await this.cells.of(businessId).rows<{ name: string }>(statement, values, signal);
    return rows.map(({ name }) => name);
  }
}
