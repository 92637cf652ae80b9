import type { Knex } from "knex";

/**
 * The directory of an installation with several cells. Only the first cell uses these tables. A business without a row
 * lives in the first cell.
 *
 * Versions grow in the order of the commits, since changes lock each other. So a process that has read up to a version
 * misses nothing.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table directory_cells (
      name text primary key,
      number integer not null unique,
      made_at timestamptz not null default now())`);
  await db.raw(`
    create table directory_businesses (
      business_id bigint primary key,
      cell text not null,
      state text not null default 'active' check (state in ('active', 'moving', 'held')),
      version bigint not null)`);
  await db.raw("create index directory_businesses_by_version on directory_businesses (version)");
  await db.raw("create sequence directory_versions");
  await db.raw(`
    create function number_placement() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(726300002);
      new.version := nextval('directory_versions');
      perform pg_notify('businesses_placed', new.business_id::text);
      return new;
    end $$`);
  await db.raw(`
    create trigger directory_businesses_numbered before insert or update on directory_businesses
    for each row execute function number_placement()`);
  await db.raw(`
    create table directory_names (
      kind text not null,
      name text not null,
      business_id bigint not null,
      claimed_at timestamptz not null default now(),
      ends_at timestamptz,
      is_checked boolean not null default false,
      primary key (kind, name))`);
  await db.raw("create index directory_names_of_business on directory_names (business_id, kind)");
  await db.raw("create index directory_names_by_end on directory_names (ends_at) where ends_at is not null");
  await db.raw("create index directory_names_unchecked on directory_names (claimed_at) where not is_checked");
  await db.raw(`
    create table away_businesses (
      business_id bigint primary key,
      since timestamptz not null default now())`);
  // Ids of different businesses may be equal, which must not conflict when a business moves into a cell.
  await db.raw("alter table sessions drop constraint sessions_id_key");
  await db.raw("alter table sessions add unique (business_id, id)");
  await db.raw("alter table app_keys drop constraint app_keys_id_key");
  await db.raw("alter table app_keys add unique (business_id, id)");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table app_keys drop constraint app_keys_business_id_id_key, add unique (id)");
  await db.raw("alter table sessions drop constraint sessions_business_id_id_key, add unique (id)");
  for (const table of ["away_businesses", "directory_names", "directory_businesses", "directory_cells"]) {
    await db.raw(`drop table ${table}`);
  }
  await db.raw("drop function number_placement()");
  await db.raw("drop sequence directory_versions");
}
