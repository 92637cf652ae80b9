import {
  dynamicCall,
  type Part,
  placeholders,
  type Query,
  type StatementCall,
  sql,
} from "../../../../infra/postgres/dynamic-sql.ts";
import type { ContactSearch } from "../../../../infra/postgres/search-text.ts";
import { jsonOf, quoted } from "../../../../infra/postgres/sql-text.ts";
import type { ChatFilter, ChatPosition, PageAsked } from "../../../application/reading/ports.ts";
import { chatStates } from "../../../domain/conversation.ts";
import type { Viewer } from "../../../domain/visibility.ts";
import { chatJoins, storedChatFields } from "../chat-sql.ts";
import { addSearch, areFew, areMany, isNearEnough, mostNear, searchOf } from "../search-sql.ts";
import { isVisible, queueOfChat, queuesSeen, queuesSeenAmong, seesAll, viewerWith } from "../visibility-sql.ts";

const at = placeholders({
  ...{ business: "bigint", viewer: "bigint", limit: "bigint", after: "float8", afterId: "bigint" },
  ...{ agent: "bigint", department: "bigint", tag: "bigint" },
  ...{ ad: "text", provider: "text", states: "text[]" },
});

/**
 * One row, a `ListedChat`, for each chat of the page. `offset 0` forces one look-up per chat: the planner does not know
 * how short a page is, and would otherwise read all chats of a medium-sized business. `limit` is one row more than a
 * page; the extra row shows that there is another page.
 */
export function listChatsCall(viewer: Viewer, filter: ChatFilter, page: PageAsked<ChatPosition>): StatementCall {
  const search = filter.text === null ? undefined : searchOf(filter.text);
  const values = {
    business: viewer.businessId,
    viewer: viewer.agentId,
    limit: page.limit + 1,
    after: page.after?.at,
    afterId: page.after?.id,
    agent: filter.agent,
    department: filter.departmentId,
    tag: filter.tagId,
    ad: filter.adId,
    provider: filter.provider,
    states: filter.states,
    ...search?.values,
  };
  const isAgent = viewer.agentId !== null;
  const shape = [isAgent && "agent", page.after && "next", ...shapeOf(filter, search)];
  return dynamicCall("inbox_chats", shape, values, () => {
    const isNext = page.after !== null;
    const walks = new Walks(filter, isAgent, isNext, search, at.limit);
    const ids = newest(sql.select("id", "last_message_at").from(walks.found().as("found")));
    const query = viewerWith(at.business, at.viewer)
      .select("page.id", sql.raw(`${jsonOf(storedChatFields)} as chat`))
      .select(sql.raw("(extract(epoch from page.last_message_at) * 1000000)::bigint as at"))
      .from(ids.as("page"))
      .modify(chatOf, "page")
      .joinRaw(chatJoins)
      .orderByRaw("page.last_message_at desc, page.id desc");
    if (!search) return query;
    const most = sql.raw(`${mostNear}`);
    const walked = new Walks(unfiltered, isAgent, isNext, undefined, most).found();
    const looked = sql("looked").select("looked.id", "looked.last_message_at").modify(chatOf, "looked");
    addSearch(query, {
      looked: newest(sql.select("id", "last_message_at").from(walked.as("walked")), most),
      near: newest(allOf(looked, walks.others())),
      contacts: sql({ contact: "contacts" }).where("contact.business_id", at.business).where(search.condition()),
      limit: at.limit,
    });
    return query;
  });
}

const unfiltered: ChatFilter = {
  ...{ states: null, agent: null, departmentId: null, tagId: null, adId: null },
  ...{ unread: null, provider: null, text: null },
};

/** The names of the conditions that the filter has. */
const shapeOf = (filter: ChatFilter, search: ContactSearch | undefined) => [
  search?.key,
  filter.tagId !== null && "tag",
  filter.adId !== null && "ad",
  filter.unread !== null && (filter.unread ? "unread" : "all_read"),
  filter.agent !== null && (filter.agent === "none" ? "of_none" : "of"),
  filter.departmentId !== null && "department",
  filter.states && "state",
  filter.provider !== null && "provider",
];

/** Joins the row `chat` that has the same id as the row `row`. */
const chatOf = (query: Query, row: string): Query =>
  query.joinRaw(`cross join lateral (select * from chats where business_id = ? and id = ${row}.id offset 0) as chat`, [
    at.business,
  ]);

