import type { InfiniteData } from "@tanstack/react-query";
import { Recent } from "../live/recent.ts";
import { answered, api } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import { type Card, orderKey, type State, stateOf } from "./orders.ts";

export interface Filter {
  readonly branch?: number;
  readonly agent?: number;
  /** First day that counts, `2026-01-31`, by the business's clock. */
  readonly from?: string;
  /** Last day that counts. */
  readonly to?: string;
}

/** What an address says of the board. */
export interface BoardSearch extends Filter {
  /** The column that a phone shows. */
  readonly tab?: State;
  readonly q?: string;
}

/** A filter as the API takes it: days as moments, `to` exclusive. */
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
export const columnKey = (businessId: number, state: State, wanted: Wanted) =>
  [...boardKey, "column", businessId, state, wanted] as const;
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

/** Pages are counted from the newest: after orders came or went, the next one may repeat some, and must leave out none. */
export const nextPage = (last: Page, pages: readonly Page[]): number | undefined =>
  last.hasNextPage ? Math.floor(cardsOf(pages).length / pageSize) + 1 : undefined;

/** Each order once. */
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

/** The column after a card came in, changed, or left. Newest first, as the service sorts. */
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

/** Moves the card to where it belongs, in all columns that are shown. */
export function placeCard(card: Card): void {
  for (const [key, column] of queryClient.getQueriesData<Column>({ queryKey: [...boardKey, "column"] })) {
    if (!column) continue;
    const [, , , state, wanted] = key as ReturnType<typeof columnKey>;
    const isIn = stateOf(card) === state && fits(card, wanted);
    const known = column.pages.some(({ data }) => data.some(({ id }) => id === card.id));
    if (isIn || known) queryClient.setQueryData(key, columnWith(column, card, isIn));
  }
}

const countsPauseMs = 1_000;
let isRecounting = false;

/** Of many changes in a row, the counts are asked for once. */
export function recount(): void {
  if (isRecounting) return;
  isRecounting = true;
  setTimeout(() => {
    isRecounting = false;
    void queryClient.invalidateQueries({ queryKey: [...boardKey, "counts"] });
  }, countsPauseMs);
}

const newsMs = 2_500;
const news = new Map<number, "one" | "other">();

/** Whether an event told of the order just now. The value changes with each event, so that each one is seen. */
export const newsOf = (id: number): "one" | "other" | undefined => news.get(id);

function noteNews(id: number): void {
  const mark = news.get(id) === "one" ? "other" : "one";
  news.set(id, mark);
  setTimeout(() => {
    if (news.get(id) === mark) news.delete(id);
  }, newsMs);
}

/** An order as an event tells it. */
export function hearOrder(card: Card): void {
  recent.add(card);
  noteNews(card.id);
  placeCard(card);
  recount();
  void queryClient.invalidateQueries({ queryKey: orderKey(card.id) });
}

/** After a gap in events. */
export function reloadOrders(): void {
  void queryClient.invalidateQueries({ queryKey: boardKey });
  void queryClient.invalidateQueries({ queryKey: ["order"] });
}
