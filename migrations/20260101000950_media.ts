import type { Knex } from "knex";

export async function up(db: Knex): Promise<void> {
  // A row is inserted before the file is written, and gets its size when the file is complete. It may outlive its
  // business, because the sweep needs it to remove the file.
  await db.raw(`
    create table media_files (
      business_id bigint not null,
      name text not null,
      file_name text not null,
      type text not null,
      size bigint check (size > 0),
      created_at timestamptz not null default now(),
      primary key (business_id, name)
    );
    -- Whoever fetches a file knows its name and nothing else.
    create unique index media_files_by_name on media_files (name);
    create index media_files_unfinished on media_files (created_at) where size is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table media_files;
  `);
}
