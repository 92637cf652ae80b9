import { dynamicCall, placeholders, type Query, type StatementCall, sql } from "../../../infra/postgres/dynamic-sql.ts";
import {
  type ContactSearch,
  contactPatterns,
  literalPattern,
  nameSearch,
  phoneSearch,
} from "../../../infra/postgres/search-text.ts";
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

const at = placeholders({
  ...{ business: "bigint", limit: "bigint", offset: "bigint" },
  ...{ tab: "smallint", branch: "bigint", agent: "bigint", chat: "bigint", type: "text", reason: "text" },
  ...{ start: "timestamptz", end: "timestamptz", headEnd: "timestamptz", tailStart: "timestamptz" },
  ...{ firstDay: "date", endDay: "date", id: "bigint" },
});

/**
 * One page of `source` as a JSON list. `source` selects only ids and dates, so that PostgreSQL can read them from an
 * index. Whole orders are read only for the page. The outer limit tells the planner that a page has few orders.
 */
function pageOf(source: Query, item: string): Query {
  // Knex's own `limit` accepts only numbers.
  const wanted = source.orderByRaw("created_at desc, id desc limit ? offset ?", [at.limit, at.offset]).as("wanted");
  const page = sql.queryBuilder().from(wanted).limit(mostItems, { skipBinding: true }).as("page");
  const order = `(select ${item} from orders as o where o.business_id = ? and o.id = page.id)`;
  const list = sql.raw(`json_agg(${order} order by page.created_at desc, page.id desc)`, [at.business]);
  return sql.queryBuilder().from(page).select(list).as("items");
}

const windowOf = ({ page, limit }: PageRequest) => ({ limit, offset: (page - 1) * limit });

type ListFilter = Pick<OrderFilter, "branchId" | "agentId" | keyof Period> & { readonly tab: number | null };

/** The conditions of a list, with their parameters and queries. */
interface Conditions {
  readonly shape: readonly (string | false)[];
  readonly values: Readonly<Record<string, unknown>>;
  /** A query for the orders that meet the conditions. */
  orders(): Query;
  /** A query for rows of `tab` and `n`. The sum of `n` is the number of orders that meet the conditions. */
  counted(): Query;
}

const one = sql.raw("1 as n");
/** The agent's id in the rows that count all agents together. */
const none = sql.raw("0");

/** `values` is mutated, because copying it would take longer than everything else here. */
function conditionsOf(businessId: number, filter: ListFilter, page?: PageRequest): Conditions {
  const { tab, branchId: branch, agentId: agent } = filter;
  const isDated = filter.from !== null || filter.to !== null;
  const values = { business: businessId, tab, branch, agent };
  if (page) Object.assign(values, windowOf(page));
  if (isDated) Object.assign(values, daysOf(filter));
  const same = (table: string): Query => {
    const query = sql(table).where("business_id", at.business);
    if (tab !== null) query.where("tab", at.tab);
    return branch === null ? query : query.where("branch_id", at.branch);
  };
  const between = (from: Query, start: keyof typeof at, end: keyof typeof at) =>
    from.where("created_at", ">=", at[start]).where("created_at", "<", at[end]);
  const orders = (): Query => {
    const query = same("orders");
    if (agent !== null) query.where("support_user_id", at.agent);
    return isDated ? between(query, "start", "end") : query;
  };
  const ofDays = (): Query => {
    const days = same("order_day_counts")
      .select("tab", "n")
      .where("day", ">=", at.firstDay)
      .where("day", "<", at.endDay);
    if (tab === null) days.whereRaw(`tab in (${Object.values(statusOf)})`);
    const rest = (start: "start" | "tailStart", end: "headEnd" | "end") =>
      between(same("orders").select("tab", one), start, end);
    return days.unionAll([rest("start", "headEnd"), rest("tailStart", "end")]);
  };
  return {
    shape: [tab !== null && "tab", branch !== null && "branch", agent !== null && "agent", isDated && "dated"],
    values,
    orders,
    counted: () => {
      if (!isDated)
        return same("order_counts")
          .where("agent_id", agent === null ? none : at.agent)
          .select("tab", "n");
      return agent === null ? ofDays() : orders().select("tab", one);
    },
  };
}

/** Splits a period into whole days in UTC, the part before them (the head) and the part after them (the tail). */
function daysOf({ from, to }: Period) {
  const [start, end] = [from?.getTime() ?? Number.NEGATIVE_INFINITY, to?.getTime() ?? Number.POSITIVE_INFINITY];
  const firstDay = Math.ceil(start / dayMs) * dayMs;
  const endDay = Math.floor(end / dayMs) * dayMs;
  return {
    start: momentOf(start),
    end: momentOf(end),
    firstDay: momentOf(firstDay),
    endDay: momentOf(endDay),
    headEnd: momentOf(Math.min(end, firstDay)),
    tailStart: momentOf(Math.max(endDay, firstDay)),
  };
}

const firstMoment = Date.UTC(1000, 0);
const lastMoment = Date.UTC(9999, 11, 31);

/** Dates outside the years 1000 to 9999 become infinite: PostgreSQL cannot read JavaScript's text for some of them. */
function momentOf(at: number): string {
  if (at > lastMoment) return "infinity";
  return at < firstMoment ? "-infinity" : new Date(at).toISOString();
}

