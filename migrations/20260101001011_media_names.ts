import type { Knex } from "knex";

/** The index on messages is made while they are written. */
export const config = { transaction: false };

/**
 * Finds the messages that name a stored file, for the sweep of files that nothing names. Names begin with `m_`. More
 * may be taken for one than is: what is found is compared with names.
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
    // One that an earlier attempt began is not valid.
    await db.raw(`drop index if exists ${index}`);
    await db.raw(`create index concurrently ${index} on messages ${definition}`);
  }
}

const indexes = {
  messages_with_media: `(business_id, media_name(media_url)) where media_url like '%/m\\_%'`,
  // Texts that link a stored file are few. Without its list of what is pending, the index is quick to ask.
  messages_linking_media: `using gin (business_id, media_names(body)) with (fastupdate = off) where body like '%/m\\_%'`,
};

export async function down(db: Knex): Promise<void> {
  await db.raw(`drop index ${Object.keys(indexes).join(", ")}`);
  await db.raw("drop function media_name, media_names");
}
