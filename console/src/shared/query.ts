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
    // By default, a change without a connection would wait unseen. It would be sent once the connection is back, even
    // if the user has made the same change again meanwhile.
    mutations: { networkMode: "always" },
    queries: {
      // Events and the user's changes reload most data, so it does not expire. Queries for other data set `staleTime`.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < retries && !(error instanceof Refused && error.status < 500),
    },
  },
});
