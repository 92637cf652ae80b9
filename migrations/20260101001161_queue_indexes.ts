import type { Knex } from "knex";

const queue = "coalesce(support_user_id, -department_id, 0)";

/** Each page of the inbox, with any one filter, for any viewer, is the beginning of one index or of a few. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Beside chats_unread, for businesses that read little.
    create index chats_read on chats (business_id, last_message_at desc, id desc)
      where last_message_at is not null and unread = 0;

    -- By queue, for agents and for the filter by agent.
    drop index chats_of_agent;
    create index chats_of_queue on chats (business_id, (${queue}), state, last_message_at desc, id desc)
      where last_message_at is not null;
    create index chats_of_queue_unread on chats (business_id, (${queue}), last_message_at desc, id desc)
      where last_message_at is not null and unread > 0;
    create index chats_of_queue_read on chats (business_id, (${queue}), last_message_at desc, id desc)
      where last_message_at is not null and unread = 0;
    create index chats_of_queue_and_provider on chats
      (business_id, (${queue}), provider, last_message_at desc, id desc) where last_message_at is not null;
    create index chats_of_queue_and_department on chats
      (business_id, (${queue}), department_id, state, last_message_at desc, id desc)
      where last_message_at is not null and department_id is not null;
    create index chats_of_queue_and_ad on chats (business_id, (${queue}), ad_id, last_message_at desc, id desc)
      where last_message_at is not null and ad_id is not null;

    -- The queue of the chat, beside its place in the order; kept by the same triggers.
    alter table chat_tags add column queue bigint not null default 0;
    alter table chat_tags disable trigger user;
    update chat_tags as tagged set queue = coalesce(chat.support_user_id, -chat.department_id, 0)
      from chats as chat where chat.business_id = tagged.business_id and chat.id = tagged.chat_id;
    alter table chat_tags enable trigger user;
    create index chats_of_queue_and_tag on chat_tags (business_id, tag_id, queue, last_message_at desc, chat_id desc)
      where last_message_at is not null;

    create or replace function keep_tags_in_order() returns trigger language plpgsql as $$
    begin
      update chat_tags
      set last_message_at = new.last_message_at, queue = coalesce(new.support_user_id, -new.department_id, 0)
      where business_id = new.business_id and chat_id = new.id;
      return null;
    end $$;
    drop trigger chats_keep_tags_in_order on chats;
    create trigger chats_keep_tags_in_order after update on chats for each row when (
        old.last_message_at is distinct from new.last_message_at
        or old.support_user_id is distinct from new.support_user_id
        or old.department_id is distinct from new.department_id)
      execute function keep_tags_in_order();
    -- The chat is not locked: campaigns tag after they have logged events. One that rises or changes hands in the same
    -- moment may be missing or stand lower among its tag's chats until its next message; only those who may see it do.
    create or replace function take_place_among_tags() returns trigger language plpgsql as $$
    begin
      select last_message_at, coalesce(support_user_id, -department_id, 0) into new.last_message_at, new.queue from chats
      where business_id = new.business_id and id = new.chat_id;
      return new;
    end $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    create or replace function take_place_among_tags() returns trigger language plpgsql as $$
    begin
      select last_message_at into new.last_message_at from chats
      where business_id = new.business_id and id = new.chat_id;
      return new;
    end $$;
    drop trigger chats_keep_tags_in_order on chats;
    create trigger chats_keep_tags_in_order after update on chats
      for each row when (old.last_message_at is distinct from new.last_message_at) execute function keep_tags_in_order();
    create or replace function keep_tags_in_order() returns trigger language plpgsql as $$
    begin
      update chat_tags set last_message_at = new.last_message_at
      where business_id = new.business_id and chat_id = new.id;
      return null;
    end $$;
    drop index chats_of_queue_and_tag;
    alter table chat_tags drop column queue;
    drop index chats_of_queue_and_ad, chats_of_queue_and_department, chats_of_queue_and_provider, chats_of_queue_read,
      chats_of_queue_unread, chats_of_queue, chats_read;
    create index chats_of_agent on chats
      (business_id, coalesce(support_user_id, 0), state, last_message_at desc, id desc)
      where last_message_at is not null;
  `);
}
