import { contactPatterns, nameHas, phoneHas } from "../../../infra/postgres/search-text.ts";
import { jsonOf } from "../../../infra/postgres/sql-text.ts";
import { type StatementCall, Values } from "../../../infra/postgres/values.ts";
import type { ChatFilter, ChatPosition, PageAsked } from "../../application/reading/ports.ts";
import { longestPhone } from "../../domain/contact.ts";
import { chatStates } from "../../domain/conversation.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { chatJoins, storedChatFields } from "./chat-sql.ts";
import { isVisible, queueIn, queuesSeen, queuesSeenAmong, seesAll, viewerOf } from "./visibility-sql.ts";

/** Contacts that a search looks at; where more have the text, chats are looked through from the newest. */
export const mostFound = 5_000;

const order = "order by last_message_at desc, id desc";

interface Parts {
  readonly values: Values;
  readonly filter: ChatFilter;
  readonly isAgent: boolean;
  /** Rows of a page, and one more that tells whether there is another page. */
  readonly limit: string;
  /** Behind the last page. */
  readonly before: (at: string, id: string) => string;
}

/** A part of the filter. */
interface Condition {
  readonly key: string;
  /** True of a row `chat` that meets it; for a search of its row `contact`. */
  readonly text: string;
  /** What is asked for. */
  readonly value: string;
}

/**
 * One row for each chat of the page: `chat` and `at`, its place in microseconds. `offset 0` keeps the look-up of each
 * chat apart: the planner does not know how short a page is, and would read all chats of a middling business.
 */
export function listChatsCall(viewer: Viewer, filter: ChatFilter, page: PageAsked<ChatPosition>): StatementCall {
  const values = new Values(viewer.businessId);
  const isAgent = viewer.agentId !== null;
  const agent = values.add(viewer.agentId, "bigint");
  const limit = values.add(page.limit + 1, "bigint");
  const source = sourceOf({ values, filter, isAgent, limit, before: behind(values, page.after) });
  const key = `inbox_chats${isAgent ? "_agent" : ""}${page.after ? "_next" : ""}${source.key}`;
  return values.callOf(
    key,
    () => `
      with ${viewerOf(values.business, agent)}${source.ctes}
      select ${jsonOf(storedChatFields)} as chat, (extract(epoch from page.last_message_at) * 1000000)::bigint as at
      from (select id, last_message_at from (${source.text}) as found ${order} limit ${limit}) as page
      cross join lateral (
        select * from chats where business_id = ${values.business} and id = page.id offset 0
      ) as chat
      ${chatJoins}
      order by page.last_message_at desc, page.id desc`,
  );
}

function behind(values: Values, after: ChatPosition | null): Parts["before"] {
  if (!after) return () => "";
  const at = `(timestamptz 'epoch' + ${values.add(after.at, "float8")} * interval '1 microsecond')`;
  const id = values.add(after.id, "bigint");
  return (rowAt, rowId) => `and (${rowAt}, ${rowId}) < (${at}, ${id})`;
}

interface Source {
  readonly key: string;
  readonly ctes: string;
  /** A query for `id` and `last_message_at`, of one row more than a page at least. */
  readonly text: string;
}

/**
 * Walks the index that fits the filter best, in the order of the inbox; what else is asked is looked at on the way. For
 * who sees all it is an index of the whole business, for agents one by queue: each queue is walked for one page.
 */
function sourceOf(parts: Parts): Source {
  const conditions = conditionsOf(parts.values, parts.filter);
  const key = Object.values(conditions)
    .flatMap((each) => (each ? [`_${each.key}`] : []))
    .join("");
  const walks = new Walks(parts, conditions);
  const { search } = conditions;
  if (!search) return { key, ctes: "", text: walks.text };
  const ctes = `
    , found as materialized (
      select id from contacts as contact where contact.business_id = ${parts.values.business} and ${search.text}
      limit ${mostFound + 1}
    ),
    sought as materialized (select count(*) <= ${mostFound} as are_few from found)`;
  return {
    key,
    ctes,
    text: `
      (${walks.among("found")})
      union all
      (select * from (${walks.text}) as walked where not (select are_few from sought))`,
  };
}

type Conditions = ReturnType<typeof conditionsOf>;

/** Queries for `id` and `last_message_at` of chats that meet the filter. */
class Walks {
  private readonly others: (...taken: (Condition | undefined)[]) => string;

  constructor(
    private readonly parts: Parts,
    private readonly conditions: Conditions,
  ) {
    const all = Object.values(conditions).filter((each) => each !== undefined);
    const search = conditions.search && {
      ...conditions.search,
      // As a join the planner would leave the order of the index.
      text: `(
        select ${conditions.search.text} from contacts as contact
        where contact.business_id = chat.business_id and contact.id = chat.contact_id)`,
    };
    this.others = (...taken) =>
      all
        .filter((each) => !taken.includes(each))
        .map((each) => `and ${(each === conditions.search ? search : each)?.text}`)
        .join(" ");
  }

  get text(): string {
    const { agent } = this.conditions;
    if (agent) return this.ofQueues(queuesSeenAmong(this.queuesOf(agent)));
    if (!this.parts.isAgent) return this.ofBusiness();
    return `
      (select * from (${this.ofBusiness()}) as every where ${seesAll})
      union all
      (select * from (${this.ofQueues(queuesSeen)}) as seen where not ${seesAll})`;
  }

  /** Of the contacts of this CTE, of which there are few. */
  among(found: string): string {
    const { search } = this.conditions;
    const { isAgent, before, limit } = this.parts;
    return `
      select chat.id, chat.last_message_at from chats as chat join ${found} on ${found}.id = chat.contact_id
      where (select are_few from sought) and ${this.inInbox} ${this.others(search)} ${isAgent ? `and ${isVisible}` : ""}
        ${before("chat.last_message_at", "chat.id")} ${order} limit ${limit}`;
  }

