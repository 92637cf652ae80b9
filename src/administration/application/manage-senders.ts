import { qrChannel } from "../../kernel/channels.ts";
import type { SenderPlatforms } from "../../messaging/public.ts";
import { PhoneConnected, PlatformAway, RecordNotFound, WrongField } from "../domain/records.ts";
import type { ManagedSender } from "../domain/sender.ts";
import type { ResourceRules } from "./manage-records.ts";

/** A token is tried with the platform before it is stored. */
export const senderRules = (platforms: Pick<SenderPlatforms, "look">): ResourceRules<ManagedSender> => ({
  name: "senders",
  shown: ({ token: _, ...shown }) => shown,
  async approve(_businessId, { provider, platformId, token }) {
    if (token === null) return;
    const seen = await platforms.look(provider, { platformId, accessToken: token });
    if (seen === "refused") throw new WrongField("token", "refused");
    if (seen === "away") throw new PlatformAway(`the platform of ${provider} did not answer`);
  },
  over(fields, before) {
    if (fields.token !== null) return fields;
    const isSame = before?.provider === fields.provider && before.platformId === fields.platformId;
    if (!isSame) throw new WrongField("token", "missing");
    return { ...fields, token: before.token };
  },
});

/** The codes by which phones are paired with instances. */
export class PairSenders {
  constructor(
    private readonly tokenOf: (
      businessId: number,
      id: number,
    ) => Promise<Pick<ManagedSender, "provider" | "platformId" | "token"> | null>,
    private readonly platforms: Pick<SenderPlatforms, "pair">,
    /** Keeps what the provider says of the instance. */
    private readonly note: (businessId: number, id: number, state: string) => Promise<void>,
  ) {}

  /**
   * Has the instance connect. The image, a PNG, that its phone has to see. Rejects with `RecordNotFound` for what is no
   * instance, `PhoneConnected` and `PlatformAway`.
   */
  async code(businessId: number, id: number): Promise<Uint8Array> {
    const sender = await this.tokenOf(businessId, id);
    if (sender?.provider !== qrChannel) throw new RecordNotFound(`instance ${id}`);
    const answer = await this.platforms.pair({ platformId: sender.platformId, accessToken: sender.token ?? "" });
    if (answer === null) throw new PlatformAway(`no code for instance ${id}`);
    await this.note(businessId, id, answer === "connected" ? "open" : "connecting");
    if (answer === "connected") throw new PhoneConnected(`instance ${id}`);
    return answer;
  }
}
