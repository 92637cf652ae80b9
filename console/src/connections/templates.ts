import { queryOptions } from "@tanstack/react-query";
import { answered, api, type paths } from "../shared/api.ts";

export type StoredRecord = paths["/admin/templates/{id}"]["get"]["responses"][200]["content"]["application/json"];

export const key = "templates";

export const fetchTemplate = (id: number, options: { readonly signal?: AbortSignal } = {}): Promise<StoredRecord> =>
  answered(api.GET("/admin/templates/{id}", { params: { path: { id } }, ...options }));

export const templateQuery = (id: number) =>
  queryOptions({
    queryKey: ["admin", key, "one", id],
    queryFn: ({ signal }) => fetchTemplate(id, { signal }),
    // A form must start from fresh data.
    staleTime: 0,
    gcTime: 0,
  });
