import { chosenKinds } from "../directory/name-statements.ts";
import { changedTables, type Guard, hasKey } from "./copy.ts";
import { quoted, type Side } from "./side.ts";
import type { TenantTable } from "./tenant-tables.ts";

/** The names by which the business of a request is found, such as keys, sessions and e-mails, and their tables. */
const sources = [
  { table: "app_keys", kind: "key", name: "encode(own.digest, 'hex')", where: "true" },
  { table: "sessions", kind: "session", name: "encode(own.digest, 'hex')", where: "own.expires_at > now()" },
  {
    table: "credentials",
    kind: "invitation",
    name: "encode(own.invitation_digest, 'hex')",
    where: "own.invitation_digest is not null",
  },
  { table: "credentials", kind: "email", name: "own.email", where: "true" },
  { table: "senders", kind: "sender", name: "own.provider || ' ' || own.platform_id", where: "true" },
  { table: "media_files", kind: "media", name: "own.name", where: "true" },
] as const;

/** Names that users choose. They are unique in a cell, so old rows could block a business that wants the same name. */
const chosen = sources.filter(({ kind }) => chosenKinds.has(kind));

/** Names that a business had when it left a cell, and has given up since. Its old rows there still have them. */
interface GivenUpNames {
  readonly table: string;
  readonly names: readonly string[];
}

/** @param left - the cell that the business has left */
export async function givenUpNames(left: Side, directory: Side, businessId: number): Promise<GivenUpNames[]> {
  const found: GivenUpNames[] = [];
  for (const { table, kind, name } of chosen) {
    const rows = await left.rows<{ name: string }>(
      `select ${name} as name from ${quoted(table)} as own where own.business_id = $1`,
      [businessId],
    );
    const text = `
      select given.name from unnest($3::text[]) as given(name) where not exists (
        select 1 from directory_names as known
        where known.kind = $2 and known.name = given.name and known.business_id = $1)`;
    const given = await directory.rows<{ name: string }>(text, [businessId, kind, rows.map((row) => row.name)]);
    if (given.length > 0) found.push({ table, names: given.map((row) => row.name) });
  }
  return found;
}

/** Deletes the old rows that have given-up names, so that other businesses of the cell can use these names. */
export async function freeNames(
  left: Side,
  businessId: number,
  given: readonly GivenUpNames[],
  guard: Guard,
): Promise<void> {
  await left.transaction("quiet", async () => {
    await guard();
    for (const { table, names } of given) {
      const { name } = chosen.find((one) => one.table === table) as (typeof chosen)[number];
      const text = `delete from ${quoted(table)} as own where own.business_id = $1 and ${name} = any($2::text[])`;
      await left.run(text, [businessId, names]);
    }
  });
}

const sentNames = "recado_sent_names";

/**
 * Writes the names of a business to the directory, so that requests with these names find the business. This may bring
 * back a name that the business has released since the source's snapshot. E-mails and senders are written as unchecked,
 * so the sweep removes such a name. A name that another business has claimed stays with that business.
 *
 * @param which - `changed`: only names in changed rows
 */
export async function publishNames(
  source: Side,
  directory: Side,
  tables: readonly TenantTable[],
  businessId: number,
  which: "all" | "changed",
): Promise<void> {
  const changed = which === "changed" ? await changedTables(source, businessId) : undefined;
  const wanted = sources.filter(({ table }) => changed?.has(table) ?? true);
  if (wanted.length === 0) return;
  const parts = wanted.map(({ table, kind, name, where }) => {
    const known = tables.find((one) => one.name === table);
    const isChanged = changed
      ? `and exists (select 1 from moved_keys as changed
          where changed.business_id = ${businessId} and changed.table_name = '${table}' ${known ? hasKey(known) : ""})`
      : "";
    const ends = kind === "session" ? "own.expires_at" : "null::timestamptz";
    return `select '${kind}' as kind, ${name} as name, ${ends} as ends_at from ${quoted(table)} as own
      where own.business_id = ${businessId} and ${where} ${isChanged}`;
  });
  await directory.transaction("plain", async () => {
    await directory.run(
      `create temporary table ${sentNames} (kind text, name text, ends_at timestamptz) on commit drop`,
    );
    await source.copyTo(directory, parts.join(" union all "), sentNames, ["kind", "name", "ends_at"]);
    await directory.run(
      `insert into directory_names as known (kind, name, business_id, ends_at, is_checked)
       select kind, name, $1, ends_at, kind <> all($2::text[]) from ${sentNames} order by kind, name
       on conflict (kind, name) do update set ends_at = excluded.ends_at
       where known.business_id = excluded.business_id and known.ends_at is distinct from excluded.ends_at`,
      [businessId, [...chosenKinds]],
    );
  });
}