const newest = (query: Query, limit: Part = at.limit): Query => inOrder(query, "last_message_at", "id", limit);

const inOrder = (query: Query, lastMessageAt: string, id: string, limit: Part): Query =>
  query.orderByRaw(`${lastMessageAt} desc, ${id} desc limit ?`, [limit]);

/**
 * Queries for `id` and `last_message_at` of the chats that meet the filter: the first `limit` of them, and often more.
 * Each query walks the index that fits the filter best, in the order of the inbox, and checks the other conditions on
 * the way. If the viewer sees all chats and the filter has no condition on the agent, the query walks an index of the
 * whole business. Otherwise the query walks an index by queue, up to `limit` chats of each queue.
 */
class Walks {
  private readonly conditions: ReturnType<typeof conditionsOf>;

  constructor(
    private readonly filter: ChatFilter,
    private readonly isAgent: boolean,
    private readonly isNext: boolean,
    private readonly search: ContactSearch | undefined,
    private readonly limit: Part,
  ) {
    this.conditions = conditionsOf(filter, search);
  }

  found(): Query {
    if (!this.search) return this.all();
    const walked = sql.queryBuilder().select("*").from(this.all().as("walked")).where(areMany);
    const near = sql("near").select("id", "last_message_at").where(isNearEnough);
    return sql.queryBuilder().unionAll([near, this.amongFound(), walked], true);
  }

  private all(): Query {
    const { agent } = this.filter;
    if (agent === "none") return this.ofQueues(queuesSeenAmong(queuesOfNobody), at.business);
    if (agent !== null) return this.ofQueues(queuesSeenAmong("array[?]"), at.agent);
    if (!this.isAgent) return this.ofBusiness();
    const every = sql.queryBuilder().select("*").from(this.ofBusiness().as("every")).whereRaw(seesAll);
    const seen = sql.queryBuilder().select("*").from(this.ofQueues(queuesSeen).as("seen")).whereRaw(`not ${seesAll}`);
    return sql.queryBuilder().unionAll([every, seen], true);
  }

  /** The chats of the contacts in the CTE `found`; no rows if the CTE has many contacts. */
  private amongFound(): Query {
    const found = sql("found")
      .select("chat.id", "chat.last_message_at")
      .joinRaw(`
        cross join lateral (
          select * from chats where business_id = found.business_id and contact_id = found.id offset 0
        ) as chat`)
      .whereNotNull("chat.last_message_at");
    const query = this.next(allOf(found, [areFew, ...this.others("search")]), "chat.last_message_at", "chat.id");
    return this.isAgent ? query.whereRaw(isVisible) : query;
  }

  private ofBusiness(): Query {
    const { tagId, adId, unread, departmentId, states } = this.filter;
    if (tagId !== null) return this.tagged([], this.others("tag"));
    const isInEachState = adId === null && unread === null && (departmentId !== null || states);
    return isInEachState ? this.inEachState(this.others("states")) : this.walk(this.others());
  }

  private ofQueues(queues: string, ...places: readonly Part[]): Query {
    return sql
      .queryBuilder()
      .select("found.id", "found.last_message_at")
      .joinRaw("cross join lateral ? as found", [this.ofQueue() as never])
      .from(sql.raw(`(${queues}) as range`, places));
  }

  private ofQueue(): Query {
    const { tagId, adId, unread, departmentId, states, provider } = this.filter;
    // Compares with `range.queue`: a condition on the agent's column would make the planner leave the index's order.
    const here = sql.raw(`${queueOfChat} = range.queue`);
    if (tagId !== null)
      return this.tagged([sql.raw("tagged.queue = range.queue")], [here, ...this.others("tag", "agent")]);
    const where = [here, ...this.others("agent", "states")];
    if (adId !== null || unread !== null) return this.walk([here, ...this.others("agent")]);
    if (departmentId !== null || states) return this.inEachState(where);
    return provider === null ? this.readAndUnread(where) : this.walk(where);
  }

  /** The conditions of the filter, without those that are `taken`. */
  others(...taken: readonly (keyof ReturnType<typeof conditionsOf>)[]): Part[] {
    return Object.entries(this.conditions).flatMap(([name, each]) =>
      each && !taken.includes(name as keyof ReturnType<typeof conditionsOf>) ? [each] : [],
    );
  }

