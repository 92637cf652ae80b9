import { mostUses } from "../../domain/records.ts";
import { type Query, sql } from "./query.ts";
import type { RecordTable } from "./record-table.ts";

/** A column that names records of a table. */
interface Referrer {
  readonly table: string;
  readonly column: string;
  /** What its rows are called where a record is in use, if not like their table. */
  readonly called?: string;
  /** Several ids: an array of the database, or a text that is a list with commas or JSON. */
  readonly holds?: "array" | "text";
}

interface Referred {
  /** The column that says when a record was archived, where it is not deleted. */
  readonly archives?: string;
  readonly namedBy?: readonly Referrer[];
}

/**
 * What refers to what, by the table of the records that are referred to. From here come the check that what a record
 * names is there, and what keeps a record from being deleted. Orders keep the ids of articles that are archived, as chats
 * keep those of users: of what is archived only the columns of other managed records stand here.
 */
export const referred: Readonly<Record<string, Referred>> = {
  app_keys: { archives: "revoked_at" },
  articles: {
    archives: "archived_at",
    namedBy: [{ table: "extra_articles", column: "article_id" }],
  },
  article_extras: { namedBy: [{ table: "line_extras", column: "extra_id", called: "orders" }] },
  branches: {
    namedBy: [
      { table: "orders", column: "branch_id" },
      { table: "user_branches", column: "branch_id", called: "users" },
      { table: "zones", column: "branch_id" },
    ],
  },
  departments: {
    namedBy: [
      { table: "department_agents", column: "department_id", called: "users" },
      { table: "steps", column: "department_id" },
      { table: "chats", column: "department_id" },
    ],
  },
  drivers: { namedBy: [{ table: "orders", column: "driver_id" }] },
  senders: { namedBy: [{ table: "campaigns", column: "sender_id" }] },
  steps: {
    archives: "archived_at",
    namedBy: [
      { table: "steps", column: "parent_step_id" },
      { table: "steps", column: "next_step_id" },
    ],
  },
  tags: {
    namedBy: [
      { table: "chat_tags", column: "tag_id", called: "chats" },
      { table: "contact_tags", column: "tag_id", called: "contacts" },
      { table: "steps", column: "tags", holds: "text" },
      { table: "campaigns", column: "tags", holds: "array" },
    ],
  },
  templates: { archives: "deleted_at" },
  users: {
    archives: "archived_at",
    namedBy: [
      { table: "department_agents", column: "user_id" },
      { table: "steps", column: "agent", holds: "text" },
      { table: "templates", column: "allowed_agents", holds: "text" },
    ],
  },
  zones: { namedBy: [{ table: "orders", column: "zone_id" }] },
};

export const archivedAt = (table: string): string | undefined => referred[table]?.archives;

/** The table whose records a column names. */
export const namedIn = (table: string, column: string): string | undefined =>
  Object.keys(referred).find((each) =>
    referred[each]?.namedBy?.some((by) => by.table === table && by.column === column),
  );

/** The fields of a resource that name records, by the table of these. */
export function referencesOf<Fields extends object>({ name, columns, sets = {} }: RecordTable<Fields>) {
  const places = [
    ...Object.entries(columns as Readonly<Record<string, string>>).map(([field, column]) => [field, name, column]),
    ...Object.entries(sets as Readonly<Record<string, { table: string; other: string }>>).map(
      ([field, { table, other }]) => [field, table, other],
    ),
  ] as [field: keyof Fields & string, table: string, column: string][];
  return places.flatMap(([field, ...place]): [typeof field, string][] => {
    const table = namedIn(...place);
    return table === undefined ? [] : [[field, table]];
  });
}

/** Counts what uses a record, by what it is called; null where nothing can. What is archived uses nothing. */
export function countsOfUses(businessId: number, table: string, id: number) {
  const uses = (referred[table]?.namedBy ?? []).map(({ table: from, column, called = from, holds }) => {
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

/** Counts rows by their `what`; each of the statements that give them is bounded. */
export function countsOf(uses: readonly Query[]): Query {
  const all = sql
    .queryBuilder()
    .unionAll([...uses], true)
    .as("uses");
  return sql.from(all).groupBy("what").orderBy("what").select("what", sql.raw("count(*)::integer as count"));
}
