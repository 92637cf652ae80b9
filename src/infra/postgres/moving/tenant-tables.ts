import type { Side } from "./side.ts";

export interface TenantTable {
  readonly name: string;
  /** The column with the business's id: `business_id`, or `id` in the table `businesses`. */
  readonly owner: string;
  /** The columns of the primary key except `owner`. Empty if the table has one row per business. */
  readonly key: readonly KeyColumn[];
  /** All columns except generated ones, in the order of the table. */
  readonly columns: readonly string[];
}

interface KeyColumn {
  readonly name: string;
  /** The name of the type for a cast, such as `bigint`. */
  readonly type: string;
}

/** Tables with a `business_id` that do not move: those of the directory, and those of the moves themselves. */
export const staying: ReadonlySet<string> = new Set([
  "directory_businesses",
  "directory_names",
  "away_businesses",
  "business_moves",
  "moving_businesses",
  "moved_keys",
  "copied_parts",
]);

const list = `
  select class.relname as name, own.attname as owner, key.columns as key, written.columns
  from pg_class as class
  join pg_attribute as own on own.attrelid = class.oid and not own.attisdropped
    and own.attname = case class.relname when 'businesses' then 'id' else 'business_id' end
  left join lateral (
    select jsonb_agg(jsonb_build_object(
        'name', part.attname, 'type', format_type(part.atttypid, part.atttypmod)) order by place.at)
      filter (where part.attname <> own.attname) as columns
    from pg_index as index
    cross join unnest(index.indkey::int[]) with ordinality as place(number, at)
    join pg_attribute as part on part.attrelid = class.oid and part.attnum = place.number
    where index.indrelid = class.oid and index.indisprimary
    having count(*) > 0
  ) as key on true
  join lateral (
    select jsonb_agg(attname order by attnum) as columns from pg_attribute
    where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = ''
  ) as written on true
  where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
    and not class.relispartition
  order by class.relname <> 'businesses', class.relname`;

/** The tables that move, read from the database's catalog. `businesses` comes first. */
export async function tenantTables(side: Side): Promise<TenantTable[]> {
  const found = await side.rows<{ name: string; owner: string; key: KeyColumn[] | null; columns: string[] }>(list);
  return found.filter(({ name }) => !staying.has(name)).map((table) => ({ ...table, key: table.key ?? [] }));
}

/** Returns the tables that move. Throws if the cells differ, since the copy would be incomplete. */
export async function sameTables(source: Side, target: Side): Promise<TenantTable[]> {
  const [here, there] = [await tenantTables(source), await tenantTables(target)];
  const signature = ({ name, key, columns }: TenantTable) => JSON.stringify([name, key, [...columns].sort()]);
  const signaturesThere = new Set(there.map(signature));
  const differing = here.filter((table) => !signaturesThere.has(signature(table)));
  if (differing.length > 0 || here.length !== there.length) {
    const names = differing.map(({ name }) => name).join(", ");
    throw new Error(`the two cells have different tables: migrate both (${names || "one has more"})`);
  }
  return here;
}