const totalOf = (counted: Query): Query =>
  sql.queryBuilder().from(counted.as("counted")).select(sql.raw("coalesce(sum(n), 0)::bigint")).as("total");

/** An empty plan counts as no plan. */
export const planOf = "coalesce(business.plan, '') <> '' as planned";

const ofBusiness = (...columns: readonly (Query | ReturnType<typeof sql.raw>)[]): Query =>
  sql({ business: "businesses" })
    .where("business.id", at.business)
    .select(sql.raw(planOf), ...columns);

/** One row: `planned`, `total`, `items`. */
export function listCall(businessId: number, filter: OrderFilter, page: PageRequest): StatementCall {
  const tab = filter.tab === null ? null : statusOf[filter.tab];
  const { shape, values, orders, counted } = conditionsOf(businessId, { ...filter, tab }, page);
  return dynamicCall("orders_list", shape, values, () =>
    ofBusiness(totalOf(counted()), pageOf(orders().select("id", "created_at"), listedJson)),
  );
}

/** One row: `planned`, which is true, `total`, which is 0, and `items`, the newest orders of a chat. */
export function ofChatCall(businessId: number, chat: number, limit: number): StatementCall {
  const values = { business: businessId, chat, limit, offset: 0 };
  return dynamicCall("orders_of_chat", [], values, () => {
    const source = sql("orders").where({ business_id: at.business, chat_id: at.chat }).select("id", "created_at");
    return sql.queryBuilder().select(sql.raw("true as planned, 0 as total"), pageOf(source, listedJson));
  });
}

/** One row: `planned` and `counts`, by tab. */
export function countsCall(businessId: number, filter: Omit<OrderFilter, "tab">): StatementCall {
  const { shape, values, counted } = conditionsOf(businessId, { ...filter, tab: null });
  return dynamicCall("orders_counts", shape, values, () => {
    const each = sql.queryBuilder().from(counted().as("counted")).select("tab").sum("n as n").groupBy("tab").as("each");
    return ofBusiness(sql.queryBuilder().from(each).select(sql.raw("json_object_agg(tab, n)")).as("counts"));
  });
}

/** One row: `total`, `items`. */
export function cancelledCall(
  businessId: number,
  { type, reason, ...period }: CancelledFilter,
  page: PageRequest,
): StatementCall {
  const filter = { ...period, tab: statusOf.cancelled, branchId: null, agentId: null };
  const { shape, values, orders, counted } = conditionsOf(businessId, filter, page);
  const because = reason === null ? null : `%${literalPattern(reason)}%`;
  const chosen = (): Query => {
    const query = orders();
    if (type !== null) query.where("type", at.type);
    return because === null ? query : query.whereILike("cancel_reason", at.reason as never);
  };
  return dynamicCall(
    "orders_cancelled",
    [...shape, type !== null && "type", because !== null && "reason"],
    { ...values, type, reason: because },
    () => {
      const isFiltered = type !== null || because !== null;
      const total = totalOf(isFiltered ? chosen().select(one) : counted());
      return sql.queryBuilder().select(total, pageOf(chosen().select("id", "created_at"), cancelledJson));
    },
  );
}

/** The most contacts that a search considers. */
const mostContacts = 1_000;

/** One row: `planned`, `total`, `items`. */
export function searchCall(businessId: number, text: string, page: PageRequest): StatementCall {
  const { id, contact } = parseSearch(text);
  const values = { business: businessId, ...windowOf(page), id, ...contact?.values };
  return dynamicCall("orders_search", [id !== null && "id", contact?.key], values, () => {
    const orders = sql("orders").select("id", "created_at");
    const numbered = id === null ? [] : [orders.clone().where({ business_id: at.business, id: at.id })];
    const sources = contact ? [...numbered, ofContacts(contact)] : numbered;
    const found = sources.length === 0 ? orders.whereRaw("false") : sql.queryBuilder().union(sources, true);
    const total = sql("found").select(sql.raw("count(*)")).as("total");
    const items = pageOf(sql("found").select("id", "created_at"), listedJson);
    return ofBusiness(total, items).withMaterialized("found", found);
  });
}

const ofContacts = ({ condition }: ContactSearch): Query =>
  sql
    .queryBuilder()
    .select("o.id", "o.created_at")
    .from(
      sql({ contact: "contacts" })
        .select("id")
        .where("business_id", at.business)
        .where(condition())
        .orderBy("id", "desc")
        .limit(mostContacts, { skipBinding: true })
        .as("contact"),
    )
    .joinRaw("join chats as chat on chat.business_id = ? and chat.contact_id = contact.id", [at.business])
    .joinRaw("join orders as o on o.business_id = ? and o.chat_id = chat.id", [at.business]);

/** The text may be an order's id. Phone numbers are searched if the text looks like part of one, otherwise names. */
function parseSearch(text: string) {
  const id = /^#?\d{1,16}$/.test(text) ? Number(text.replace("#", "")) : null;
  const { name, digits } = contactPatterns(text);
  const named = name === null ? null : nameSearch("contact", name);
  const contact = digits === null ? named : phoneSearch("contact", digits);
  return { id: id !== null && Number.isSafeInteger(id) ? id : null, contact };
}
