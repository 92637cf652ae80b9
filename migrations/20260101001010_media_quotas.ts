import type { Knex } from "knex";

/**
 * Triggers count the stored bytes of a business. A file counts with its reserved size until it is complete, then with
 * its real size. A file that is being deleted counts as reserved until it is removed.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A flag that says nothing of use counts as one that is not there: 5 GB.
    create function media_quota_bytes(flags jsonb) returns bigint language sql immutable parallel safe as $$
      select case when flags ->> 'media_quota_bytes' ~ '^[0-9]{1,15}$'
                  then (flags ->> 'media_quota_bytes')::bigint else 5368709120 end
    $$;

    alter table media_files
      -- The user; null for an App Key.
      add column uploaded_by bigint,
      add column reserved bigint not null default 0,
      -- When it was last seen to be named by anything.
      add column named_at timestamptz;
    alter table media_files add constraint media_files_reserved_check check (reserved >= 0);
    create index media_files_by_last_name on media_files (greatest(created_at, named_at)) where size is not null;

    create table media_usage (
      business_id bigint primary key,
      files bigint not null default 0,
      bytes bigint not null default 0
    );
    create function count_media() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update media_usage
        set files = files - (old.size is not null)::integer, bytes = bytes - coalesce(old.size, old.reserved)
        where business_id = old.business_id;
      end if;
      if tg_op <> 'DELETE' then
        insert into media_usage as usage (business_id, files, bytes)
        values (new.business_id, (new.size is not null)::integer, coalesce(new.size, new.reserved))
        on conflict (business_id) do update set files = usage.files + excluded.files, bytes = usage.bytes + excluded.bytes;
      end if;
      return null;
    end $$;
    create trigger media_files_counted after insert or delete or update of business_id, size, reserved on media_files
      for each row execute function count_media();
    insert into media_usage (business_id, files, bytes)
    select business_id, count(size), coalesce(sum(size), 0) from media_files group by business_id;
  `);
}

/** Without these columns, a file that is being deleted counts as an unfinished upload, and is swept as such. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger media_files_counted on media_files;
    drop function count_media;
    drop table media_usage;
    drop index media_files_by_last_name;
    alter table media_files drop column uploaded_by, drop column reserved, drop column named_at;
    drop function media_quota_bytes;
  `);
}
