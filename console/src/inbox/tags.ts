import { useQuery } from "@tanstack/react-query";
import { allPages } from "../shared/all-pages.ts";
import { answered, api } from "../shared/api.ts";

const staleTime = 60_000;

async function fetchTags() {
  const tags = await allPages((query) => answered(api.GET("/tags", { params: { query } })));
  return tags.sort((a, b) => a.nombre.localeCompare(b.nombre));
}

export const useTags = (enabled = true) => useQuery({ queryKey: ["tags"], queryFn: fetchTags, staleTime, enabled });
