import { useQuery } from "@tanstack/react-query";
import { allPages } from "../shared/all-pages.ts";
import { answered, api } from "../shared/api.ts";

const staleTime = 60_000;

export const useBranches = () =>
  useQuery({
    queryKey: ["branches"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/branches", { params: { query }, signal }))),
    staleTime,
  });

export const useZones = () =>
  useQuery({
    queryKey: ["zones"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/zones", { params: { query }, signal }))),
    staleTime,
  });

export const useDrivers = () =>
  useQuery({
    queryKey: ["drivers"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/drivers", { params: { query }, signal }))),
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
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/extras", { params: { query }, signal }))),
    staleTime,
  });
