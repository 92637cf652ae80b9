import { conversationStates } from "../../inbox/public.ts";
import { type SenderPairing, senderPairings } from "../../kernel/audit.ts";
import { cloudChannel, qrChannel } from "../../kernel/channels.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import {
  type ClaimedSender,
  campaignMoves,
  PlatformUnavailable,
  type SenderPlatforms,
} from "../../messaging/public.ts";
import { type Actor, PhoneConnected, RecordNotFound, type StoredRecord, WrongField } from "../domain/records.ts";
import type { ManagedSender } from "../domain/sender.ts";
import type { ResourceRules } from "./manage-records.ts";
import type { AuditLog, RecordStores } from "./ports.ts";

/** What a token opens: the platform is asked whether it is so, and whether it still is where one of them changes. */
const claimedFields = ["provider", "platformId", "accountId", "phone"] as const;

const fieldOf: Readonly<Record<keyof ClaimedSender, keyof ManagedSender>> = {
  channel: "provider",
  platformId: "platformId",
  accountId: "accountId",
  phone: "phone",
  accessToken: "token",
};

/** What a business says that it sends from is asked of the platform before it is stored. */
export const senderRules = (platforms: Pick<SenderPlatforms, "look">): ResourceRules<ManagedSender> => ({
  name: "senders",
  forAudit: ({ token: _, ...shown }) => shown,
  async verify(_businessId, fields) {
    const { provider: channel, platformId, accountId, phone, token } = fields;
    // None is given where nothing of it changes: `over` sees to that.
    if (token === null) return fields;
    if (channel === cloudChannel && accountId === "") throw new WrongField("accountId", "missing");
    const seen = await platforms.look({ channel, platformId, accountId, phone, accessToken: token });
    if (seen === "away") throw new PlatformUnavailable(`the platform of ${channel} did not answer`);
    if (seen !== "confirmed") throw new WrongField(fieldOf[seen.unconfirmed], "refused");
    return fields;
  },
  merge(fields, before) {
    if (fields.token !== null) return fields;
    const isSame = before !== null && claimedFields.every((field) => before[field] === fields[field]);
    if (!isSame || before.token === null) throw new WrongField("token", "missing");
    return { ...fields, token: before.token };
  },
});

/** States of what goes on with a sender: campaigns that are not over, and chats that are open. */
export const underWay = { campaigns: [...campaignMoves.cancel.from], chats: [...conversationStates] };

/** Instances as they are stored. */
export interface InstanceReads {
  /** With its token, which is null where it cannot be opened. */
  opened(businessId: number, id: number): Promise<StoredRecord<ManagedSender> | null>;
  now(businessId: number): Promise<Date>;
}

/** What a provider said when it was asked. */
export interface ConnectionReport extends SenderPairing {
  /** By the database's clock. */
  readonly askedAt: Date;
}

export interface InstanceStore {
  /**
   * Keeps it, unless the sender is another instance by now. News of the connection that came after the provider was asked
   * are newer than its answer.
   */
  note(businessId: number, id: number, word: ConnectionReport): Promise<void>;
}

/** The codes by which phones are paired with instances. */
export class PairSenders {
  constructor(
    private readonly instances: InstanceReads,
    private readonly platforms: Pick<SenderPlatforms, "pair">,
    private readonly unitOfWork: UnitOfWork<RecordStores<InstanceStore>>,
  ) {}

  /**
   * Has the instance connect. The image, a PNG, that its phone has to see; who got it stands in the audit, and the code does
   * not. Rejects with `RecordNotFound` for what is no instance, `PhoneConnected` and `PlatformUnavailable`.
   */
  async code(actor: Actor, id: number): Promise<Uint8Array> {
    const { businessId } = actor;
    const sender = (await this.instances.opened(businessId, id))?.fields;
    if (sender?.provider !== qrChannel) throw new RecordNotFound(`instance ${id}`);
    const { platformId, token } = sender;
    if (token === null) throw new Error(`the token of instance ${id} cannot be opened`);
    const askedAt = await this.instances.now(businessId);
    const answer = await this.platforms.pair({ businessId, senderId: id, platformId, accessToken: token });
    if (answer === null) throw new PlatformUnavailable(`no code for instance ${id}`);
    const state = answer === "connected" ? "open" : "connecting";
    await this.unitOfWork.run(businessId, async ({ records, audit }) => {
      await records.note(businessId, id, { platformId, state, askedAt });
      await noteAsked(audit, actor, id, { platformId, state });
    });
    if (answer === "connected") throw new PhoneConnected(`instance ${id}`);
    return answer;
  }
}

const noteAsked = (audit: AuditLog, actor: Actor, recordId: number, after: SenderPairing) =>
  audit.add(actor, [{ resource: senderPairings, recordId, change: "created", before: null, after }]);
