import { type Consequence, consequencesOf } from "../../domain/campaign.ts";
import type { SendOutcome } from "../../domain/platform.ts";
import type { Channel } from "../sends/ports.ts";
import type { CampaignProgress } from "./campaign-progress.ts";
import { type DrainedCampaign, DrainedCampaigns } from "./drained-campaigns.ts";
import type { CampaignQueue, ClaimedRecipient, SenderLease, Timing } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";
import { persisting, Recording } from "./recording.ts";
import { SendingSlots } from "./sending-slots.ts";

export interface DrainSettings {
  /** How long a claimed recipient may be sent after its claim; shorter than its lease by the longest request. */
  readonly sendWithinMs: number;
  /** Requests under way at a time on one number. */
  readonly concurrency: number;
  /** Recipients recorded at a time, at most. */
  readonly recordAtMost: number;
}

/**
 * Seconds' worth of a number's rate that is claimed at a time. A killed worker leaves unknown, at most, the batch in
 * hand and the next one, what is under way, and what is not recorded yet.
 */
const claimSeconds = 0.1;
const mostClaimed = 500;
const pauseAfterFailureMs = 500;
const renewEveryMs = 1_000;
/** The number is kept for what comes due within this time, and while it rests for no longer. */
const soonMs = 10_000;

interface Batch {
  readonly recipients: readonly ClaimedRecipient[];
  readonly claimedAt: number;
  readonly held: boolean;
  readonly skipped: boolean;
  readonly dueInMs: number | null;
}

const nothing: Batch = { recipients: [], claimedAt: 0, held: false, skipped: false, dueInMs: null };

/**
 * Sends what is due on one number, as long as the lease holds: in the number's rate, its campaigns in turns, each
 * message once. Claims while it sends and records while it claims.
 */
export class DrainSender {
  /** Aborted once nothing new is to begin. */
  private readonly over = new AbortController();
  private readonly slots: SendingSlots;
  private readonly campaigns: DrainedCampaigns;
  private readonly recording: Recording;
  private lastServed = 0;

  constructor(
    private readonly lease: SenderLease,
    private readonly queue: CampaignQueue,
    private readonly channel: Channel,
    recorder: RecordCampaign,
    private readonly progress: CampaignProgress,
    private readonly timing: Timing,
    private readonly settings: DrainSettings,
    private readonly onError: (error: unknown) => void,
  ) {
    const over = this.over.signal;
    const persist = persisting(timing, over, onError);
    this.slots = new SendingSlots(lease.messagesPerSecond, settings.concurrency, timing, over);
    this.campaigns = new DrainedCampaigns(lease.businessId, queue, progress, timing, persist, onError);
    this.recording = new Recording(
      (tried) => persist(() => recorder.record(lease, tried, this.campaigns.known)),
      settings.recordAtMost,
      () => this.slots.wake(),
    );
  }

  /**
   * Resolves when nothing is due any more, the number is to rest, the lease is gone, or `signal` is aborted; everything
   * is recorded then. Milliseconds for which the number is to rest.
   */
  async run(signal: AbortSignal): Promise<number> {
    const end = (): void => this.end();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    const keeping = this.keepLease();
    await this.drain();
    await this.settled();
    signal.removeEventListener("abort", end);
    end();
    await keeping;
    if (!signal.aborted) await this.complete().catch(this.onError);
    return this.slots.pacer.heldMs;
  }

  private async drain(): Promise<void> {
    await this.sleep(this.lease.waitMs);
    let next = this.claim();
    while (!this.isOver) {
      const batch = await next;
      if (batch.recipients.length > 0) {
        next = this.claim();
        await this.sendAll(batch);
      } else if (batch.held && (await this.mayComeMore(batch))) next = this.claim();
      else break;
    }
    for (const recipient of (await next).recipients) this.giveBack(recipient);
  }

  /** Nothing new begins from here on. */
  private end(): void {
    this.over.abort();
    this.slots.wake();
  }

  private get isOver(): boolean {
    return this.over.signal.aborted;
  }

  private sleep(ms: number): Promise<void> {
    return this.timing.sleep(ms, this.over.signal);
  }

  /** A number whose requests hang, or that is to wait, claims nothing: nobody else is to take it over for that. */
  private async keepLease(): Promise<void> {
    for (;;) {
      await this.sleep(renewEveryMs);
      if (this.isOver) return;
      // Whoever waits for a request to end looks whether it is too late meanwhile: a timer each would cost more than
      // the sending.
      this.slots.wake();
      // What a broken connection left open the next time finds out.
      const held = await this.queue.renew(this.lease).catch(() => true);
      if (!held) this.end();
    }
  }

