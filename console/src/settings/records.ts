import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../shared/api.ts";

/** The service's largest page. */
export const page = 100;
/** A choice offers no more than this many pages. */
const mostPages = 20;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

/** Of a resource that is chosen from: at most 2,000. */
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

/** @param isWanted - false where a screen shows nothing of branches */
export const useAllBranches = (isWanted = true) =>
  useQuery({
    queryKey: ["admin", "branches", "all"],
    queryFn: ({ signal }) => everyOne((query) => answered(api.GET("/admin/branches", { params: { query }, signal }))),
    enabled: isWanted,
  });

/** As choices of the library take records. */
export const choicesOf = (records: readonly { readonly id: number; readonly nombre: string }[] | undefined) =>
  (records ?? []).map(({ id, nombre }) => ({ value: String(id), label: nombre }));
