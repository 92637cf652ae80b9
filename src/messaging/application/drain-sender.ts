import { type Consequence, consequencesOf } from "../domain/campaign.ts";
import { Pacer } from "../domain/pacer.ts";
import { fillText } from "../domain/template.ts";
import type { CampaignQueue, ClaimedRecipient, FrozenCampaign, SenderLease, TriedRecipient } from "./campaign-ports.ts";
import type { CampaignProgress } from "./campaign-progress.ts";
import type { Channel, Timing } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";

export interface DrainSettings {
  /** How long a claimed recipient may be sent after its claim; shorter than its lease by the longest request. */
  readonly sendWithinMs: number;
  /** Requests under way at a time on one number. */
  readonly concurrency: number;
  /** Recipients recorded at a time, at most. */
  readonly recordAtMost: number;
}

/** Seconds' worth of a number's rate that is claimed at a time: what a killed worker leaves unknown, at most. */
const claimSeconds = 0.1;
const mostClaimed = 500;
const pauseAfterSetbackMs = 1_000;

/**
 * Sends what is due on one number, as long as the lease holds: in the number's rate, its campaigns in turns, each
 * message once. Claims while it sends and records while it claims.
 */
export class DrainSender {
  private readonly pacer: Pacer;
  private readonly tried: TriedRecipient[] = [];
  private readonly paused = new Set<number>();
  private readonly campaigns = new Map<number, FrozenCampaign>();
  private recording: Promise<void> = Promise.resolve();
  private underWay = 0;
  private wakeSlot: (() => void) | undefined;
  private lastServed = 0;

  constructor(
    private readonly lease: SenderLease,
    private readonly queue: CampaignQueue,
    private readonly channel: Channel,
    private readonly recorder: RecordCampaign,
    private readonly progress: CampaignProgress,
    private readonly timing: Timing,
    private readonly settings: DrainSettings,
    private readonly onError: (error: unknown) => void,
  ) {
    this.pacer = new Pacer(lease.messagesPerSecond, timing.now);
  }

  /** Resolves when nothing is due any more, the lease is gone, or `signal` is aborted; everything is recorded then. */
  async run(signal: AbortSignal): Promise<void> {
    await this.timing.sleep(this.lease.waitMs, signal);
    let next = this.claim();
    while (!signal.aborted) {
      const { batch, claimedAt, held } = await next;
      if (batch.length === 0) {
        // What is under way may come back to the queue, or hold the number back: the end is only known afterwards.
        if (!held || (await this.settled()) === 0) break;
        next = this.claim();
        continue;
      }
      next = this.claim();
      await this.sendAll(batch, claimedAt, signal);
    }
    const { batch } = await next;
    for (const recipient of batch) this.giveBack(recipient);
    await this.settled();
    if (!signal.aborted) await this.complete();
  }

  private async claim(): Promise<{ batch: readonly ClaimedRecipient[]; claimedAt: number; held: boolean }> {
    const limit = Math.max(1, Math.min(mostClaimed, Math.ceil(this.pacer.rate * claimSeconds)));
    // The lease begins in the database after this moment: counted from here it never ends later than there.
    const claimedAt = this.timing.now();
    try {
      const { held, recipients, sentDirectly } = await this.queue.claim(this.lease, limit, this.lastServed);
      this.lastServed = recipients.at(-1)?.campaignId ?? this.lastServed;
      this.pacer.limit(this.lease.messagesPerSecond - sentDirectly);
      await this.learn(recipients);
      return { batch: recipients, claimedAt, held };
    } catch (error) {
      // Whatever was claimed without our hearing of it runs into its lease.
      this.onError(error);
      return { batch: [], claimedAt, held: false };
    }
  }

