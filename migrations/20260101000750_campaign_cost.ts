import type { Knex } from "knex";

/**
 * Makes the rows of campaigns cheaper: each change of a row's state rewrites its index entries, and each foreign key
 * costs a lookup and a lock per row.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Counts by state go through the campaign's rows either way; nothing else needs these two.
    drop index campaign_recipients_by_state;
    drop index campaign_recipients_by_platform_id;
    drop index campaign_recipients_under_lease;
    create index campaign_recipients_under_lease on campaign_recipients (business_id, campaign_id, position)
      where lease_until is not null;

    -- Behind the contact: as long as the planner knows little of a campaign, an index that begins like the primary key
    -- looks as good to it for a single recipient.
    drop index campaign_recipients_once;
    create unique index campaign_recipients_once on campaign_recipients (business_id, contact_id, campaign_id);

    -- A message lies in its chat's conversation: one look-up that says so instead of two that do not.
    alter table conversations add unique (business_id, chat_id, id);
    alter table messages drop constraint messages_business_id_chat_id_fkey;
    alter table messages drop constraint messages_business_id_conversation_id_fkey;
    alter table messages add foreign key (business_id, chat_id, conversation_id)
        references conversations (business_id, chat_id, id) on delete cascade;
    -- Their chats belong to the business; and the counter that numbers an event does.
    alter table funnel_events drop constraint funnel_events_business_id_fkey;
    alter table realtime_events drop constraint realtime_events_business_id_fkey;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from realtime_events where business_id not in (select id from businesses);
    alter table realtime_events add foreign key (business_id) references businesses on delete cascade;
    alter table funnel_events add foreign key (business_id) references businesses on delete cascade;
    alter table messages
      drop constraint messages_business_id_chat_id_conversation_id_fkey,
      add foreign key (business_id, chat_id) references chats on delete cascade,
      add foreign key (business_id, conversation_id) references conversations on delete cascade;
    alter table conversations drop constraint conversations_business_id_chat_id_id_key;
    drop index campaign_recipients_once, campaign_recipients_under_lease;
    create unique index campaign_recipients_once on campaign_recipients (business_id, campaign_id, contact_id);
    create index campaign_recipients_under_lease on campaign_recipients (business_id, lease_until)
      where lease_until is not null;
    create index campaign_recipients_by_state on campaign_recipients (business_id, campaign_id, state, position);
    create index campaign_recipients_by_platform_id on campaign_recipients (business_id, platform_message_id)
      where platform_message_id is not null;
  `);
}
