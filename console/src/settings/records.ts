import { useQuery } from "@tanstack/react-query";
import { allPages } from "../shared/all-pages.ts";
import { answered, api } from "../shared/api.ts";

/** @param isWanted - false if the screen does not show branches */
export const useAllBranches = (isWanted = true) =>
  useQuery({
    queryKey: ["admin", "branches", "all"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/admin/branches", { params: { query }, signal }))),
    enabled: isWanted,
  });

/** Options for a select. */
export const choicesOf = (records: readonly { readonly id: number; readonly nombre: string }[] | undefined) =>
  (records ?? []).map(({ id, nombre }) => ({ value: String(id), label: nombre }));
