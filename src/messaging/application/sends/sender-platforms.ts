import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { Sender } from "./ports.ts";

type Opened = Pick<Sender, "platformId" | "accessToken">;

/** What platforms say of senders themselves. */
export interface SenderPlatforms {
  /**
   * Whether the token opens the sender. `unasked`: this platform has nothing that could be asked; `away`: it did not
   * answer, or not so that it could be understood.
   */
  look(channel: ChatChannelName, sender: Opened): Promise<"opened" | "refused" | "unasked" | "away">;
  /** Has an instance tell us of its connection, and connect: the PNG of the code that a phone has to see. Null where the provider gave none. */
  pair(instance: Opened): Promise<Uint8Array | "connected" | null>;
}
