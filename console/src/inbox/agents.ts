import { useQuery } from "@tanstack/react-query";
import { useMe } from "../app/session.ts";
import { allPages } from "../shared/all-pages.ts";
import { answered, api } from "../shared/api.ts";

const freshMs = 60_000;

export const useAgents = () =>
  useQuery({ queryKey: ["agents"], queryFn: async () => (await answered(api.GET("/agents"))).data });

export const useDepartments = () =>
  useQuery({
    queryKey: ["departments"],
    queryFn: () => allPages((query) => answered(api.GET("/departments", { params: { query } }))),
    // No events report changes of departments, so the cached list expires.
    staleTime: freshMs,
  });

/**
 * The name of the user or of a loaded agent. Undefined for null and for everybody else, for example an administrator
 * who is not the user.
 */
export function useAgentName(id: number | null): string | undefined {
  const me = useMe();
  const { data } = useAgents();
  if (id === null) return undefined;
  return id === me.id ? me.nombre : data?.find((agent) => agent.id === id)?.nombre;
}
