import type { Knex } from "knex";

/** Channels whose webhooks contain no names of customers. */
const unnaming = "('platform-page', 'platform-photo')";

/** Contacts whose name must be requested from the platform; until then their id is shown. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table unnamed_contacts (
      business_id bigint not null,
      contact_id bigint not null,
      provider text not null,
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      primary key (business_id, contact_id),
      foreign key (business_id, contact_id) references contacts on delete cascade
    );
    create index unnamed_contacts_due on unnamed_contacts (business_id, due_at, contact_id);

    create function note_unnamed_contact() returns trigger language plpgsql as $$
    begin
      insert into unnamed_contacts (business_id, contact_id, provider)
      select business_id, id, new.provider from contacts
      where business_id = new.business_id and id = new.contact_id and name = platform_id and erased_at is null
      on conflict do nothing;
      return null;
    end $$;
    create trigger chats_note_unnamed_contacts after insert on chats
      for each row when (new.provider in ${unnaming}) execute function note_unnamed_contact();

    insert into unnamed_contacts (business_id, contact_id, provider)
    select chat.business_id, chat.contact_id, min(chat.provider)
    from chats as chat
    join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
    where chat.provider in ${unnaming} and contact.name = contact.platform_id and contact.erased_at is null
    group by 1, 2;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger chats_note_unnamed_contacts on chats;
    drop function note_unnamed_contact;
    drop table unnamed_contacts;
  `);
}
