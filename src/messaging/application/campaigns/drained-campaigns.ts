import { textFiller } from "../../domain/template.ts";
import type { CampaignAnnouncer } from "./campaign-announcer.ts";
import type { CampaignQueue, ClaimedRecipient, FrozenCampaign, PauseReason, Timing } from "./ports.ts";
import type { Persist } from "./recording.ts";

export interface DrainedCampaign extends FrozenCampaign {
  readonly fill: (parameters: readonly string[]) => string;
}

/**
 * The campaigns of a drained sender: what they send, and which ones were paused because none of their messages can
 * succeed.
 */
export class DrainedCampaigns {
  private readonly loaded = new Map<number, DrainedCampaign>();
  /** The time at which each paused campaign was paused; infinite until the pause is committed. */
  private readonly paused = new Map<number, number>();
  private allPaused: Promise<void> = Promise.resolve();

  constructor(
    private readonly businessId: number,
    private readonly queue: Pick<CampaignQueue, "frozen" | "pause">,
    private readonly announcer: CampaignAnnouncer,
    private readonly timing: Timing,
    private readonly persist: Persist,
    private readonly onError: (error: unknown) => void,
  ) {}

  get known(): ReadonlyMap<number, DrainedCampaign> {
    return this.loaded;
  }

  /**
   * Loads the recipients' campaigns. If a campaign cannot be loaded, its recipients have to be given back.
   */
  async load(recipients: readonly ClaimedRecipient[]): Promise<void> {
    const ids = new Set(recipients.map(({ campaignId }) => campaignId));
    const unknown = [...ids].filter((id) => !this.loaded.has(id));
    if (unknown.length === 0) return;
    try {
      const found = await this.queue.frozen(this.businessId, unknown);
      for (const [id, campaign] of found) {
        const { body, parameterNames } = campaign.template;
        this.loaded.set(id, { ...campaign, fill: textFiller(body, parameterNames) });
      }
    } catch (error) {
      this.onError(error);
    }
  }

  /**
   * Pauses the campaign and, if the reason concerns its template, all campaigns with that template. Recipients that
   * were claimed before the pause must be given back. A later claim shows that the campaign was resumed, so the
   * recipients of that claim may be sent to.
   */
  pause(id: number, reason: PauseReason): void {
    if (this.paused.get(id) === Number.POSITIVE_INFINITY) return;
    const concerned = reason.concerns === "template" ? this.withTemplateOf(id) : [id];
    for (const each of concerned) this.paused.set(each, Number.POSITIVE_INFINITY);
    let stopped: readonly number[] = [];
    const pausing = this.persist(async () => {
      stopped = await this.queue.pause(this.businessId, id, reason);
    }).then(() => {
      for (const each of concerned) this.paused.set(each, this.timing.now());
      this.announcer.touch(this.businessId, [...new Set([...concerned, ...stopped])]);
    });
    this.allPaused = Promise.all([this.allPaused, pausing]).then(() => {});
  }

  /** The account need not be compared, because all campaigns of a sender have the same account. */
  private withTemplateOf(id: number): number[] {
    const keyOf = (campaign: DrainedCampaign | undefined) =>
      JSON.stringify([campaign?.template.platformName, campaign?.template.language, campaign?.template.providerBId]);
    const key = keyOf(this.loaded.get(id));
    return [...this.loaded].flatMap(([each, campaign]) => (each === id || keyOf(campaign) === key ? [each] : []));
  }

  /** Resolves when every pause so far is committed, or `persist` gave up. */
  get pausesCommitted(): Promise<void> {
    return this.allPaused;
  }

  /** True if the campaign's recipients that were claimed at `claimedAt` may still be sent to. */
  mayGo(id: number, claimedAt: number): boolean {
    return claimedAt > (this.paused.get(id) ?? Number.NEGATIVE_INFINITY);
  }
}