  /** The first rows after the previous page, in the order of the inbox. */
  private next(query: Query, lastMessageAt: string, id: string): Query {
    const last = "((timestamptz 'epoch' + ? * interval '1 microsecond'), ?)";
    if (this.isNext) query.whereRaw(`(${lastMessageAt}, ${id}) < ${last}`, [at.after, at.afterId]);
    return inOrder(query, lastMessageAt, id, this.limit);
  }

  private walk(where: readonly Part[]): Query {
    const query = sql({ chat: "chats" })
      .select("chat.id", "chat.last_message_at")
      .where("chat.business_id", at.business)
      .whereNotNull("chat.last_message_at");
    return this.next(allOf(query, where), "chat.last_message_at", "chat.id");
  }

  /** Walks two indexes, because read and unread chats have separate ones. */
  private readAndUnread(where: readonly Part[]): Query {
    const half = (isUnread: string) => this.walk([sql.raw(isUnread), ...where]);
    const halves = sql.queryBuilder().unionAll([half("chat.unread > 0"), half("chat.unread = 0")], true);
    return newest(sql.select("id", "last_message_at").from(halves.as("half")), this.limit);
  }

  /** Reads each state separately, in the order of the index. */
  private inEachState(where: readonly Part[]): Query {
    const wanted = this.filter.states ? at.states : sql.raw(`array[${quoted(...chatStates)}]`);
    return sql
      .queryBuilder()
      .select("each.id", "each.last_message_at")
      .from(sql.raw("unnest(?) as part(state)", [wanted]))
      .joinRaw("cross join lateral ? as each", [this.walk([sql.raw("chat.state = part.state"), ...where]) as never]);
  }

  /** `ofTag` has conditions on the row `tagged`, `ofChat` on the row `chat`. */
  private tagged(ofTag: readonly Part[], ofChat: readonly Part[]): Query {
    const query = sql({ tagged: "chat_tags" })
      .select("chat.id", "tagged.last_message_at")
      .joinRaw(`
        cross join lateral (
          select * from chats where business_id = tagged.business_id and id = tagged.chat_id offset 0
        ) as chat`)
      .where({ "tagged.business_id": at.business, "tagged.tag_id": at.tag })
      .whereNotNull("tagged.last_message_at");
    return this.next(allOf(query, [...ofTag, ...ofChat]), "tagged.last_message_at", "tagged.chat_id");
  }
}

/** A chat without an agent is in the queue of its department. Without a department it is in the queue 0. */
const queuesOfNobody = "array(select 0::bigint union all select -id from departments where business_id = ?)";

const allOf = (query: Query, where: readonly Part[]): Query =>
  where.reduce((all: Query, each) => all.where(each), query);

/** True if the contact of the row `chat` meets the search. With a join, the planner would leave the index's order. */
const hasContact = ({ condition }: ContactSearch): Part =>
  sql.raw(
    `(select ? from contacts as contact where contact.business_id = chat.business_id and contact.id = chat.contact_id)`,
    [condition()],
  );

/** Conditions on a row `chat`; undefined for conditions that the filter does not have. */
function conditionsOf(filter: ChatFilter, search: ContactSearch | undefined) {
  const { states, agent, departmentId, tagId, adId, unread, provider } = filter;
  const when = (asked: unknown, text: string, ...places: readonly Part[]) =>
    asked === null ? undefined : sql.raw(text, places);
  const hasTag = `exists (
    select 1 from chat_tags as tagged
    where tagged.business_id = chat.business_id and tagged.chat_id = chat.id and tagged.tag_id = ?)`;
  return {
    search: search && hasContact(search),
    tag: when(tagId, hasTag, at.tag),
    ad: when(adId, "chat.ad_id = ?", at.ad),
    unread: when(unread, `chat.unread ${unread ? ">" : "="} 0`),
    agent:
      agent === "none" ? sql.raw("chat.support_user_id is null") : when(agent, "chat.support_user_id = ?", at.agent),
    department: when(departmentId, "chat.department_id = ?", at.department),
    states: when(states, "chat.state = any(?::text[])", at.states),
    provider: when(provider, "chat.provider = ?", at.provider),
  };
}
