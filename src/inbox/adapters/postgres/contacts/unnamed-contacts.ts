import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { quoted } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { NamingStores, UnnamedContact, UnnamedContacts } from "../../../application/contacts/name-contacts.ts";
import { unannouncedStates } from "../../../domain/delivery.ts";
import type { ChangedContact } from "../incoming/news.ts";
import { tellOfMessages } from "../told-messages.ts";
import { announceContacts } from "./changed-contacts.ts";

/**
 * Finds the businesses with one index probe each, so that a business with many rows costs no more than others.
 * `due_at` is checked again, because a concurrent claim may have moved it.
 */
const claim = statement("unnamed_contacts_claim")`
  with recursive waiting as (
    (select business_id from unnamed_contacts order by business_id limit 1)
    union all
    select (select business_id from unnamed_contacts as next where next.business_id > waiting.business_id
            order by next.business_id limit 1)
    from waiting where waiting.business_id is not null
  ),
  due as (
    select first.business_id, first.contact_id,
           now() + make_interval(secs => ($3::integer[])[least(first.attempts + 1, cardinality($3::integer[]))])
             as next_due_at
    from waiting cross join lateral (
      select business_id, contact_id, due_at, attempts from unnamed_contacts
      where business_id = waiting.business_id and due_at <= now()
      order by due_at, contact_id limit 1
    ) as first
    where waiting.business_id <> all($2::bigint[]) and ${livesHere("waiting.business_id")}
    order by first.due_at, first.business_id
    limit $1
  )
  update unnamed_contacts as unnamed
  set attempts = unnamed.attempts + 1, due_at = due.next_due_at
  from due
  join contacts as contact on contact.business_id = due.business_id and contact.id = due.contact_id
  where unnamed.business_id = due.business_id and unnamed.contact_id = due.contact_id and unnamed.due_at <= now()
  returning unnamed.business_id as "businessId", unnamed.contact_id as "contactId", unnamed.provider,
            coalesce((
              select id from chats
              where business_id = unnamed.business_id and contact_id = unnamed.contact_id
                and provider = unnamed.provider), 0) as "chatId",
            unnamed.attempts, contact.platform_id as "platformId",
            contact.name <> contact.platform_id or contact.erased_at is not null as "isSettled"`;

const name = statement("unnamed_contact_name")`
  update contacts set name = $4, updated_at = now()
  where business_id = $1 and id = $2 and platform_id = $3 and name = $3 and erased_at is null
  returning business_id, id`;

const mostRenamed = 200;

/** Only the newest messages of each chat are changed: a contact writes few messages before it gets a name. */
const renameAuthors = statement("unnamed_contact_messages")`
  with newest as (
    select written.id
    from chats as chat cross join lateral (
      select id from messages
      where business_id = $1 and chat_id = chat.id
      order by id desc limit ${mostRenamed}
    ) as written
    where chat.business_id = $1 and chat.contact_id = $2
  ),
  locked as (
    select message.id, contact.name, coalesce(
             (select jsonb_agg(case when entry @> jsonb_build_object('from', 'contact', 'author', $3::text)
                                    then entry || jsonb_build_object('author', contact.name) else entry end
                               order by place)
              from jsonb_array_elements(message.reactions) with ordinality as given(entry, place)), '[]') as reactions
    from messages as message cross join contacts as contact
    where message.business_id = $1 and message.id in (select id from newest)
      and (message.author = 'contact' and message.author_name = $3
           or message.reactions @> jsonb_build_array(jsonb_build_object('from', 'contact', 'author', $3::text)))
      and contact.business_id = $1 and contact.id = $2 and contact.erased_at is null and contact.name <> $3
    order by message.id
    for no key update of message
  )
  update messages as message
  set author_name = case when message.author = 'contact' and message.author_name = $3
                         then locked.name else message.author_name end,
      reactions = locked.reactions
  from locked where message.business_id = $1 and message.id = locked.id
  returning message.id, message.chat_id as "chatId"`;

/** Chats whose row in the inbox shows a renamed author. The new version makes clients draw the row again. */
const raiseVersions = statement("unnamed_contact_chats")`
  with locked as (
    select chat.id
    from chats as chat
    cross join lateral (
      select id from messages
      where business_id = $1 and chat_id = chat.id and state not in (${quoted(...unannouncedStates)})
      order by id desc limit 1
    ) as last
    where chat.business_id = $1 and chat.id = any($2::bigint[]) and last.id = any($3::bigint[])
    order by chat.id
    for no key update of chat
  )
  update chats as chat set version = version + 1
  from locked where chat.business_id = $1 and chat.id = locked.id
  returning chat.id`;

const forget = statement("unnamed_contact_forget")`
  delete from unnamed_contacts where business_id = $1 and contact_id = $2`;

export class PostgresUnnamedContacts implements UnnamedContacts {
  constructor(private readonly cells: Cells) {}

  claim(limit: number, without: readonly number[], pauses: readonly number[]): Promise<UnnamedContact[]> {
    return everywhere(this.cells, (cell) => cell.rows<UnnamedContact>(claim, [limit, without, pauses]));
  }
}

export class PostgresNaming implements NamingStores {
  constructor(private readonly transaction: Queries) {}

  async name({ businessId, contactId, platformId }: UnnamedContact, given: string): Promise<LoggedEvent[]> {
    const values = [businessId, contactId, platformId, given];
    return announceContacts(this.transaction, await this.transaction.rows<ChangedContact>(name, values));
  }

  async settle({ businessId, contactId, platformId }: UnnamedContact): Promise<LoggedEvent[]> {
    const values = [businessId, contactId, platformId];
    const renamed = await this.transaction.rows<{ id: number; chatId: number }>(renameAuthors, values);
    await this.transaction.rows(forget, [businessId, contactId]);
    if (renamed.length === 0) return [];
    const ids = renamed.map(({ id }) => id);
    const chatIds = [...new Set(renamed.map(({ chatId }) => chatId))];
    const raised = await this.transaction.rows<{ id: number }>(raiseVersions, [businessId, chatIds, ids]);
    return tellOfMessages(
      this.transaction,
      businessId,
      ids,
      raised.map(({ id }) => id),
    );
  }
}
