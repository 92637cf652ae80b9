import { dynamicCall, placeholders, type StatementCall, sql } from "../../../../infra/postgres/dynamic-sql.ts";
import type { ContactFilter } from "../../../application/contacts/ports.ts";
import { wholeContact } from "../chat-sql.ts";
import { mostFound, searchedColumns } from "../search-sql.ts";
import { ContactWalk, contactOfPage } from "./contact-search-sql.ts";

/** The most contacts that one statement looks at, so that its time does not grow with the business. */
const mostWalked = 20_000;

/**
 * One row. `ids` are the next contacts that match, newest first. `reached` is the id of the last contact looked at, or
 * null at the end.
 */
export function walkedCall(businessId: number, filter: ContactFilter, after: number | null): StatementCall {
  const walk = new ContactWalk(businessId, filter, after);
  return dynamicCall("contacts_walked", walk.shape, walk.values, () =>
    sql
      .queryBuilder()
      .withMaterialized("looked", walk.newest(sql.raw(`${mostWalked}`), searchedColumns))
      .select(
        sql.raw(`(select min(id) from looked having count(*) = ${mostWalked}) as reached`),
        sql.raw("array? as ids", [
          walk.searched(sql({ contact: "looked" }).select("contact.id")).orderBy("contact.id", "desc") as never,
        ]),
      ),
  );
}

/** One row. `ids` are the contacts that match, unsorted. If more than `mostFound` match, `ids` has `mostFound` + 1. */
export function foundCall(businessId: number, filter: ContactFilter): StatementCall {
  const walk = new ContactWalk(businessId, filter);
  return dynamicCall("contacts_found", walk.shape, walk.values, () => {
    const all = walk.tagged(walk.searched(walk.ofAnyTag(sql({ contact: "contacts" }).select("contact.id"))));
    return sql.select(sql.raw("array? as ids", [all.limit(mostFound + 1, { skipBinding: true }) as never]));
  });
}

const of = placeholders({ ids: "bigint[]" });

/** One row for each of these contacts that still meets the filter. The filter's text is not checked again. */
export function exportedCall(businessId: number, filter: ContactFilter, ids: readonly number[]): StatementCall {
  const walk = new ContactWalk(businessId, { ...filter, text: null });
  return dynamicCall("contacts_exported", walk.shape, { ...walk.values, ids }, () => {
    const contacts = sql
      .select(sql.raw(`${wholeContact} as contact`))
      .from(sql.raw("unnest(?) as page(id)", [of.ids]))
      .modify(contactOfPage)
      .orderBy("contact.id", "desc");
    return walk.tagged(walk.ofAnyTag(contacts));
  });
}
