import { mostUses } from "../../domain/records.ts";
import { type Query, sql } from "./query.ts";
import type { RecordTable } from "./record-table.ts";

/** A column that refers to records of a table. */
interface Referrer {
  readonly table: string;
  readonly column: string;
  /** The kind of use that a row counts as; the table's name by default. */
  readonly called?: string;
  /** Set if the column is not a plain id: a PostgreSQL array of ids, or a text of one or more ids (commas or JSON). */
  readonly holds?: "array" | "text";
}

interface Referred {
  /** The column with the time of archiving. Tables without this column have no archive: their records are deleted. */
  readonly archives?: string;
  readonly referredBy?: readonly Referrer[];
}

/**
 * The columns that refer to each table. With them a write checks that the referenced records exist, and a deletion
 * checks that nothing uses the record. For a table with `archives`, `referredBy` has only columns of administration's
 * own records, because orders may keep the ids of archived articles, and chats the ids of archived users.
 */
export const referred: Readonly<Record<string, Referred>> = {
  app_keys: { archives: "revoked_at" },
  articles: {
    archives: "archived_at",
    referredBy: [{ table: "extra_articles", column: "article_id" }],
  },
  article_extras: { referredBy: [{ table: "line_extras", column: "extra_id", called: "orders" }] },
  branches: {
    referredBy: [
      { table: "orders", column: "branch_id" },
      { table: "user_branches", column: "branch_id", called: "users" },
      { table: "zones", column: "branch_id" },
    ],
  },
  departments: {
    referredBy: [
      { table: "department_agents", column: "department_id", called: "users" },
      { table: "steps", column: "department_id" },
      { table: "chats", column: "department_id" },
    ],
  },
  drivers: { referredBy: [{ table: "orders", column: "driver_id" }] },
  senders: { referredBy: [{ table: "campaigns", column: "sender_id" }] },
  steps: {
    archives: "archived_at",
    referredBy: [
      { table: "steps", column: "parent_step_id" },
      { table: "steps", column: "next_step_id" },
    ],
  },
  tags: {
    referredBy: [
      { table: "chat_tags", column: "tag_id", called: "chats" },
      { table: "contact_tags", column: "tag_id", called: "contacts" },
      { table: "steps", column: "tags", holds: "text" },
      { table: "campaigns", column: "tags", holds: "array" },
    ],
  },
  templates: { archives: "deleted_at" },
  users: {
    archives: "archived_at",
    referredBy: [
      { table: "department_agents", column: "user_id" },
      { table: "steps", column: "agent", holds: "text" },
      { table: "templates", column: "allowed_agents", holds: "text" },
    ],
  },
  zones: { referredBy: [{ table: "orders", column: "zone_id" }] },
};

export const archivedAt = (table: string): string | undefined => referred[table]?.archives;

export const tableReferredTo = (table: string, column: string): string | undefined =>
  Object.keys(referred).find((each) =>
    referred[each]?.referredBy?.some((by) => by.table === table && by.column === column),
  );

/** The fields of a resource that refer to other records, each with the table of the records that it refers to. */
export function referencesOf<Fields extends object>({ name, columns, sets = {} }: RecordTable<Fields>) {
  const places = [
    ...Object.entries(columns as Readonly<Record<string, string>>).map(([field, column]) => [field, name, column]),
    ...Object.entries(sets as Readonly<Record<string, { table: string; other: string }>>).map(
      ([field, { table, other }]) => [field, table, other],
    ),
  ] as [field: keyof Fields & string, table: string, column: string][];
  return places.flatMap(([field, ...place]): [typeof field, string][] => {
    const table = tableReferredTo(...place);
    return table === undefined ? [] : [[field, table]];
  });
}

/** Builds the query that counts a record's uses by kind. Uses by archived records do not count. */
export function countsOfUses(businessId: number, table: string, id: number) {
  const uses = (referred[table]?.referredBy ?? []).map(({ table: from, column, called = from, holds }) => {
    const using = sql(from)
      .where("business_id", businessId)
      .select(sql.raw("?::text as what", [called]))
      .limit(mostUses);
    const archives = archivedAt(from);
    if (archives) using.whereNull(archives);
    if (holds === "array") using.whereRaw("?? @> array[?]::bigint[]", [column, id]);
    else if (holds === "text")
      using.whereRaw("?::text = any(string_to_array(regexp_replace(??, '[^0-9,]', '', 'g'), ','))", [id, column]);
    else using.where(column, id);
    return using;
  });
  return uses.length === 0 ? null : countsOf(uses);
}

/** Counts rows by their `what`. Each statement in `uses` must have a limit, or counting could take long. */
export function countsOf(uses: readonly Query[]): Query {
  const all = sql
    .queryBuilder()
    .unionAll([...uses], true)
    .as("uses");
  return sql.from(all).groupBy("what").orderBy("what").select("what", sql.raw("count(*)::integer as count"));
}
