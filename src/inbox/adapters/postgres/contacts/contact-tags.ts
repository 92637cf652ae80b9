import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";

const unknown = statement("contact_unknown_tags")`
  select wanted.id from unnest($2::bigint[]) as wanted(id)
  where not exists (select 1 from tags where business_id = $1 and tags.id = wanted.id)
  order by wanted.id`;

const add = statement("contact_tag")`
  insert into contact_tags (business_id, contact_id, tag_id)
  select tag.business_id, $2::bigint, tag.id
  from tags as tag where tag.business_id = $1 and tag.id = any($3::bigint[])
  on conflict do nothing returning tag_id`;

const byName = statement("contact_tags_by_name")`
  select id, name from tags where business_id = $1 and name = any($2::text[])`;

/** Returns the tags that the business does not have. */
export async function unknownTags(
  transaction: Queries,
  businessId: number,
  tagIds: readonly number[],
): Promise<number[]> {
  if (tagIds.length === 0) return [];
  const rows = await transaction.rows<{ id: number }>(unknown, [businessId, tagIds]);
  return rows.map(({ id }) => id);
}

/** Skips unknown tags. Returns true if the contact did not have all of the others. */
export const addTags = async (
  transaction: Queries,
  businessId: number,
  contactId: number,
  tagIds: readonly number[],
): Promise<boolean> => (await transaction.rows(add, [businessId, contactId, tagIds])).length > 0;

/** Unknown names are missing in the result. */
export async function tagIdsByName(
  transaction: Queries,
  businessId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await transaction.rows<{ id: number; name: string }>(byName, [businessId, [...new Set(names)]]);
  return new Map(rows.map(({ id, name }) => [name, id]));
}
