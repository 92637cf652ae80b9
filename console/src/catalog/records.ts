import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { allPages } from "../shared/all-pages.ts";
import { answered, api } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import type { IfMatch, Read } from "../shared/record-form.ts";
import type { CatalogPlace, FieldName, Resource } from "./resources.ts";

export type Value = string | number | readonly number[] | null;
export type Values = Readonly<Partial<Record<FieldName, Value>>>;
export type CatalogRecord = Values & { readonly id: number; readonly version: number };

interface Page {
  readonly data: readonly CatalogRecord[];
  readonly next: string | null;
}

const pageSize = 50;

// The requests have the same form for all resources, so the types of the tag requests are used for all.
const all = (place: CatalogPlace) => `/admin/${place}` as "/admin/tags";
const one = (place: CatalogPlace) => `/admin/${place}/{id}` as "/admin/tags/{id}";
type Body = { nombre: string };

export const useRecords = (place: CatalogPlace, q: string) =>
  useInfiniteQuery({
    queryKey: ["admin", place, "list", q],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(q && { q }), ...(pageParam && { cursor: pageParam }) };
      return (await answered(api.GET(all(place), { params: { query }, signal }))) as unknown as Page;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before, query) => (query?.queryKey[1] === place ? before : undefined),
  });

export const readRecord = async (place: CatalogPlace, id: number): Promise<CatalogRecord> =>
  (await answered(api.GET(one(place), { params: { path: { id } } }))) as unknown as CatalogRecord;

/** Creates a record if `id` is null. An empty secret is omitted, so that the service keeps the stored secret. */
export async function saveRecord(place: CatalogPlace, id: number | null, values: Values, header: IfMatch) {
  const { token, ...rest } = values;
  const body = { ...rest, ...(token && { token }) } as unknown as Body;
  return id === null
    ? answered(api.POST(all(place), { body }))
    : answered(api.PUT(one(place), { params: { path: { id }, header }, body }));
}

export const removeRecord = (place: CatalogPlace, id: number) => api.DELETE(one(place), { params: { path: { id } } });

export const recordsChanged = (place: CatalogPlace): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ["admin", place] });

const nothingOf = {
  text: "",
  lines: "",
  price: "",
  branch: null,
  articles: [],
  file: null,
  secret: "",
  coupon: "",
} as const;

/** The initial values of a form. Missing texts are empty. */
export function readOf({ fields }: Resource, record: CatalogRecord | null): Read<Values> {
  const values = fields.map(({ name, kind }) => [name, record?.[name] ?? nothingOf[kind]]);
  return { fields: Object.fromEntries(values) as Values, version: record?.version ?? null };
}

/** The request body. Empty texts and null are omitted. */
export function bodyOf({ fields }: Resource, values: Values): Values {
  const said = fields.map(({ name, kind }) => {
    const value = values[name] ?? null;
    if (typeof value !== "string") return [name, value];
    const text = kind === "price" ? value.trim().replace(",", ".") : value.trim();
    return [name, text];
  });
  return Object.fromEntries(said.filter(([, value]) => value !== "" && value !== null)) as Values;
}

export const useAllArticles = (isWanted: boolean) =>
  useQuery({
    queryKey: ["admin", "articles", "all"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/admin/articles", { params: { query }, signal }))),
    enabled: isWanted,
  });
