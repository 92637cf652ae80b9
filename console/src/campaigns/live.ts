import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";
import { onMissed } from "../live/missed.ts";
import { queryClient } from "../shared/query.ts";

/** Reads campaigns again after each event, since an event does not contain the rate and the remaining time. */
export function hearCampaigns(socket: Socket<ServerEvents, ClientEvents>): void {
  const reload = (id?: number): void => {
    void queryClient.invalidateQueries({ queryKey: ["campaigns"] });
    void queryClient.invalidateQueries({ queryKey: id === undefined ? ["campaign"] : ["campaign", id] });
  };
  socket.on("campaign:progress", ({ campaign_id }) => reload(campaign_id));
  onMissed(socket, () => reload());
}
