import type { Knex } from "knex";
import { operatorsOfParts } from "./extensions.ts";

/** Without a transaction, so that contacts can be written while the index is built. */
export const config = { transaction: false };

/**
 * Parts of phone numbers are searched by groups of five digits. A group of three is in so many numbers that the search
 * would take longer the more contacts a business has.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create or replace function phone_parts(phone text) returns int[]
    language plpgsql immutable strict parallel safe as $$
    declare
      -- A number shorter than a group has one group all the same.
      digits constant text := lpad(phone, greatest(length(phone), 5), '0');
      parts int[] := '{}';
    begin
      for start in 1 .. length(digits) - 4 loop
        parts[start] := substr(digits, start, 5)::int;
      end loop;
      return parts;
    end $$`);
  // An interrupted build leaves an invalid index.
  await db.raw("drop index concurrently if exists contacts_by_phone_parts");
  await db.raw(`
    create index concurrently contacts_by_phone_parts on contacts using gin (business_id, phone_parts(phone))`);
  await db.raw("drop index concurrently if exists contacts_by_phone_part");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop index concurrently if exists contacts_by_phone_part");
  await db.raw(
    `create index concurrently contacts_by_phone_part on contacts using gin (business_id, phone ${await operatorsOfParts(db)})`,
  );
  await db.raw("drop index concurrently if exists contacts_by_phone_parts");
  await db.raw("drop function phone_parts");
}
