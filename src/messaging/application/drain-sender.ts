import { type Consequence, consequencesOf } from "../domain/campaign.ts";
import { Pacer } from "../domain/pacer.ts";
import type { SendOutcome } from "../domain/platform.ts";
import { textFiller } from "../domain/template.ts";
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
/** Longer than an answer takes: what is under way now complains of the same. */
const pauseAfterSetbackMs = 500;
/** However long the platform asks to wait: it is tried again. */
const longestHoldMs = 10 * 60_000;
const pauseAfterFailureMs = 500;
const renewEveryMs = 1_000;
/** The number is kept for what comes due within this time. */
const soonMs = 10_000;
/** While the database is away, what is known waits for it so long, and less where the process is to end. */
const keepTryingMs = 30_000;
const keepTryingAtEndMs = 5_000;
const longestRetryPauseMs = 1_000;

interface Known extends FrozenCampaign {
  readonly fill: (parameters: readonly string[]) => string;
}

interface Batch {
  readonly recipients: readonly ClaimedRecipient[];
  readonly claimedAt: number;
  readonly held: boolean;
  readonly skipped: boolean;
  readonly dueInMs: number | null;
}

/**
 * Sends what is due on one number, as long as the lease holds: in the number's rate, its campaigns in turns, each
 * message once. Claims while it sends and records while it claims.
 */
