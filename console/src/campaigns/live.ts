import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";
import { queryClient } from "../shared/query.ts";

/** Progress comes once a second at most; rates and states are asked for, since the event does not tell them. */
export function hearCampaigns(socket: Socket<ServerEvents, ClientEvents>): void {
  const reload = (id?: number): void => {
    void queryClient.invalidateQueries({ queryKey: ["campaigns"] });
    void queryClient.invalidateQueries({ queryKey: id === undefined ? ["campaign"] : ["campaign", id] });
  };
  socket.on("campaign:progress", ({ campaign_id }) => reload(campaign_id));
  socket.on("resync", () => reload());
}
