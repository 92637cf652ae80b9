import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { allPages, pageSize } from "../shared/all-pages.ts";
import { answered, api, type paths } from "../shared/api.ts";
import type { UserFilters } from "./users-search.ts";

export type User = paths["/admin/users/{id}"]["get"]["responses"][200]["content"]["application/json"];
export type Department = paths["/admin/departments/{id}"]["get"]["responses"][200]["content"]["application/json"];
export type Invitation =
  paths["/admin/users/{id}/invite"]["post"]["responses"][201]["content"]["application/json"]["invitation"];

export const [administrator, agent] = [1, 5];

export const useUsers = (filters: UserFilters) =>
  useInfiniteQuery({
    queryKey: ["admin", "users", "list", filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...filters, ...(pageParam && { cursor: pageParam }) };
      return answered(api.GET("/admin/users", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });

export const readUser = (id: number) => answered(api.GET("/admin/users/{id}", { params: { path: { id } } }));

/** All users for a select, including inactive ones, since records may refer to them. */
export const useAllUsers = () =>
  useQuery({
    queryKey: ["admin", "users", "all"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/admin/users", { params: { query }, signal }))),
  });

export const useAllDepartments = () =>
  useQuery({
    queryKey: ["admin", "departments", "all"],
    queryFn: ({ signal }) =>
      allPages((query) => answered(api.GET("/admin/departments", { params: { query }, signal }))),
  });

export const readDepartment = (id: number) =>
  answered(api.GET("/admin/departments/{id}", { params: { path: { id } } }));
