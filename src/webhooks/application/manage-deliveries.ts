import type { DoneBy } from "../../kernel/audit.ts";
import { afterChange } from "../../kernel/errors.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { instantIn, type Zones } from "../../kernel/zones.ts";
import { SinceOutOfRange, SinceUnreadable, WebhookDisabled, WebhookNotFound } from "../domain/deliveries.ts";
import { payloadOf } from "./payload.ts";
import type { AskedDeliveries, Delivery, DeliveryReads, EventToWire, ShownWebhook, WebhookStores } from "./ports.ts";

/**
 * Lets administrators see the deliveries of an endpoint and act on them. Each action is noted in the audit. All methods
 * reject with `WebhookNotFound` if the endpoint or the delivery does not exist.
 */
export class ManageDeliveries {
  constructor(
    private readonly reads: DeliveryReads,
    private readonly unitOfWork: UnitOfWork<WebhookStores>,
    private readonly newSecret: (businessId: number) => { readonly secret: string; readonly sealed: Uint8Array },
    private readonly toWire: EventToWire,
    /** Called when there may be something to deliver. */
    private readonly nudge: () => void,
    private readonly zones: Zones,
  ) {}

  async list(businessId: number, webhookId: number, asked: AskedDeliveries): Promise<Delivery[]> {
    return existing(await this.reads.list(businessId, webhookId, asked));
  }

  async show(
    businessId: number,
    webhookId: number,
    deliveryId: number,
  ): Promise<{ readonly delivery: Delivery; readonly payload: object }> {
    const { delivery, event } = existing(await this.reads.find(businessId, webhookId, deliveryId));
    return { delivery, payload: payloadOf(this.toWire, { event, type: delivery.type }) };
  }

  /** The previous secret also signs until `previousUntil`. */
  rotate(businessId: number, webhookId: number, by: DoneBy): Promise<{ secret: string; previousUntil: Date }> {
    const { secret, sealed } = this.newSecret(businessId);
    return this.unitOfWork.run(businessId, async ({ webhooks, note }) => {
      const shown = existing(await webhooks.lock(businessId, webhookId));
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
    return afterChange(this.begun(businessId, webhookId, id));
  }

  /** Makes the delivery due now, but does not wait for its attempt. Failures are handled as for a new delivery. */
  async redeliver(businessId: number, webhookId: number, deliveryId: number, by: DoneBy): Promise<Delivery> {
    await this.ofEnabled(businessId, webhookId, async ({ webhooks, note }, shown) => {
      const isThere = await webhooks.redeliver(businessId, webhookId, deliveryId);
      if (!isThere) throw new WebhookNotFound();
      await note(businessId, by, webhookId, shown, { ...shown, redelivered: deliveryId });
    });
    return afterChange(this.begun(businessId, webhookId, deliveryId));
  }

  /**
   * Delivers all events since `written` that the endpoint listens to. `written` is ISO 8601, in the business's zone
   * unless it names another one. Returns `written` as a `Date`. Rejects with `SinceUnreadable` or `SinceOutOfRange`.
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
      const shown = existing(await stores.webhooks.lock(businessId, webhookId));
      if (shown.disabled) throw new WebhookDisabled();
      return work(stores, shown);
    });
  }

  private async begun(businessId: number, webhookId: number, deliveryId: number): Promise<Delivery> {
    const found = await this.reads.find(businessId, webhookId, deliveryId);
    this.nudge();
    return existing(found).delivery;
  }
}

function existing<Found>(found: Found | null): Found {
  if (found === null) throw new WebhookNotFound();
  return found;
}
