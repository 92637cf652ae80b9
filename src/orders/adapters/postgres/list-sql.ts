import { contactPatterns, literalPattern, nameHas, phoneHas } from "../../../infra/postgres/search-text.ts";
import { type StatementCall, Values } from "../../../infra/postgres/values.ts";
import { dayMs } from "../../../kernel/instants.ts";
import {
  type CancelledFilter,
  listedFields,
  type OrderFilter,
  type PageRequest,
  type Period,
} from "../../application/reads/ports.ts";
import { statusOf } from "../../domain/states.ts";
import { branchJson, chatJson, discountSum, fieldsJson, linesJson, recordFields, zoneJson } from "./order-sql.ts";

/** The largest page. */
const mostItems = 100;

const listedJson = `
  json_build_object(
    ${fieldsJson(listedFields)}, 'branch', ${branchJson}, 'zone', ${zoneJson}, 'chat', ${chatJson},
    'lines', ${linesJson}, 'discount', ${discountSum}::text)`;

const cancelledJson = `json_build_object(${fieldsJson(recordFields)}, 'chat', ${chatJson})`;

/**
 * The page of `source`, a query for ids and dates, as one JSON list. The ids are found in an index alone; only the
 * page's own orders are read. The outer limit tells the planner that they are few, whatever the parameters.
 */
const pageJson = (business: string, source: string, itemJson: string, window: string) => `
  (select json_agg(
     (select ${itemJson} from orders as o where o.business_id = ${business} and o.id = page.id)
     order by page.created_at desc, page.id desc)
   from (select * from (${source} order by created_at desc, id desc ${window}) as wanted
         limit ${mostItems}) as page)`;

const windowOf = (values: Values, { page, limit }: PageRequest): string =>
  `limit ${values.add(limit, "bigint")} offset ${values.add((page - 1) * limit, "bigint")}`;

/** Conditions on orders, how to count what meets them, and which of them there are. */
interface Conditions {
  readonly key: string;
  readonly where: string;
  /** A query for `tab` and `n`, whose sum is the number of orders; takes up values of its own. */
  counted(): string;
}

type ListFilter = Pick<OrderFilter, "branchId" | "agentId" | keyof Period> & { readonly tab: number | null };

function conditionsOf(filter: ListFilter, values: Values): Conditions {
  const { business } = values;
  const { branchId, agentId } = filter;
  const tab = filter.tab === null ? "" : `and tab = ${values.add(filter.tab, "smallint")}`;
  const branch = branchId === null ? "" : `and branch_id = ${values.add(branchId, "bigint")}`;
  const agent = agentId === null ? null : values.add(agentId, "bigint");
  const key = `${tab && "_tab"}${branch && "_branch"}${agent === null ? "" : "_agent"}`;
  const same = `business_id = ${business} ${tab} ${branch}`;
  const chosen = agent === null ? same : `${same} and support_user_id = ${agent}`;
  if (filter.from === null && filter.to === null) {
    return {
      key,
      where: chosen,
      counted: () => `select tab, n from order_counts where ${same} and agent_id = ${agent ?? "0"}`,
    };
  }
  const { from, to, firstDay, endDay, headEnd, tailStart } = daysOf(filter);
  const [start, end] = [values.add(from, "timestamptz"), values.add(to, "timestamptz")];
  const where = `${chosen} and created_at >= ${start} and created_at < ${end}`;
  if (agent !== null)
    return { key: `${key}_dated`, where, counted: () => `select tab, 1 as n from orders where ${where}` };
  const anyTab = tab || `and tab in (${Object.values(statusOf)})`;
  const counted = () => `
    select tab, n from order_day_counts where ${same} ${anyTab}
      and day >= ${values.add(firstDay, "date")} and day < ${values.add(endDay, "date")}
    union all
    select tab, 1 from orders where ${same}
      and created_at >= ${start} and created_at < ${values.add(headEnd, "timestamptz")}
    union all
    select tab, 1 from orders where ${same}
      and created_at >= ${values.add(tailStart, "timestamptz")} and created_at < ${end}`;
  return { key: `${key}_dated`, where, counted };
}

/** A period as the whole days in UTC that it has, and what it has before (the head) and after them (the tail). */
function daysOf({ from, to }: Period) {
  const [start, end] = [from?.getTime() ?? Number.NEGATIVE_INFINITY, to?.getTime() ?? Number.POSITIVE_INFINITY];
  const firstDay = Math.ceil(start / dayMs) * dayMs;
  const endDay = Math.floor(end / dayMs) * dayMs;
  return {
    from: momentOf(start),
    to: momentOf(end),
    firstDay: momentOf(firstDay),
    endDay: momentOf(endDay),
    headEnd: momentOf(Math.min(end, firstDay)),
    tailStart: momentOf(Math.max(endDay, firstDay)),
  };
}

const firstMoment = Date.UTC(1000, 0);
const lastMoment = Date.UTC(9999, 11, 31);

/** Beyond four digits of a year PostgreSQL and JavaScript write differently; nothing was ever ordered there. */
function momentOf(at: number): string {
  if (at > lastMoment) return "infinity";
  return at < firstMoment ? "-infinity" : new Date(at).toISOString();
}

