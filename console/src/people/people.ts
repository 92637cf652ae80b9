import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answered, api, type paths } from "../shared/api.ts";

export type User = paths["/admin/users/{id}"]["get"]["responses"][200]["content"]["application/json"];
export type Department = paths["/admin/departments/{id}"]["get"]["responses"][200]["content"]["application/json"];
export type Invitation =
  paths["/admin/users/{id}/invite"]["post"]["responses"][201]["content"]["application/json"]["invitation"];

export const [administrator, agent] = [1, 5];

/** The service's largest page. */
const page = 100;
/** A choice offers no more than this many pages. */
const mostPages = 20;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

async function everyOne<Item>(read: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>) {
  const all: Item[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < mostPages; count += 1) {
    const { data, next }: Page<Item> = await read({ limit: page, ...(cursor !== null && { cursor }) });
    all.push(...data);
    cursor = next;
    if (cursor === null) break;
  }
  return all;
}

export const useUsers = (q: string) =>
  useInfiniteQuery({
    queryKey: ["admin", "users", "list", q],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: page, ...(q && { q }), ...(pageParam && { cursor: pageParam }) };
      return answered(api.GET("/admin/users", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });

export const readUser = (id: number) => answered(api.GET("/admin/users/{id}", { params: { path: { id } } }));

/** Users to choose from, the inactive ones too: what has them keeps them. */
export const useAllUsers = () =>
  useQuery({
    queryKey: ["admin", "users", "all"],
    queryFn: ({ signal }) => everyOne((query) => answered(api.GET("/admin/users", { params: { query }, signal }))),
  });

export const useAllDepartments = () =>
  useQuery({
    queryKey: ["admin", "departments", "all"],
    queryFn: ({ signal }) =>
      everyOne((query) => answered(api.GET("/admin/departments", { params: { query }, signal }))),
  });

export const useAllBranches = () =>
  useQuery({
    queryKey: ["admin", "branches", "all"],
    queryFn: ({ signal }) => everyOne((query) => answered(api.GET("/admin/branches", { params: { query }, signal }))),
  });

export const readDepartment = (id: number) =>
  answered(api.GET("/admin/departments/{id}", { params: { path: { id } } }));

/** As choices of the library take records. */
export const choicesOf = (records: readonly { readonly id: number; readonly nombre: string }[] | undefined) =>
  (records ?? []).map(({ id, nombre }) => ({ value: String(id), label: nombre }));
