import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../shared/api.ts";

export const useAgents = () =>
  useQuery({ queryKey: ["agents"], queryFn: async () => (await answered(api.GET("/agents"))).data });

export const useDepartments = () =>
  useQuery({
    queryKey: ["departments"],
    queryFn: async () => (await answered(api.GET("/departments", { params: { query: { limit: 100 } } }))).data,
  });

/** The name of an agent; undefined if `id` is null or unknown, and until the agents are loaded. */
export function useAgentName(id: number | null): string | undefined {
  const { data } = useAgents();
  return id === null ? undefined : data?.find((agent) => agent.id === id)?.nombre;
}
