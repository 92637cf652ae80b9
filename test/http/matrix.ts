import { expect } from "chai";
import type { World } from "../support/world.ts";

export type Json = Readonly<Record<string, unknown>>;

export const record = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

/** By table: count and digest of the business's rows. The tables in `without` are left out. */
export async function dumpOf(world: World, businessId: number, without: readonly string[] = []): Promise<object> {
  const owned = await world.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'business_id' order by 1`,
  );
  expect(owned.length).to.be.above(10);
  const tables = [...owned, { name: "businesses" }].filter(({ name }) => !without.includes(name));
  const digests = tables.map(async ({ name }) => {
    const column = name === "businesses" ? "id" : "business_id";
    const rows = await world.rows(
      `select count(*), md5(string_agg(held::text, ' ' order by held::text)) from ${name} as held where ${column} = $1`,
      [businessId],
    );
    return [name, rows[0]];
  });
  return Object.fromEntries(await Promise.all(digests));
}
