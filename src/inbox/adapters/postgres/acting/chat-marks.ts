import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ChatMarks } from "../../../application/acting/ports.ts";
import { TagNotFound } from "../../../domain/contact.ts";

const setBot = statement("desk_bot")`
  update chats set bot_available = $3 where business_id = $1 and id = $2 and bot_available <> $3 returning id`;

/** `changing` has the CTE `changed`, which adds or removes the tag of the CTE `known`. */
const retag = (name: string, changing: string): Statement => statement(name)`
  with known as (select id from tags where business_id = $1 and id = $3),
  ${changing},
  risen as (
    update chats set version = version + 1 where business_id = $1 and id = $2 and exists (select 1 from changed)
  )
  select exists (select 1 from known) as known, exists (select 1 from changed) as changed`;

/** A tag that a user adds is recorded in the funnel, like the tags of a step. */
const tag = retag(
  "desk_tag",
  `changed as (
      insert into chat_tags (business_id, chat_id, tag_id) select $1, $2, id from known on conflict do nothing
      returning tag_id
    ),
    passed as (
      insert into funnel_events (business_id, type, chat_id, tag_id) select $1, 'assigned_tag', $2, tag_id from changed
    )`,
);

const untag = retag(
  "desk_untag",
  `changed as (
      delete from chat_tags where business_id = $1 and chat_id = $2 and tag_id in (select id from known) returning tag_id
    )`,
);

/** `receiptFor` is the platform's id of the last customer message between the old mark and the new one. */
const read = statement("desk_read")`
  with before as materialized (select read_up_to from chats where business_id = $1 and id = $2),
  now_read as (select id from before cross join lateral read_chat($1, $2, $3) as chat)
  select (
    select platform_message_id from messages
    where business_id = $1 and chat_id = $2 and direction = 'in' and id > (select read_up_to from before) and id <= $3
    order by id desc limit 1) as "receiptFor"
  from now_read`;

export class PostgresChatMarks implements ChatMarks {
  constructor(private readonly transaction: Queries) {}

  async setBot(businessId: number, chatId: number, isAvailable: boolean): Promise<boolean> {
    return (await this.transaction.rows(setBot, [businessId, chatId, isAvailable])).length > 0;
  }

  async tag(businessId: number, chatId: number, tagId: number, isOn: boolean): Promise<boolean> {
    const values = [businessId, chatId, tagId];
    const [row] = await this.transaction.rows<{ known: boolean; changed: boolean }>(isOn ? tag : untag, values);
    if (!row?.known) throw new TagNotFound(`tag ${tagId}`);
    return row.changed;
  }

  async read(businessId: number, chatId: number, upTo: number): Promise<{ receiptFor: string | null } | undefined> {
    const [row] = await this.transaction.rows<{ receiptFor: string | null }>(read, [businessId, chatId, upTo]);
    return row;
  }
}