const totalOf = (counted: string) => `(select coalesce(sum(n), 0)::bigint from (${counted}) as counted)`;

/** An empty plan is none. */
export const planOf = "coalesce(business.plan, '') <> '' as planned";

/** One row: `planned`, `total`, `items`. */
export function listCall(businessId: number, filter: OrderFilter, page: PageRequest): StatementCall {
  const values = new Values(businessId);
  const { business } = values;
  const window = windowOf(values, page);
  const tab = filter.tab === null ? null : statusOf[filter.tab];
  const { key, where, counted } = conditionsOf({ ...filter, tab }, values);
  const total = totalOf(counted());
  return values.callOf(
    `orders_list${key}`,
    () => `
      select ${planOf}, ${total} as total,
        ${pageJson(business, `select id, created_at from orders where ${where}`, listedJson, window)} as items
      from businesses as business where business.id = ${business}`,
  );
}

/** One row: `items`, the newest orders of a chat. */
export function ofChatCall(businessId: number, chatId: number, limit: number): StatementCall {
  const values = new Values(businessId);
  const { business } = values;
  const window = windowOf(values, { page: 1, limit });
  const chat = values.add(chatId, "bigint");
  const source = `select id, created_at from orders where business_id = ${business} and chat_id = ${chat}`;
  return values.callOf(
    "orders_of_chat",
    () => `select true as planned, 0 as total, ${pageJson(business, source, listedJson, window)} as items`,
  );
}

/** One row: `planned` and `counts`, by tab. */
export function countsCall(businessId: number, filter: Omit<OrderFilter, "tab">): StatementCall {
  const values = new Values(businessId);
  const { business } = values;
  const conditions = conditionsOf({ ...filter, tab: null }, values);
  const counted = conditions.counted();
  return values.callOf(
    `orders_counts${conditions.key}`,
    () => `
      select ${planOf}, (
        select json_object_agg(tab, n) from (select tab, sum(n) as n from (${counted}) as counted group by tab) as each
      ) as counts
      from businesses as business where business.id = ${business}`,
  );
}

/** One row: `total`, `items`. */
export function cancelledCall(
  businessId: number,
  { type, reason, ...period }: CancelledFilter,
  page: PageRequest,
): StatementCall {
  const values = new Values(businessId);
  const { business } = values;
  const window = windowOf(values, page);
  const filter = { ...period, tab: statusOf.cancelled, branchId: null, agentId: null };
  const { key, where, counted } = conditionsOf(filter, values);
  const ofType = type === null ? "" : `and type = ${values.add(type, "text")}`;
  const because = reason === null ? "" : `and cancel_reason ilike ${values.add(`%${literalPattern(reason)}%`, "text")}`;
  const chosen = `${where} ${ofType} ${because}`;
  const total = totalOf(ofType || because ? `select 1 as n from orders where ${chosen}` : counted());
  return values.callOf(
    `orders_cancelled${key}${ofType && "_type"}${because && "_reason"}`,
    () => `
      select ${total} as total,
        ${pageJson(business, `select id, created_at from orders where ${chosen}`, cancelledJson, window)} as items`,
  );
}

/** Contacts that a search looks at. */
const mostContacts = 1_000;

/** One row: `planned`, `total`, `items`. */
export function searchCall(businessId: number, text: string, page: PageRequest): StatementCall {
  const values = new Values(businessId);
  const { business } = values;
  const window = windowOf(values, page);
  const { id, name, digits } = soughtIn(text);
  const phone = digits === null ? null : phoneHas("contact", values, digits);
  const ofContact = [
    ...(name === null ? [] : [nameHas("contact", values.add(name, "text"))]),
    ...(phone === null ? [] : [phone.text]),
  ];
  const sources = [
    ...(id === null
      ? []
      : [`select id, created_at from orders where business_id = ${business} and id = ${values.add(id, "bigint")}`]),
    ...(ofContact.length === 0
      ? []
      : [
          `select o.id, o.created_at
           from (select id from contacts as contact where business_id = ${business} and (${ofContact.join(" or ")})
                 order by id desc limit ${mostContacts}) as contact
           join chats as chat on chat.business_id = ${business} and chat.contact_id = contact.id
           join orders as o on o.business_id = ${business} and o.chat_id = chat.id`,
        ]),
  ];
  const key = `${id === null ? "" : "_id"}${name === null ? "" : "_name"}${phone === null ? "" : `_${phone.key}`}`;
  return values.callOf(
    `orders_search${key}`,
    () => `
      with found as materialized (
        ${sources.length === 0 ? "select id, created_at from orders where false" : sources.join(" union ")}
      )
      select ${planOf}, (select count(*) from found) as total,
        ${pageJson(business, "select id, created_at from found", listedJson, window)} as items
      from businesses as business where business.id = ${business}`,
  );
}

/** What a text may mean: the number of an order, a part of a phone number, a part of a name. */
function soughtIn(text: string) {
  const id = /^#?\d{1,16}$/.test(text) ? Number(text.replace("#", "")) : null;
  return { id: id !== null && Number.isSafeInteger(id) ? id : null, ...contactPatterns(text) };
}
