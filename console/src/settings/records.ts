import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../shared/api.ts";

/** The service's largest page. */
export const page = 100;
/** The maximum number of pages for a select. */
const mostPages = 20;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

/** All records for a select, at most 2,000. */
export async function everyOne<Item>(read: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>) {
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

/** @param isWanted - false if the screen does not show branches */
export const useAllBranches = (isWanted = true) =>
  useQuery({
    queryKey: ["admin", "branches", "all"],
    queryFn: ({ signal }) => everyOne((query) => answered(api.GET("/admin/branches", { params: { query }, signal }))),
    enabled: isWanted,
  });

/** Options for a select. */
export const choicesOf = (records: readonly { readonly id: number; readonly nombre: string }[] | undefined) =>
  (records ?? []).map(({ id, nombre }) => ({ value: String(id), label: nombre }));
