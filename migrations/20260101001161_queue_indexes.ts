import type { Knex } from "knex";

/** Indexes are built concurrently. After a failure, the migration can run again. */
export const config = { transaction: false };

const queue = "coalesce(support_user_id, -department_id, 0)";
const newest = "last_message_at desc, id desc)";

const indexes = {
  // For businesses that read few of their chats; used with chats_unread.
  chats_read: `chats (business_id, ${newest} where last_message_at is not null and unread = 0`,
  // For agents, and for the filter by agent.
  chats_of_queue: `chats (business_id, (${queue}), state, ${newest} where last_message_at is not null`,
  chats_of_queue_unread: `chats (business_id, (${queue}), ${newest} where last_message_at is not null and unread > 0`,
  chats_of_queue_read: `chats (business_id, (${queue}), ${newest} where last_message_at is not null and unread = 0`,
  chats_of_queue_and_provider: `chats (business_id, (${queue}), provider, ${newest} where last_message_at is not null`,
  chats_of_queue_and_department: `chats (business_id, (${queue}), department_id, state, ${newest}
    where last_message_at is not null and department_id is not null`,
  chats_of_queue_and_ad: `chats (business_id, (${queue}), ad_id, ${newest}
    where last_message_at is not null and ad_id is not null`,
  chats_of_queue_and_tag: `chat_tags (business_id, tag_id, queue, last_message_at desc, chat_id desc)
    where last_message_at is not null`,
};

/** Each page of the inbox, with any single filter, is the beginning of one or a few index scans. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The queue of the chat, beside its place in the order; kept by the same triggers.
    alter table chat_tags add column if not exists queue bigint not null default 0;

    create or replace function keep_tags_in_order() returns trigger language plpgsql as $$
    begin
      update chat_tags
      set last_message_at = new.last_message_at, queue = coalesce(new.support_user_id, -new.department_id, 0)
      where business_id = new.business_id and chat_id = new.id;
      return null;
    end $$;
    create or replace trigger chats_keep_tags_in_order after update on chats for each row when (
        old.last_message_at is distinct from new.last_message_at
        or old.support_user_id is distinct from new.support_user_id
        or old.department_id is distinct from new.department_id)
      execute function keep_tags_in_order();
    -- Locks the chat: one that rises or changes hands in the same moment takes the tag along, or is seen here.
    create or replace function take_place_among_tags() returns trigger language plpgsql as $$
    begin
      select last_message_at, ${queue} into new.last_message_at, new.queue from chats
      where business_id = new.business_id and id = new.chat_id for no key update;
      return new;
    end $$;
  `);
  await placeTagsInQueues(db);
  for (const [index, definition] of Object.entries(indexes)) await build(db, index, definition);
  await db.raw("drop index concurrently if exists chats_of_agent");
}

/** In batches, whose chats are locked meanwhile. */
async function placeTagsInQueues(db: Knex): Promise<void> {
  for (let [business, chat]: [unknown, unknown] = [0, 0]; business !== undefined; ) {
    const { rows } = await db.raw(
      `with tagged as (
         select business_id, id, ${queue} as queue from chats
         where (business_id, id) > (:business::bigint, :chat::bigint)
         order by business_id, id limit 5000
         for no key update
       ),
       placed as (
         update chat_tags set queue = tagged.queue from tagged
         where chat_tags.business_id = tagged.business_id and chat_tags.chat_id = tagged.id
           and chat_tags.queue <> tagged.queue
       )
       select business_id, id from tagged order by business_id desc, id desc limit 1`,
      { business: business as string, chat: chat as string },
    );
    [business, chat] = [rows[0]?.business_id, rows[0]?.id];
  }
}

/** An interrupted build leaves an invalid index. */
async function build(db: Knex, index: string, definition: string): Promise<void> {
  await db.raw(`drop index concurrently if exists ${index}`);
  await db.raw(`create index concurrently ${index} on ${definition}`);
}

export async function down(db: Knex): Promise<void> {
  await build(
    db,
    "chats_of_agent",
    `chats (business_id, coalesce(support_user_id, 0), state, ${newest} where last_message_at is not null`,
  );
  for (const index of Object.keys(indexes)) await db.raw(`drop index concurrently if exists ${index}`);
  await db.raw(`
    create or replace function take_place_among_tags() returns trigger language plpgsql as $$
    begin
      select last_message_at into new.last_message_at from chats
      where business_id = new.business_id and id = new.chat_id for no key update;
      return new;
    end $$;
    create or replace trigger chats_keep_tags_in_order after update on chats
      for each row when (old.last_message_at is distinct from new.last_message_at) execute function keep_tags_in_order();
    create or replace function keep_tags_in_order() returns trigger language plpgsql as $$
    begin
      update chat_tags set last_message_at = new.last_message_at
      where business_id = new.business_id and chat_id = new.id;
      return null;
    end $$;
    alter table chat_tags drop column if exists queue;
  `);
}
