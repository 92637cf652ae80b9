import { contactPatterns } from "../../../infra/postgres/search-text.ts";
import { jsonOf } from "../../../infra/postgres/sql-text.ts";
import { type StatementCall, Values } from "../../../infra/postgres/values.ts";
import type { ChatFilter, ChatPosition, PageAsked } from "../../application/reading/ports.ts";
import { chatStates } from "../../domain/conversation.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { chatJoins, storedChatFields } from "./chat-sql.ts";
import { agentsWithin, isVisible, isWithinOf, seesAll, viewerOf } from "./visibility-sql.ts";

/** Contacts that a search looks at; where more have the text, chats are looked through from the newest. */
export const mostFound = 1_000;

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
 * Walks the one index that fits the filter best, in the order of the inbox; what else is asked is looked at on the way.
 */
function sourceOf(parts: Parts): Source {
  const { values, filter, isAgent, limit, before } = parts;
  const conditions = conditionsOf(values, filter);
  const { tag, search, states, agent, ad, unread, department } = conditions;
  const all = Object.values(conditions).filter((each) => each !== undefined);
  const key = all.map((each) => `_${each.key}`).join("");
  const others = (...taken: (Condition | undefined)[]) =>
    all
      .filter((each) => !taken.includes(each))
      .map(({ text }) => `and ${text}`)
      .join(" ");
  const ofInbox = `chat.business_id = ${values.business} and chat.last_message_at is not null`;
  const visible = isAgent ? `and ${isVisible}` : "";
  const here = before("chat.last_message_at", "chat.id");
  const chats = "select chat.id, chat.last_message_at from chats as chat";
  const walk = (where: string) => `${chats} where ${ofInbox} ${where} ${here}
    order by chat.last_message_at desc, chat.id desc limit ${limit}`;

  if (search) {
    const found = `
      , found as materialized (
        select id from contacts as contact where contact.business_id = ${values.business} and ${search.text}
        order by id desc limit ${mostFound + 1}
      ),
      sought as materialized (select count(*) <= ${mostFound} as are_few from found)`;
    const few = `${chats} join found on found.id = chat.contact_id
      where (select are_few from sought) and ${ofInbox} ${others(search)} ${visible} ${here} ${order} limit ${limit}`;
    const many = walk(`and not (select are_few from sought) ${others(search)} ${visible} and exists (
      select from contacts as contact where contact.business_id = chat.business_id and contact.id = chat.contact_id
        and ${search.text})`);
    return { key, ctes: found, text: `(${few}) union all (${many})` };
  }
  if (tag) {
    const text = `
      select chat.id, tagged.last_message_at
      from chat_tags as tagged join chats as chat on chat.business_id = tagged.business_id and chat.id = tagged.chat_id
      where tagged.business_id = ${values.business} and tagged.tag_id = ${tag.value}
        and tagged.last_message_at is not null ${others(tag)} ${visible}
        ${before("tagged.last_message_at", "tagged.chat_id")}
      order by tagged.last_message_at desc, tagged.chat_id desc limit ${limit}`;
    return { key, ctes: "", text };
  }
  if (ad || unread) return { key, ctes: "", text: walk(`${others()} ${visible}`) };
  const anyState = `array[${chatStates.map((state) => `'${state}'`).join(", ")}]`;
  const wanted = states ? states.value : anyState;
  /** Of each value of `each` and each state in turn, as their index has them. */
  const ranges = (each: string, column: string, more: string, ...taken: (Condition | undefined)[]) => `
    select found.id, found.last_message_at
    from unnest(${each}) as range(value) cross join unnest(${wanted}) as part(state)
    cross join lateral (${walk(
      `and ${column} = range.value and chat.state = part.state ${more} ${others(states, ...taken)}`,
    )}) as found`;
  // The range's own value: a condition on the column would have the planner leave the order of the index.
  const visibleOf = (holder: string) => (isAgent ? `and (${seesAll} or ${isWithinOf(holder)})` : "");
  const agentColumn = "coalesce(chat.support_user_id, 0)";
  if (agent)
    return { key, ctes: "", text: ranges(`array[${agent.value}]`, agentColumn, visibleOf("range.value"), agent) };
  const ofDepartment = () => ranges(`array[${department?.value}]`, "chat.department_id", "", department);
  const ofStates = () => `
    select found.id, found.last_message_at
    from unnest(${wanted}) as part(state)
    cross join lateral (${walk(`and chat.state = part.state ${others(states)}`)}) as found`;
  const open = department ? ofDepartment() : states ? ofStates() : walk(others());
  if (!isAgent) return { key, ctes: "", text: open };
  const within = ranges(agentsWithin, agentColumn, `and ${isWithinOf("range.value")}`);
  return {
    key,
    ctes: "",
    text: `
      (select * from (${open}) as open where ${seesAll})
      union all
      (select * from (${within}) as within where not ${seesAll})`,
  };
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
    agent: condition("of", agent === "none" ? 0 : agent, "bigint", (id) => `coalesce(chat.support_user_id, 0) = ${id}`),
    department: condition("department", departmentId, "bigint", (id) => `chat.department_id = ${id}`),
    states: condition("state", states, "text[]", (each) => `chat.state = any(${each}::text[])`),
    provider: condition("provider", provider, "text", (name) => `chat.provider = ${name}`),
  } satisfies Record<string, Condition | undefined>;
}

/** Of the row `contact`: its name or number has the text. */
export function searchOf(values: Values, text: string): Condition {
  const { name, phone } = contactPatterns(text, 1);
  if (phone !== null) {
    const value = values.add(phone, "text");
    return { key: "phone", value, text: `contact.phone like ${value}` };
  }
  if (name === null) return { key: "nothing", value: "", text: "false" };
  const value = values.add(name, "text");
  return { key: "name", value, text: `contact.name ilike ${value}` };
}
