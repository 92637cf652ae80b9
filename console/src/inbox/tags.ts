import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../shared/api.ts";

interface Named {
  readonly id: number;
  readonly nombre: string;
}

const mostPages = 10;
const staleTime = 60_000;

/** Tags to choose from, by name: up to 1,000. */
async function fetchTags(): Promise<Named[]> {
  const tags: Named[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < mostPages; page++) {
    const query = { limit: 100, ...(cursor && { cursor }) };
    const answer: { data: Named[]; next: string | null } = await answered(api.GET("/tags", { params: { query } }));
    tags.push(...answer.data);
    cursor = answer.next;
    if (cursor === null) break;
  }
  return tags.sort((a, b) => a.nombre.localeCompare(b.nombre));
}

export const useTags = (enabled = true) => useQuery({ queryKey: ["tags"], queryFn: fetchTags, staleTime, enabled });
