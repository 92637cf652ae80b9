import type { Knex } from "knex";

/** Without a transaction, so that messages can be written while the index is built. */
export const config = { transaction: false };

/**
 * An index that finds the messages with a stored file, for the sweep of unused files. Names begin with `m_`. It may
 * find more, so results are compared with the names.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Computed for each message with media: a pattern would take ten times as long. (A bare question mark would be a
    -- parameter to Knex.)
    create or replace function media_name(address text) returns text
    language sql immutable strict parallel safe as $$
      select 'm_' || split_part(split_part(split_part(address, '\\?', 1), '#', 1), '/m_', -1)
    $$;

    create or replace function media_names(written text) returns text[]
    language sql immutable strict parallel safe as $$
      select array(select (regexp_matches(written, 'm_[A-Za-z0-9_-]+[.][a-z0-9]+', 'g'))[1])
    $$;
  `);
  for (const [index, definition] of Object.entries(indexes)) {
    // An interrupted build leaves an invalid index.
    await db.raw(`drop index if exists ${index}`);
    await db.raw(`create index concurrently ${index} on messages ${definition}`);
  }
}

const indexes = {
  messages_with_media: `(business_id, media_name(media_url)) where media_url like '%/m\\_%'`,
  // Few texts contain a file's URL. `fastupdate = off` makes the index faster to read.
  messages_linking_media: `using gin (business_id, media_names(body)) with (fastupdate = off) where body like '%/m\\_%'`,
};

export async function down(db: Knex): Promise<void> {
  await db.raw(`drop index ${Object.keys(indexes).join(", ")}`);
  await db.raw("drop function media_name, media_names");
}
