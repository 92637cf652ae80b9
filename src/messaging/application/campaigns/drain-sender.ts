import { type Consequence, consequencesOf } from "../../domain/campaign.ts";
import type { SendOutcome } from "../../domain/platform.ts";
import type { Channel } from "../sends/ports.ts";
import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import { type DrainedCampaign, DrainedCampaigns } from "./drained-campaigns.ts";
import type { CampaignQueue, ClaimedBatch, ClaimedRecipient, SenderLease, Timing } from "./ports.ts";
import type { RecordCampaign } from "./record-campaign.ts";
import { persisting, Recording } from "./recording.ts";
import { SendingSlots } from "./sending-slots.ts";

export interface DrainSettings {
  /** A recipient may be sent to for this long after its claim. Its lease is longer, for the request and recording. */
  readonly sendWithinMs: number;
  /** How many requests of one sender may be open at a time. */
  readonly concurrency: number;
  /** How many recipients are recorded in one transaction at most. */
  readonly recordAtMost: number;
}

/**
 * A claim takes as many recipients as the sender sends in this many seconds. The time is short, because all recipients
 * that a killed worker has claimed but not recorded become unknown.
 */
const claimSeconds = 0.1;
const mostClaimed = 500;
const pauseAfterFailureMs = 500;
const renewEveryMs = 1_000;
/** The worker keeps the sender if more recipients come due, or the sender's rest ends, within this time. */
const soonMs = 10_000;

interface Batch extends Pick<ClaimedBatch, "held" | "recipients" | "dueInMs"> {
  readonly claimedAt: number;
  readonly skipped: boolean;
}

const nothing: Batch = { recipients: [], claimedAt: 0, held: false, skipped: false, dueInMs: null };

/**
 * Sends one sender's due messages while this worker holds the sender's lease. Keeps to the sender's rate, takes the
 * campaigns in turns, and sends each message once. Claiming, sending and recording overlap.
 */
export class DrainSender {
  /** Aborted when no further claim or request may begin. */
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
    private readonly announcer: CampaignAnnouncer,
    private readonly timing: Timing,
    private readonly settings: DrainSettings,
    private readonly onError: (error: unknown) => void,
  ) {
    const over = this.over.signal;
    const persist = persisting(timing, over, onError);
    this.slots = new SendingSlots(lease.messagesPerSecond, settings.concurrency, timing, over);
    this.campaigns = new DrainedCampaigns(lease.businessId, queue, announcer, timing, persist, onError);
    this.recording = new Recording(
      (tried) => persist(() => recorder.record(lease, tried, this.campaigns.known)),
      settings.recordAtMost,
      () => this.slots.wake(),
    );
  }

  /**
   * Ends when nothing comes due soon, the sender needs a long rest, the lease is lost or `signal` is aborted. Records
   * all outcomes before that. Returns the milliseconds for which the sender must rest.
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

  /** Renews the lease even while requests hang or the sender waits; otherwise another worker would take the sender. */
  private async keepLease(): Promise<void> {
    for (;;) {
      await this.sleep(renewEveryMs);
      if (this.isOver) return;
      // Lets callers of `oneEnds` check whether their time is over. A timer for each would cost more than the sending.
      this.slots.wake();
      // A failed renewal does not end the drain: the next renewal finds out whether the lease is lost.
      const held = await this.queue.renew(this.lease).catch(() => true);
      if (!held) this.end();
    }
  }

  private async claim(): Promise<Batch> {
    await this.ready();
    if (this.isOver) return nothing;
    const limit = Math.max(1, Math.min(mostClaimed, Math.ceil(this.slots.pacer.rate * claimSeconds)));
    // The time is taken before the statement, so that a lease never ends later here than in the database.
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
      this.announcer.touch(this.lease.businessId, skippedOf);
      await this.campaigns.load(recipients);
      return { recipients, claimedAt, held, skipped: skippedOf.length > 0, dueInMs };
    } catch (error) {
      // If the database made the claim but its answer was lost, the recipients become unknown when their lease expires.
      this.onError(error);
      return { ...nothing, held: true, dueInMs: pauseAfterFailureMs };
    }
  }

  /** Waits while nothing can be sent: recipients claimed now would only be given back. */
  private async ready(): Promise<void> {
    await this.campaigns.pausesCommitted;
    while (!this.isOver) {
      const { heldMs } = this.slots.pacer;
      // During a long rest the worker releases the sender and takes another one.
      if (heldMs > soonMs) this.end();
      else if (heldMs > 0) await this.sleep(heldMs);
      else if (this.slots.areTaken || this.recording.isBehind) await this.slots.oneEnds();
      else return;
    }
  }

  /** Called after a claim that got no recipients. True if the next claim may soon get some. */
  private async mayComeMore({ skipped, dueInMs }: Batch): Promise<boolean> {
    // The wait is limited, because a hanging request must not delay recipients that come due.
    if ((await this.settled(renewEveryMs)) > 0 || this.recording.hasGivenBack || skipped) return true;
    if (dueInMs === null || dueInMs > soonMs) return false;
    // The wait is limited, because another campaign may be registered before `dueInMs` is over.
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
    const { platformName: name, language, parameterNames = [], providerBId, copiesCode, media } = template;
    const { parameters } = recipient;
    const outcome = await this.channel
      .send(this.lease.sender, {
        to: recipient.phone,
        reference: recipient.reference,
        text: fill(parameters),
        template: { name, language, parameters, parameterNames, providerBId, ...(copiesCode && { copiesCode }) },
        ...(media ? { media } : {}),
      })
      .catch((error: unknown): SendOutcome => {
        this.onError(error);
        return { kind: "unknown", reason: "unexpected failure" };
      });
    const [result, consequence] = consequencesOf(outcome, recipient);
    this.slots.free(beganAt);
    this.follow(consequence, recipient.campaignId);
    this.recording.note({ ...recipient, ...result });
  }

  private follow(consequence: Consequence, campaignId: number): void {
    if (consequence.kind === "go-on") this.slots.pacer.recover();
    else if (consequence.kind === "slow-down") this.slots.slowDown(consequence.retryAfterMs);
    else this.campaigns.pause(campaignId, consequence);
  }

  /** Puts a claimed recipient back into the queue, because nothing was sent to it. */
  private giveBack(recipient: ClaimedRecipient): void {
    this.recording.note({ ...recipient, state: "queued", dueInMs: 0 });
  }

  /**
   * Waits until no request is open and all outcomes are recorded. Returns how many requests and outcomes it waited for.
   *
   * @param aboutMs - the longest wait for open requests; the limit is checked only when `oneEnds` resolves
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
    this.announcer.touch(businessId, await this.queue.complete(businessId, sender.id));
  }
}