  private get inInbox(): string {
    return `chat.business_id = ${this.parts.values.business} and chat.last_message_at is not null`;
  }

  /** A chat of nobody stands in the queue of a department, or in that of all. */
  private queuesOf(agent: Condition): string {
    if (this.parts.filter.agent !== "none") return `array[${agent.value}]`;
    return `array(
      select 0::bigint union all select -id from departments where business_id = ${this.parts.values.business})`;
  }

  private ofBusiness(): string {
    const { tag, department, states, ad } = this.conditions;
    if (tag) return this.tagged("", this.others(tag));
    const isInEachState = !ad && !this.asksUnread && (department || states);
    return isInEachState ? this.inEachState(this.others(states)) : this.walk(this.others());
  }

  private ofQueues(queues: string): string {
    return `
      select found.id, found.last_message_at
      from (${queues}) as range cross join lateral (${this.ofQueue()}) as found`;
  }

  private ofQueue(): string {
    const { tag, department, states, ad, provider, agent } = this.conditions;
    // The range's own value: a condition on the column would have the planner leave the order of the index.
    const here = `and ${queueIn("chat")} = range.queue`;
    if (tag) return this.tagged("and tagged.queue = range.queue", `${here} ${this.others(tag, agent)}`);
    const where = `${here} ${this.others(agent, states)}`;
    if (ad || this.asksUnread) return this.walk(`${where} ${states ? `and ${states.text}` : ""}`);
    if (department || states) return this.inEachState(where);
    return provider ? this.walk(where) : this.readAndUnread(where);
  }

  private get asksUnread(): boolean {
    return this.parts.filter.unread !== null;
  }

  private walk(where: string): string {
    const { before, limit } = this.parts;
    return `
      select chat.id, chat.last_message_at from chats as chat
      where ${this.inInbox} ${where} ${before("chat.last_message_at", "chat.id")}
      order by chat.last_message_at desc, chat.id desc limit ${limit}`;
  }

  /** Each chat of a queue is in one of two indexes. */
  private readAndUnread(where: string): string {
    const half = (isUnread: string) => this.walk(`and ${isUnread} ${where}`);
    return `
      select id, last_message_at from (
        (${half("chat.unread > 0")}) union all (${half("chat.unread = 0")})
      ) as half ${order} limit ${this.parts.limit}`;
  }

  /** Of each state in turn, as the index has them. */
  private inEachState(where: string): string {
    const { states } = this.conditions;
    const wanted = states ? states.value : `array[${chatStates.map((state) => `'${state}'`).join(", ")}]`;
    return `
      select each.id, each.last_message_at
      from unnest(${wanted}) as part(state)
      cross join lateral (${this.walk(`and chat.state = part.state ${where}`)}) as each`;
  }

  /** `ofTag` is about the row `tagged`, `ofChat` about its chat. */
  private tagged(ofTag: string, ofChat: string): string {
    const { values, before, limit } = this.parts;
    return `
      select chat.id, tagged.last_message_at
      from chat_tags as tagged cross join lateral (
        select * from chats where business_id = tagged.business_id and id = tagged.chat_id offset 0
      ) as chat
      where tagged.business_id = ${values.business} and tagged.tag_id = ${this.conditions.tag?.value}
        and tagged.last_message_at is not null ${ofTag} ${ofChat}
        ${before("tagged.last_message_at", "tagged.chat_id")}
      order by tagged.last_message_at desc, tagged.chat_id desc limit ${limit}`;
  }
}

function conditionsOf(values: Values, filter: ChatFilter) {
  const { states, agent, departmentId, tagId, adId, unread, provider, text } = filter;
  const condition = (key: string, asked: unknown, type: string, write: (value: string) => string) => {
    if (asked === null) return undefined;
    const value = values.add(asked, type);
    return { key, value, text: write(value) };
  };
  return {
    search: text === null ? undefined : searchOf(values, text),
    tag: condition(
      "tag",
      tagId,
      "bigint",
      (tag) => `exists (
        select from chat_tags as tagged
        where tagged.business_id = chat.business_id and tagged.chat_id = chat.id and tagged.tag_id = ${tag})`,
    ),
    ad: condition("ad", adId, "text", (ad) => `chat.ad_id = ${ad}`),
    unread: unread ? { key: "unread", value: "", text: "chat.unread > 0" } : undefined,
    allRead: unread === false ? { key: "all_read", value: "", text: "chat.unread = 0" } : undefined,
    agent:
      agent === "none"
        ? { key: "of_none", value: "", text: "chat.support_user_id is null" }
        : condition("of", agent, "bigint", (id) => `chat.support_user_id = ${id}`),
    department: condition("department", departmentId, "bigint", (id) => `chat.department_id = ${id}`),
    states: condition("state", states, "text[]", (each) => `chat.state = any(${each}::text[])`),
    provider: condition("provider", provider, "text", (name) => `chat.provider = ${name}`),
  } satisfies Record<string, Condition | undefined>;
}

/** Of the row `contact`: its name or number has the text, or it is its id on a channel without numbers. */
export function searchOf(values: Values, text: string): Condition {
  const { name, digits } = contactPatterns(text, 1);
  if (digits !== null && digits.length > longestPhone) {
    const id = values.add(digits, "text");
    return { key: "id", value: "", text: `(contact.known_on is not null and contact.platform_id = ${id})` };
  }
  if (digits !== null) return { value: "", ...phoneHas("contact", values, digits) };
  if (name === null) return { key: "nothing", value: "", text: "false" };
  const value = values.add(name, "text");
  return { key: "name", value, text: nameHas("contact", value) };
}
