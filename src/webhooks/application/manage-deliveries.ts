import type { DoneBy } from "../../kernel/audit.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { instantIn, type Zones } from "../../kernel/zones.ts";
import {
  type DeliveryState,
  SinceOutOfRange,
  SinceUnreadable,
  WebhookDisabled,
  WebhookNotFound,
} from "../domain/deliveries.ts";
import { payloadOf } from "./payload.ts";
import type { Delivery, DeliveryReads, ShownWebhook, SpellEvent, WebhookStores } from "./ports.ts";

/**
 * What administrators see and ask of deliveries to an endpoint. What they ask for stands in the audit, beside the endpoint as
 * it is. All reject with `WebhookNotFound`.
 */
export class ManageDeliveries {
  constructor(
    private readonly reads: DeliveryReads,
    private readonly unitOfWork: UnitOfWork<WebhookStores>,
    private readonly newSecret: (businessId: number) => { readonly secret: string; readonly sealed: Uint8Array },
    private readonly spell: SpellEvent,
    /** There may be something to deliver. */
    private readonly nudge: () => void,
    private readonly zones: Zones,
  ) {}

  async list(
    businessId: number,
    webhookId: number,
    state: DeliveryState | null,
    before: number | null,
    limit: number,
  ): Promise<Delivery[]> {
    const found = await this.reads.list(businessId, webhookId, state, before, limit);
    if (!found) throw new WebhookNotFound();
    return found;
  }

  /** With what the endpoint is sent. */
  async show(
    businessId: number,
    webhookId: number,
    deliveryId: number,
  ): Promise<{ readonly delivery: Delivery; readonly payload: object }> {
    const found = await this.reads.findWhole(businessId, webhookId, deliveryId);
    if (!found) throw new WebhookNotFound();
    const { delivery, event } = found;
    return { delivery, payload: payloadOf(this.spell, { event, type: delivery.type }) };
  }

  /** The secret that was valid signs beside the new one for a while. */
  rotate(businessId: number, webhookId: number, by: DoneBy): Promise<{ secret: string; previousUntil: Date }> {
    const { secret, sealed } = this.newSecret(businessId);
    return this.unitOfWork.run(businessId, async ({ webhooks, note }) => {
      const shown = await webhooks.lock(businessId, webhookId);
      if (!shown) throw new WebhookNotFound();
      const { previousUntil } = await webhooks.rotate(businessId, webhookId, sealed);
      await note(businessId, by, webhookId, shown, { ...shown, secret: "rotated" });
      return { secret, previousUntil };
    });
  }

  async test(businessId: number, webhookId: number, by: DoneBy): Promise<Delivery> {
    const id = await this.ofEnabled(businessId, webhookId, async ({ webhooks, note }, shown) => {
      const tested = await webhooks.test(businessId, webhookId);
      await note(businessId, by, webhookId, shown, { ...shown, tested });
      return tested;
    });
    return this.begun(businessId, webhookId, id);
  }

  /** Attempts it now, and again as a new one where that fails. */
  async redeliver(businessId: number, webhookId: number, deliveryId: number, by: DoneBy): Promise<Delivery> {
    await this.ofEnabled(businessId, webhookId, async ({ webhooks, note }, shown) => {
      const isThere = await webhooks.redeliver(businessId, webhookId, deliveryId);
      if (!isThere) throw new WebhookNotFound();
      await note(businessId, by, webhookId, shown, { ...shown, redelivered: deliveryId });
    });
    return this.begun(businessId, webhookId, deliveryId);
  }

  /**
   * Delivers all that the endpoint hears of and that happened since then: an ISO 8601 text, in the business's time zone
   * if it names none. Resolves to that moment. Rejects with `SinceUnreadable` and `SinceOutOfRange`.
   */
  async replay(businessId: number, webhookId: number, written: string, by: DoneBy): Promise<Date> {
    const since = await instantIn(this.zones, businessId, written);
    if (!since) throw new SinceUnreadable();
    await this.ofEnabled(businessId, webhookId, async ({ webhooks, note }, shown) => {
      if (!(await webhooks.replay(businessId, webhookId, since))) throw new SinceOutOfRange();
      await note(businessId, by, webhookId, shown, { ...shown, replayed_since: since.toISOString() });
    });
    this.nudge();
    return since;
  }

  private ofEnabled<Result>(
    businessId: number,
    webhookId: number,
    work: (stores: WebhookStores, shown: ShownWebhook) => Promise<Result>,
  ): Promise<Result> {
    return this.unitOfWork.run(businessId, async (stores) => {
      const shown = await stores.webhooks.lock(businessId, webhookId);
      if (!shown) throw new WebhookNotFound();
      if (shown.disabled) throw new WebhookDisabled();
      return work(stores, shown);
    });
  }

  private async begun(businessId: number, webhookId: number, deliveryId: number): Promise<Delivery> {
    const delivery = await this.reads.find(businessId, webhookId, deliveryId);
    this.nudge();
    if (!delivery) throw new WebhookNotFound();
    return delivery;
  }
}
