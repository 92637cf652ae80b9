import { notifyManager, QueryCache, QueryClient } from "@tanstack/react-query";
import { Refused } from "./api.ts";
import { perFrame } from "./per-frame.ts";

export const meKey = ["me"] as const;

const retries = 3;

notifyManager.setScheduler(perFrame);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof Refused && error.status === 401) queryClient.setQueryData(meKey, null);
    },
  }),
  defaultOptions: {
    // Otherwise, a change made without a connection would wait unseen, and be made when the connection is back, even if
    // the user has made it again meanwhile.
    mutations: { networkMode: "always" },
    queries: {
      // Events update cached data, so it does not expire.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < retries && !(error instanceof Refused && error.status < 500),
    },
  },
});