  private async learn(recipients: readonly ClaimedRecipient[]): Promise<void> {
    const unknown = [...new Set(recipients.map(({ campaignId }) => campaignId))].filter(
      (id) => !this.campaigns.has(id),
    );
    if (unknown.length === 0) return;
    for (const [id, campaign] of await this.queue.frozen(this.lease.businessId, unknown))
      this.campaigns.set(id, campaign);
  }

  private async sendAll(batch: readonly ClaimedRecipient[], claimedAt: number, signal: AbortSignal): Promise<void> {
    for (const recipient of batch) {
      await this.turn(signal);
      const tooLate = this.timing.now() - claimedAt > this.settings.sendWithinMs;
      const campaign = this.campaigns.get(recipient.campaignId);
      if (signal.aborted || tooLate || !campaign || this.paused.has(recipient.campaignId)) this.giveBack(recipient);
      else void this.send(recipient, campaign);
    }
  }

  /** Waits for the number's rate and for one of its requests. */
  private async turn(signal: AbortSignal): Promise<void> {
    while (this.underWay >= this.settings.concurrency) await new Promise<void>((resume) => (this.wakeSlot = resume));
    for (let ms = this.pacer.take(); ms > 0 && !signal.aborted; ms = this.pacer.take())
      await this.timing.sleep(ms, signal);
  }

  private async send(recipient: ClaimedRecipient, { template }: FrozenCampaign): Promise<void> {
    this.underWay += 1;
    const { platformName: name, language, providerBId, media } = template;
    const { parameters } = recipient;
    const outcome = await this.channel.send(this.lease.sender, {
      to: recipient.phone,
      reference: recipient.reference,
      text: fillText(template.body, parameters),
      template: { name, language, parameters, providerBId },
      ...(media ? { media } : {}),
    });
    const [progress, consequence] = consequencesOf(outcome, recipient.setbacks);
    this.underWay -= 1;
    this.wakeSlot?.();
    this.follow(consequence, recipient.campaignId);
    this.note({ ...recipientKey(recipient), ...progress });
  }

  private follow(consequence: Consequence, campaignId: number): void {
    if (consequence.kind === "go-on") this.pacer.recover();
    else if (consequence.kind === "slow-down") {
      this.pacer.slowDown(consequence.retryAfterMs ?? pauseAfterSetbackMs);
    } else this.pause(campaignId, consequence.reason);
  }

  private pause(campaignId: number, reason: string): void {
    if (this.paused.has(campaignId)) return;
    this.paused.add(campaignId);
    this.queue.pause(this.lease.businessId, campaignId, reason).catch(this.onError);
  }

  /** Claimed, and certainly not sent: as if it had not been claimed. */
  private giveBack(recipient: ClaimedRecipient): void {
    this.note({ ...recipientKey(recipient), state: "queued", dueInMs: 0 });
  }

  private note(tried: TriedRecipient): void {
    this.tried.push(tried);
    if (this.tried.length === 1) this.recording = this.recording.then(() => this.record()).catch(this.onError);
  }

  private async record(): Promise<void> {
    while (this.tried.length > 0) {
      const batch = this.tried.splice(0, this.settings.recordAtMost);
      await this.recorder.record(this.lease, batch, this.campaigns).catch((error: unknown) => {
        // Their leases run out, and the sweep records them as what is known of them.
        this.onError(error);
      });
      this.progress.touch(
        this.lease.businessId,
        batch.map(({ campaignId }) => campaignId),
      );
    }
  }

  /** Waits until nothing is under way and all is recorded; how many there were to wait for. */
  private async settled(): Promise<number> {
    const count = this.underWay + this.tried.length;
    while (this.underWay > 0) await new Promise<void>((resume) => (this.wakeSlot = resume));
    await this.recording;
    return count;
  }

  private async complete(): Promise<void> {
    const { businessId, sender } = this.lease;
    this.progress.touch(businessId, await this.queue.complete(businessId, sender.id));
  }
}

const recipientKey = ({ campaignId, position, attempt }: ClaimedRecipient) => ({ campaignId, position, attempt });
