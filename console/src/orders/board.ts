import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { Recent } from "../live/recent.ts";
import { answered, api } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import { type Card, orderKey, type State, stateOf } from "./orders.ts";

export interface Filter {
  readonly branch?: number;
  readonly agent?: number;
  /** The first day in the business's time zone, for example `2026-01-31`. */
  readonly from?: string;
  /** The last day, which is included. */
  readonly to?: string;
}

/** The board's parameters in the URL. */
export interface BoardSearch extends Filter {
  /** The visible column on a phone. */
  readonly tab?: State;
  readonly q?: string;
}

/** The filter for the API. `from` and `to` are instants, and `to` is excluded. */
export interface Wanted {
  readonly sucursalId?: number;
  readonly userId?: number;
  readonly from?: string;
  readonly to?: string;
}

export interface Page {
  readonly data: readonly Card[];
  readonly total: number;
  readonly hasNextPage: boolean;
}

type Column = InfiniteData<Page, number>;

const pageSize = 24;
const recent = new Recent<Card>();

const boardKey = ["board"] as const;
const columnsKey = [...boardKey, "column"] as const;
export const columnKey = (businessId: number, state: State, wanted: Wanted) =>
  [...columnsKey, businessId, state, wanted] as const;
const searchesKey = [...boardKey, "search"] as const;
export const searchKey = (businessId: number, q: string) => [...searchesKey, businessId, q] as const;
export const countsKey = (businessId: number, wanted: Wanted) => [...boardKey, "counts", businessId, wanted] as const;

export async function fetchColumn(
  businessId: number,
  state: State,
  wanted: Wanted,
  page: number,
  signal: AbortSignal,
): Promise<Page> {
  const began = performance.now();
  const query = { ...wanted, status: state, page, limit: pageSize };
  const asked: Page = await answered(
    api.GET("/catalogs/v2/orders/sucursal/{businessId}", { params: { path: { businessId }, query }, signal }),
  );
  const changed = recent.since(began);
  const { pages } = changed.reduce(
    (column, card) => columnWith(column, card, page === 1 && stateOf(card) === state && fits(card, wanted)),
    { pages: [asked], pageParams: [page] } as Column,
  );
  return pages[0] ?? asked;
}

/** A page of the orders that match the search, from all columns. */
export async function fetchFound(businessId: number, q: string, page: number, signal: AbortSignal): Promise<Page> {
  const began = performance.now();
  const path = { businessId };
  const query = { q, page, limit: pageSize };
  const asked: Page = await answered(
    api.GET("/catalogs/v2/orders/sucursal/{businessId}/search", { params: { path, query }, signal }),
  );
  return recent.since(began).reduce(updated, asked);
}

/** Replaces the card of the same order, if the page has one. Versions are not compared. */
const updated = (page: Page, card: Card): Page => ({
  ...page,
  data: page.data.map((known) => (known.id === card.id ? card : known)),
});

function foundWith(found: Column, card: Card): Column {
  return { ...found, pages: found.pages.map((page) => updated(page, card)) };
}

/**
 * Computed from the number of orders in the column: when some leave the column, later orders move to earlier pages.
 * Rounding down may repeat loaded orders, but skips none.
 */
export const nextPage = (last: Page, pages: readonly Page[]): number | undefined =>
  last.hasNextPage ? Math.floor(cardsOf(pages).length / pageSize) + 1 : undefined;

/** Removes duplicates, since two pages may contain the same order. */
export function cardsOf(pages: readonly Page[]): Card[] {
  const cards = new Map<number, Card>();
  for (const card of pages.flatMap(({ data }) => data)) if (!cards.has(card.id)) cards.set(card.id, card);
  return [...cards.values()];
}

export async function fetchCounts(businessId: number, wanted: Wanted, signal: AbortSignal) {
  const { data } = await answered(
    api.GET("/catalogs/v2/orders/sucursal/{businessId}/counts", {
      params: { path: { businessId }, query: wanted },
      signal,
    }),
  );
  return data;
}

