import type { Call } from "../core/route.ts";
import { badParameter, GraphError } from "../graph/graph.ts";
import { type Field, parseFields } from "./fields.ts";
import { type Insights, insightsRow, type Node, presetDays, rangeDays, todayOf } from "./nodes.ts";
import { adStates } from "./settings.ts";

/** How requests for lists are answered. A control request can set unusual behaviour. */
export interface PageBehaviour {
  /** The most items of a page, even if the client asks for more. */
  readonly shortPages?: number | undefined;
  /** Every list with items begins with an empty page, which links to the first page with items. */
  readonly emptyFirstPages?: boolean | undefined;
  /** A request for a list is refused as too much data if its `limit` is above this number. */
  readonly reduceAbove?: number | undefined;
}

const defaultLimit = 25;
const mostPerPage = 500;
const insightFields = ["account_currency", "account_id", "spend", "impressions", "clicks", "date_start", "date_stop"];
const beginning = "QVFIUjBiZWdpbm5pbmc";

/** Builds the objects and lists that a client reads, including the objects and lists in their fields. */
export class Expansion {
  constructor(
    private readonly call: Call,
    private readonly token: string,
    private readonly behaviour: PageBehaviour,
  ) {}

  object(node: Node, fields: string): object {
    const asked = parseFields(fields);
    const wanted = asked.some(({ name }) => name === "id") ? asked : [idField, ...asked];
    return Object.fromEntries(
      wanted.flatMap((field) => {
        const value = this.value(node, field);
        return value === undefined ? [] : [[field.name, value]];
      }),
    );
  }

  /** A list that is requested by its own address, `parent/edge?fields=...`, not as a field of an object. */
  list(parent: string, edge: string, nodes: readonly Node[]): object {
    const { query } = this.call;
    const fields = query.get("fields") ?? "id";
    const { reduceAbove = mostPerPage } = this.behaviour;
    const limit = limitOf(query.get("limit"));
    if (limit > reduceAbove) throw new GraphError(100, undefined, tooMuchData);
    return this.page(nodes, {
      parent,
      edge,
      fields,
      limit,
      after: query.get("after"),
      statuses: query.get("effective_status"),
      extra: [...query].filter(([name]) => name === "date_preset" || name === "time_range"),
    });
  }

  insights(insights: Insights, preset: string | null, range: string | null, fields: string): { data: object[] } {
    const days = range === null ? presetDays(preset ?? "last_30d", todayOf(insights)) : rangeDays(range);
    const rows = insightsRow(insights, days);
    const names = parseFields(fields).map(({ name }) => name);
    const unknown = names.find((name) => !insightFields.includes(name));
    if (unknown !== undefined) throw nonexisting(unknown, "AdsInsights");
    const shown = [...(names.length > 0 ? names : ["impressions", "spend"]), "date_start", "date_stop"];
    const data = rows.map((row) => Object.fromEntries([...new Set(shown)].map((name) => [name, row[name]])));
    return { data, ...(data.length > 0 && { paging: { cursors: { before: "MAZDZD", after: "MAZDZD" } } }) };
  }

  private value(node: Node, { name, modifiers, inner }: Field): unknown {
    if (name in node.scalars) return node.scalars[name];
    const link = node.links[name];
    if (link) return this.object(link(), inner ?? "id");
    if (name === "insights" && node.insights) {
      const { date_preset: preset = null, time_range: range = null } = modifiers;
      const found = this.insights(node.insights, preset, range, inner ?? "");
      return found.data.length > 0 ? found : undefined;
    }
    const nodes = node.edges[name];
    if (!nodes) throw nonexisting(name, node.type);
    if (nodes.length === 0) return undefined;
    return this.page(nodes, {
      parent: node.id,
      edge: name,
      fields: inner ?? "id",
      limit: limitOf(modifiers.limit ?? null),
      after: null,
      statuses: modifiers.effective_status ?? null,
      extra: [],
    });
  }

  private page(nodes: readonly Node[], asked: AskedPage): object {
    const { emptyFirstPages, shortPages = mostPerPage } = this.behaviour;
    const matching = nodes.filter(hasStatus(asked.statuses));
    if (emptyFirstPages && asked.after === null && matching.length > 0) {
      return { data: [], paging: { cursors: { after: beginning }, next: this.nextLink(asked, beginning) } };
    }
    const from = startOf(matching, asked.after);
    const shown = matching.slice(from, from + Math.min(asked.limit, shortPages));
    const [first, last] = [shown[0], shown.at(-1)];
    if (!first || !last) return { data: [] };
    const cursors = { before: cursorOf(first), after: cursorOf(last) };
    const more = from + shown.length < matching.length;
    return {
      data: shown.map((node) => this.object(node, asked.fields)),
      paging: { cursors, ...(more && { next: this.nextLink(asked, cursors.after) }) },
    };
  }

  /** The link includes the token, like the platform's links. */
  private nextLink({ parent, edge, fields, limit, statuses, extra }: AskedPage, after: string): string {
    const query = new URLSearchParams({
      access_token: this.token,
      fields,
      ...Object.fromEntries(extra),
      ...(statuses !== null && { effective_status: statuses }),
      limit: String(limit),
      after,
    });
    return `${this.call.origin}/v${this.call.path.version}/${parent}/${edge}?${query}`;
  }
}

interface AskedPage {
  readonly parent: string;
  readonly edge: string;
  readonly fields: string;
  readonly limit: number;
  readonly after: string | null;
  readonly statuses: string | null;
  readonly extra: readonly (readonly [string, string])[];
}

const idField: Field = { name: "id", modifiers: {}, inner: null };

const cursorOf = ({ id }: Node): string => Buffer.from(`c:${id}`).toString("base64url");

function startOf(nodes: readonly Node[], after: string | null): number {
  if (after === null || after === "" || after === beginning) return 0;
  const index = nodes.findIndex((node) => cursorOf(node) === after);
  if (index === -1) throw badParameter("Invalid cursors values");
  return index + 1;
}

function limitOf(text: string | null): number {
  if (text === null) return defaultLimit;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw badParameter("Param limit must be a positive integer");
  return Math.min(limit, mostPerPage);
}

/** Without a filter, deleted and archived objects are left out. */
function hasStatus(json: string | null): (node: Node) => boolean {
  const wanted = json === null ? ["ACTIVE", "PAUSED"] : statusesIn(json);
  return ({ scalars: { effective_status: status } }) => status === undefined || wanted.includes(String(status));
}

function statusesIn(json: string): string[] {
  try {
    const statuses: unknown = JSON.parse(json);
    if (Array.isArray(statuses) && statuses.every((status) => adStates.includes(status))) return statuses;
  } catch {
    // The error is thrown below.
  }
  throw badParameter("Param effective_status must be an array of known statuses");
}

export const nonexisting = (field: string, type: string): GraphError =>
  badParameter(`Tried accessing nonexisting field (${field}) on node type (${type})`);

const tooMuchData = {
  message: "Please reduce the amount of data you're asking for, then retry your request",
  subcode: 1504018,
};
