import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../shared/api.ts";

const everyMs = 15_000;

/** The numbers of open chats that the user may see. */
export const useCounts = () =>
  useQuery({
    queryKey: ["counts"],
    queryFn: () => answered(api.GET("/chats/counts")),
    refetchInterval: everyMs,
    refetchIntervalInBackground: true,
  }).data;