const fits = (card: Card, { sucursalId, userId, from, to }: Wanted): boolean =>
  (sucursalId === undefined || card.sucursal?.id === sucursalId) &&
  (userId === undefined || card.chat?.soporte_id === userId) &&
  (from === undefined || card.createdAt >= from) &&
  (to === undefined || card.createdAt < to);

const isNewer = (a: Card, b: Card): boolean => (a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt);

/** Adds, updates or removes a card. The newest card comes first, as in the service's lists. */
function columnWith(column: Column, card: Card, isIn: boolean): Column {
  const pages = column.pages.map((page) => ({ ...page, data: page.data.filter(({ id }) => id !== card.id) }));
  if (!isIn) return { ...column, pages };
  const isLast = (index: number): boolean => index === pages.length - 1;
  const target = pages.findIndex(({ data, hasNextPage }, index) => {
    const last = data.at(-1);
    return (last && isNewer(card, last)) || (isLast(index) && !hasNextPage);
  });
  return {
    ...column,
    pages: pages.map((page, index) => {
      if (index !== target) return page;
      const place = page.data.findIndex((other) => isNewer(card, other));
      const at = place < 0 ? page.data.length : place;
      return { ...page, data: [...page.data.slice(0, at), card, ...page.data.slice(at)] };
    }),
  };
}

/** Places the card in a cached column, or removes the card from a column to which it no longer belongs. */
function placedIn(column: Column, card: Card, key: QueryKey): Column {
  const [, , , state, wanted] = key as ReturnType<typeof columnKey>;
  const isIn = stateOf(card) === state && fits(card, wanted);
  const isKnown = column.pages.some(({ data }) => data.some(({ id }) => id === card.id));
  return isIn || isKnown ? columnWith(column, card, isIn) : column;
}

/** For each order id: the newest version that `placeCard` was given. */
const versions = new Map<number, number>();

/**
 * Moves the card between the cached columns and updates it in cached search results. An older version is ignored: the
 * answer to a move can come after the event of a colleague's later move.
 */
export function placeCard(card: Card): void {
  const known = versions.get(card.id) ?? 0;
  const { version = known } = card;
  if (version < known) return;
  versions.set(card.id, version);
  recent.add(card);
  for (const [key, column] of queryClient.getQueriesData<Column>({ queryKey: columnsKey })) {
    const next = column && placedIn(column, card, key);
    if (next !== column) queryClient.setQueryData(key, next);
  }
  queryClient.setQueriesData<Column>({ queryKey: searchesKey }, (found) => found && foundWith(found, card));
}

recent.reapply<Column>(columnsKey, placedIn);
recent.reapply<Column>(searchesKey, foundWith);

const countsPauseMs = 1_000;
let isRecounting = false;

/** Reloads the counts and the search results once for several changes. */
export function recount(): void {
  if (isRecounting) return;
  isRecounting = true;
  setTimeout(() => {
    isRecounting = false;
    for (const part of ["counts", "search"]) void queryClient.invalidateQueries({ queryKey: [...boardKey, part] });
  }, countsPauseMs);
}

const newsMs = 2_500;
const news = new Map<number, "one" | "other">();

/** Defined for a moment after each event about the order. The value alternates, so that each event is animated. */
export const newsOf = (id: number): "one" | "other" | undefined => news.get(id);

function noteNews(id: number): void {
  const mark = news.get(id) === "one" ? "other" : "one";
  news.set(id, mark);
  setTimeout(() => {
    if (news.get(id) === mark) news.delete(id);
  }, newsMs);
}

export function hearOrder(card: Card): void {
  noteNews(card.id);
  placeCard(card);
  recount();
  void queryClient.invalidateQueries({ queryKey: orderKey(card.id) });
}

/** Called when events may have been missed. */
export function reloadOrders(): void {
  void queryClient.invalidateQueries({ queryKey: boardKey });
  void queryClient.invalidateQueries({ queryKey: ["order"] });
}
