import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../shared/api.ts";

/** At most this many choices are loaded. Only articles can be searched beyond their limit. */
const limit = 100;
const staleTime = 60_000;

export const useBranches = () =>
  useQuery({
    queryKey: ["branches"],
    queryFn: async () => (await answered(api.GET("/branches", { params: { query: { limit } } }))).data,
    staleTime,
  });

export const useZones = () =>
  useQuery({
    queryKey: ["zones"],
    queryFn: async () => (await answered(api.GET("/zones", { params: { query: { limit } } }))).data,
    staleTime,
  });

export const useDrivers = () =>
  useQuery({
    queryKey: ["drivers"],
    queryFn: async () => (await answered(api.GET("/drivers", { params: { query: { limit } } }))).data,
    staleTime,
  });

export const useArticles = (q: string) =>
  useQuery({
    queryKey: ["articles", q],
    queryFn: async ({ signal }) =>
      (await answered(api.GET("/articles", { params: { query: { limit: 30, ...(q && { q }) } }, signal }))).data,
    staleTime,
    placeholderData: (before) => before,
  });

export const useExtras = () =>
  useQuery({
    queryKey: ["extras"],
    queryFn: async () => (await answered(api.GET("/extras", { params: { query: { limit } } }))).data,
    staleTime,
  });
