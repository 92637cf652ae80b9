import type { Knex } from "knex";

/** Open work of an erasure is stored, so that another process can finish it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table contact_erasures (
      business_id bigint not null,
      contact_id bigint not null,
      -- The contact's number and its id on the platform, for as long as something may still name them.
      numbers text[] not null,
      -- Stored files that are withdrawn and still to be removed.
      files text[] not null,
      -- When all was gone. What was under way then is looked for once more.
      completed_at timestamptz,
      due_at timestamptz not null,
      primary key (business_id, contact_id),
      foreign key (business_id, contact_id) references contacts on delete cascade
    );
    with erased as materialized (
      select business_id, id, erased_at, erased_at + interval '1 minute' as due_at
      from contacts where erased_at is not null and erased_again_at is null
    )
    insert into contact_erasures (business_id, contact_id, numbers, files, completed_at, due_at)
    select business_id, id, '{}', '{}', erased_at, due_at from erased;

    drop index contacts_to_erase_again;
    alter table contacts drop column erased_again_at;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table contacts add column erased_again_at timestamptz;
    create index contacts_to_erase_again on contacts (business_id, erased_at)
      where erased_at is not null and erased_again_at is null;
    update contacts as contact set erased_again_at = now()
    where erased_at is not null and not exists (
      select from contact_erasures as erasure
      where erasure.business_id = contact.business_id and erasure.contact_id = contact.id);
    drop table contact_erasures;
  `);
}
