import { statement } from "../../../../infra/postgres/statement.ts";

export const unknownTags = statement("contact_unknown_tags")`
  select wanted.id from unnest($2::bigint[]) as wanted(id)
  where not exists (select 1 from tags where business_id = $1 and tags.id = wanted.id)
  order by wanted.id`;

export const addTags = statement("contact_tag")`
  insert into contact_tags (business_id, contact_id, tag_id)
  select tag.business_id, $2::bigint, tag.id
  from tags as tag where tag.business_id = $1 and tag.id = any($3::bigint[])
  on conflict do nothing returning tag_id`;

export const tagsByName = statement("contact_tags_by_name")`
  select id, name from tags where business_id = $1 and name = any($2::text[])`;
