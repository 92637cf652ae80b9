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

/** The fields that the platform confirms. A change of one of them requires a new token. */
const claimedFields = ["provider", "platformId", "accountId", "phone"] as const;

const fieldOf: Readonly<Record<keyof ClaimedSender, keyof ManagedSender>> = {
  channel: "provider",
  platformId: "platformId",
  accountId: "accountId",
  phone: "phone",
  accessToken: "token",
};

/** Before a sender is stored, the platform confirms that the token gives access to it. */
export const senderRules = (platforms: Pick<SenderPlatforms, "look">): ResourceRules<ManagedSender> => ({
  name: "senders",
  forAudit: ({ token: _, ...shown }) => shown,
  async verify(_businessId, fields) {
    const { provider: channel, platformId, accountId, phone, token } = fields;
    // Without a new token there is nothing to confirm, because `merge` then refuses changes of `claimedFields`.
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

/** The states in which a campaign or a chat still needs its sender. */
export const unfinished = { campaigns: [...campaignMoves.cancel.from], chats: [...conversationStates] };

export interface InstanceReads {
  /** Returns the sender with its token, which is null if it cannot be decrypted. */
  opened(businessId: number, id: number): Promise<StoredRecord<ManagedSender> | null>;
  now(businessId: number): Promise<Date>;
}

/** The state of an instance, as its provider answered. */
export interface ConnectionReport extends SenderPairing {
  /** When the provider was asked, by the database's clock. */
  readonly askedAt: Date;
}

export interface InstanceStore {
  /** Stores the state, unless the sender is another instance by now or a webhook reported a newer state. */
  saveConnection(businessId: number, id: number, report: ConnectionReport): Promise<void>;
}

/** Gets the QR code that pairs a phone with an instance. */
export class PairSenders {
  constructor(
    private readonly instances: InstanceReads,
    private readonly platforms: Pick<SenderPlatforms, "pair">,
    private readonly unitOfWork: UnitOfWork<RecordStores<InstanceStore>>,
  ) {}

  /**
   * Starts the pairing and resolves to the QR code, a PNG. The audit records who got it, without the code.
   * Rejects with `RecordNotFound` if the sender is not an instance, and with `PhoneConnected` or `PlatformUnavailable`.
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
      await records.saveConnection(businessId, id, { platformId, state, askedAt });
      // If a phone is already connected, there is no code to audit.
      if (answer !== "connected") await auditPairing(audit, actor, id, { platformId, state });
    });
    if (answer === "connected") throw new PhoneConnected(`instance ${id}`);
    return answer;
  }
}

const auditPairing = (audit: AuditLog, actor: Actor, recordId: number, after: SenderPairing) =>
  audit.add(actor, [{ resource: senderPairings, recordId, change: "created", before: null, after }]);
