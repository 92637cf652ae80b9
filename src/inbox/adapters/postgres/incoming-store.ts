import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { IncomingStore } from "../../application/ports.ts";
import type { IncomingNews } from "../../domain/incoming.ts";
import { announcing, messageColumns, raising } from "./announce-sql.ts";
import { storeMessages } from "./customer-messages.ts";
import { learnFrom, moveMessages, takeConversationsOf } from "./delivery-statuses.ts";
import { inChunks } from "./in-chunks.ts";
import { applyPreferences } from "./marketing-preferences.ts";
import { type MessageNews, raiseChats } from "./raised-chats.ts";

const announce: Statement = {
  name: "incoming_announce",
  text: `
    with moved as (
      select ${messageColumns}, news.before
      from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint, before text)
      join messages as message on message.business_id = news.business_id and message.id = news.id
    ),
    ${announcing(raising.done)}
    select ${eventColumns} from logged order by business_id, number`,
};

/**
 * Set-based: news of any number of businesses in a few statements. Everybody who writes messages locks in this
 * order: messages, contacts, conversations, chats, and the counters of events last, each by its ids; so nobody waits
 * in a circle.
 */
export class PostgresIncomingStore implements IncomingStore {
  constructor(
    private readonly transaction: Queries,
    private readonly provider: string,
  ) {}

  async record({ statuses, preferences, messages }: IncomingNews): Promise<LoggedEvent[]> {
    const { transaction, provider } = this;
    const moved = await moveMessages(transaction, provider, statuses);
    await learnFrom(transaction, moved);
    await applyPreferences(transaction, provider, preferences);
    await takeConversationsOf(transaction, moved);
    const arrived = await storeMessages(transaction, provider, messages);
    const news = [...moved, ...arrived];
    await raiseChats(transaction, news);
    return this.tell(news);
  }

  private tell(news: readonly MessageNews[]): Promise<LoggedEvent[]> {
    const inOrder = [...news].sort((a, b) => a.business_id - b.business_id || a.id - b.id);
    const rows = inOrder.map(({ business_id, id, before }) => ({ business_id, id, before }));
    return inChunks<LoggedEvent>(this.transaction, announce, rows);
  }
}