  private async claim(): Promise<Batch> {
    await this.ready();
    if (this.isOver) return nothing;
    const limit = Math.max(1, Math.min(mostClaimed, Math.ceil(this.slots.pacer.rate * claimSeconds)));
    // The lease begins in the database after this moment: counted from here it never ends later than there.
    const claimedAt = this.timing.now();
    this.recording.beforeClaim();
    try {
      const { held, recipients, skippedOf, dueInMs, sentDirectly } = await this.queue.claim(
        this.lease,
        limit,
        this.lastServed,
      );
      this.lastServed = recipients.at(-1)?.campaignId ?? this.lastServed;
      this.slots.pacer.limit(this.lease.messagesPerSecond - sentDirectly);
      this.progress.touch(this.lease.businessId, skippedOf);
      await this.campaigns.learnOf(recipients);
      return { recipients, claimedAt, held, skipped: skippedOf.length > 0, dueInMs };
    } catch (error) {
      // Whatever was claimed without our hearing of it runs into its lease.
      this.onError(error);
      return { ...nothing, held: true, dueInMs: pauseAfterFailureMs };
    }
  }

  /** Waits while nothing could be sent anyway: claimed recipients would only be given back. */
  private async ready(): Promise<void> {
    await this.campaigns.pausesCommitted;
    while (!this.isOver) {
      const { heldMs } = this.slots.pacer;
      // While it rests for long, its place is another number's.
      if (heldMs > soonMs) this.end();
      else if (heldMs > 0) await this.sleep(heldMs);
      else if (this.slots.areTaken || this.recording.isBehind) await this.slots.oneEnds();
      else return;
    }
  }

  /** Whether the queue may hold something soon although it gave nothing. */
  private async mayComeMore({ skipped, dueInMs }: Batch): Promise<boolean> {
    // A request that hangs holds up nothing that comes due meanwhile.
    if ((await this.settled(renewEveryMs)) > 0 || this.recording.hasGivenBack || skipped) return true;
    if (dueInMs === null || dueInMs > soonMs) return false;
    // Something else may be registered meanwhile.
    await this.sleep(Math.min(dueInMs, renewEveryMs));
    return true;
  }

  private async sendAll({ recipients, claimedAt }: Batch): Promise<void> {
    const until = claimedAt + this.settings.sendWithinMs;
    for (const recipient of recipients) {
      const { campaignId } = recipient;
      const campaign = this.campaigns.known.get(campaignId);
      if (campaign && (await this.slots.take(until, () => this.campaigns.mayGo(campaignId, claimedAt)))) {
        void this.send(recipient, campaign);
      } else this.giveBack(recipient);
    }
  }

  private async send(recipient: ClaimedRecipient, { template, fill }: DrainedCampaign): Promise<void> {
    const beganAt = this.timing.now();
    const { platformName: name, language, parameterNames = [], providerBId, media } = template;
    const { parameters } = recipient;
    const outcome = await this.channel
      .send(this.lease.sender, {
        to: recipient.phone,
        reference: recipient.reference,
        text: fill(parameters),
        template: { name, language, parameters, parameterNames, providerBId },
        ...(media ? { media } : {}),
      })
      .catch((error: unknown): SendOutcome => {
        this.onError(error);
        return { kind: "unknown", reason: "unexpected failure" };
      });
    const [progress, consequence] = consequencesOf(outcome, recipient.setbacks);
    this.slots.free(beganAt);
    this.follow(consequence, recipient.campaignId);
    this.recording.note({ ...recipient, ...progress });
  }

  private follow(consequence: Consequence, campaignId: number): void {
    if (consequence.kind === "go-on") this.slots.pacer.recover();
    else if (consequence.kind === "slow-down") this.slots.slowDown(consequence.retryAfterMs);
    else this.campaigns.pause(campaignId, consequence.reason);
  }

  /** Claimed, and certainly not sent: as if it had not been claimed. */
  private giveBack(recipient: ClaimedRecipient): void {
    this.recording.note({ ...recipient, state: "queued", dueInMs: 0 });
  }

  /**
   * Waits until nothing is under way and all that ended is recorded; how many there were to wait for.
   *
   * @param aboutMs - for what is under way it waits no longer than this, and until it is woken then
   */
  private async settled(aboutMs = Number.POSITIVE_INFINITY): Promise<number> {
    const count = this.slots.underWay + this.recording.unrecorded;
    const until = this.timing.now() + aboutMs;
    while (this.slots.underWay > 0 && this.timing.now() < until) await this.slots.oneEnds();
    await Promise.all([this.recording.ended, this.campaigns.pausesCommitted]);
    return count;
  }

  private async complete(): Promise<void> {
    const { businessId, sender } = this.lease;
    this.progress.touch(businessId, await this.queue.complete(businessId, sender.id));
  }
}