export class DrainSender {
  private readonly pacer: Pacer;
  /** Aborted once nothing new is to begin. */
  private readonly over = new AbortController();
  private readonly campaigns = new Map<number, Known>();
  /** When campaigns that cannot succeed were paused; infinite until the pause is committed. */
  private readonly paused = new Map<number, number>();
  private readonly tried: TriedRecipient[] = [];
  private recording: Promise<void> = Promise.resolve();
  private pausing: Promise<void> = Promise.resolve();
  private underWay = 0;
  private unrecorded = 0;
  /** Something went back to the queue that the last claim may not have seen. */
  private cameBack = false;
  private waiters: (() => void)[] = [];
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
    this.pacer = new Pacer(lease.messagesPerSecond, () => timing.now());
  }

  /** Resolves when nothing is due any more, the lease is gone, or `signal` is aborted; everything is recorded then. */
  async run(signal: AbortSignal): Promise<void> {
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
    this.wakeWaiters();
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
      this.wakeWaiters();
      // What a broken connection left open the next time finds out.
      const held = await this.queue.renew(this.lease).catch(() => true);
      if (!held) this.end();
    }
  }

  private async claim(): Promise<Batch> {
    await this.ready();
    if (this.isOver) return { recipients: [], claimedAt: 0, held: false, skipped: false, dueInMs: null };
    const limit = Math.max(1, Math.min(mostClaimed, Math.ceil(this.pacer.rate * claimSeconds)));
    // The lease begins in the database after this moment: counted from here it never ends later than there.
    const claimedAt = this.timing.now();
    if (this.unrecorded === 0) this.cameBack = false;
    try {
      const { held, recipients, skippedOf, dueInMs, sentDirectly } = await this.queue.claim(
        this.lease,
        limit,
        this.lastServed,
      );
      this.lastServed = recipients.at(-1)?.campaignId ?? this.lastServed;
      this.pacer.limit(this.lease.messagesPerSecond - sentDirectly);
      this.progress.touch(this.lease.businessId, skippedOf);
      await this.learn(recipients);
      return { recipients, claimedAt, held, skipped: skippedOf.length > 0, dueInMs };
    } catch (error) {
      // Whatever was claimed without our hearing of it runs into its lease.
      this.onError(error);
      return { recipients: [], claimedAt, held: true, skipped: false, dueInMs: pauseAfterFailureMs };
    }
  }

  /** Waits while nothing could be sent anyway: claimed recipients would only be given back. */
  private async ready(): Promise<void> {
    await this.pausing;
    while (!this.isOver) {
      const { heldMs } = this.pacer;
      if (heldMs > 0) await this.sleep(heldMs);
      else if (this.underWay >= this.settings.concurrency || this.isBehind) await this.oneEnds();
      else return;
    }
  }

  /** Recording does not keep up: what a death would leave unknown, and memory, must not grow with the campaign. */
  private get isBehind(): boolean {
    return this.unrecorded >= 2 * this.settings.recordAtMost;
  }

  /** A campaign that cannot be learned of just now is missing, and its recipients are given back. */
  private async learn(recipients: readonly ClaimedRecipient[]): Promise<void> {
    const ids = new Set(recipients.map(({ campaignId }) => campaignId));
    const unknown = [...ids].filter((id) => !this.campaigns.has(id));
    if (unknown.length === 0) return;
    try {
      const found = await this.queue.frozen(this.lease.businessId, unknown);
      for (const [id, campaign] of found) {
        this.campaigns.set(id, { ...campaign, fill: textFiller(campaign.template.body) });
      }
    } catch (error) {
      this.onError(error);
    }
  }

  /** Whether the queue may hold something soon although it gave nothing. */
  private async mayComeMore({ skipped, dueInMs }: Batch): Promise<boolean> {
    if ((await this.settled()) > 0 || this.cameBack || skipped) return true;
    if (dueInMs === null || dueInMs > soonMs) return false;
    // Something else may be registered meanwhile.
    await this.sleep(Math.min(dueInMs, renewEveryMs));
    return true;
  }

  private async sendAll({ recipients, claimedAt }: Batch): Promise<void> {
    const until = claimedAt + this.settings.sendWithinMs;
    const mayGo = (id: number) => claimedAt > (this.paused.get(id) ?? Number.NEGATIVE_INFINITY);
    for (const recipient of recipients) {
      const { campaignId } = recipient;
      const campaign = this.campaigns.get(campaignId);
      if (campaign && (await this.turn(until, () => mayGo(campaignId)))) {
        void this.send(recipient, campaign);
      } else this.giveBack(recipient);
    }
  }

  /** Waits for one of the number's requests and for its rate; false when that cannot be in time, or may not go. */
  private async turn(until: number, mayGo: () => boolean): Promise<boolean> {
    while (!this.isOver && mayGo()) {
      const leftMs = until - this.timing.now();
      if (leftMs <= 0) return false;
      if (this.underWay >= this.settings.concurrency) {
        await this.oneEnds();
        continue;
      }
      const waitMs = this.pacer.take();
      if (waitMs === 0) return true;
      if (waitMs > leftMs) return false;
      await this.sleep(waitMs);
    }
    return false;
  }

  private async send(recipient: ClaimedRecipient, { template, fill }: Known): Promise<void> {
    this.underWay += 1;
    const beganAt = this.timing.now();
    const { platformName: name, language, providerBId, media } = template;
    const { parameters } = recipient;
    const outcome = await this.channel
      .send(this.lease.sender, {
        to: recipient.phone,
        reference: recipient.reference,
        text: fill(parameters),
        template: { name, language, parameters, providerBId },
        ...(media ? { media } : {}),
      })
      .catch((error: unknown): SendOutcome => {
        this.onError(error);
        return { kind: "unknown", reason: "unexpected failure" };
      });
    const [progress, consequence] = consequencesOf(outcome, recipient.setbacks);
    this.underWay -= 1;
    this.pacer.ended(beganAt);
    this.follow(consequence, recipient.campaignId);
    this.note({ ...recipient, ...progress });
    this.wakeWaiters();
  }

  private follow(consequence: Consequence, campaignId: number): void {
    if (consequence.kind === "go-on") this.pacer.recover();
    else if (consequence.kind === "pause") this.pause(campaignId, consequence.reason);
    else {
      const askedMs = Math.min(consequence.retryAfterMs ?? 0, longestHoldMs);
      this.pacer.slowDown(Math.max(askedMs, pauseAfterSetbackMs));
    }
  }

  /** Whatever was claimed before the pause is given back; what is claimed after it was resumed by somebody. */
  private pause(campaignId: number, reason: string): void {
    const { businessId } = this.lease;
    if (this.paused.get(campaignId) === Number.POSITIVE_INFINITY) return;
    this.paused.set(campaignId, Number.POSITIVE_INFINITY);
    const pausing = this.persist(() => this.queue.pause(businessId, campaignId, reason)).then(() => {
      this.paused.set(campaignId, this.timing.now());
      this.progress.touch(businessId, [campaignId]);
    });
    this.pausing = Promise.all([this.pausing, pausing]).then(() => {});
  }

  /** Claimed, and certainly not sent: as if it had not been claimed. */
  private giveBack(recipient: ClaimedRecipient): void {
    this.note({ ...recipient, state: "queued", dueInMs: 0 });
  }

  private note(tried: TriedRecipient): void {
    this.tried.push(tried);
    this.unrecorded += 1;
    if (tried.state === "queued") this.cameBack = true;
    if (this.tried.length === 1) this.recording = this.recording.then(() => this.record());
  }

  private async record(): Promise<void> {
    while (this.tried.length > 0) {
      const batch = this.tried.splice(0, this.settings.recordAtMost);
      await this.persist(() => this.recorder.record(this.lease, batch, this.campaigns));
      this.unrecorded -= batch.length;
      this.wakeWaiters();
    }
  }

  /**
   * Does what the database must hear of, again and again until it does: once heard, doing it again changes nothing.
   * What it does not hear of for long is given up: leases run out, and the sweep writes down what is known then.
   */
  private async persist(work: () => Promise<void>): Promise<void> {
    const began = this.timing.now();
    for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, longestRetryPauseMs)) {
      try {
        return await work();
      } catch (error) {
        this.onError(error);
        const enoughMs = this.isOver ? keepTryingAtEndMs : keepTryingMs;
        if (this.timing.now() - began > enoughMs) return;
        await this.timing.sleep(pauseMs);
      }
    }
  }

  /** Waits until nothing is under way and all is recorded; how many there were to wait for. */
  private async settled(): Promise<number> {
    const count = this.underWay + this.unrecorded;
    while (this.underWay > 0) await this.oneEnds();
    await Promise.all([this.recording, this.pausing]);
    return count;
  }

  /** Resolves when a request ends, when all is to end, and now and then: its callers look again. */
  private oneEnds(): Promise<void> {
    return new Promise((resume) => this.waiters.push(resume));
  }

  private wakeWaiters(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
  }

  private async complete(): Promise<void> {
    const { businessId, sender } = this.lease;
    this.progress.touch(businessId, await this.queue.complete(businessId, sender.id));
  }
}
