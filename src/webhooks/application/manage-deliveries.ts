import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { type DeliveryState, SinceOutOfRange, WebhookDisabled, WebhookNotFound } from "../domain/deliveries.ts";
import type { ChangedBy, Delivery, DeliveryReads, WebhookStores } from "./ports.ts";

/** What administrators see and ask of deliveries to an endpoint. All reject with `WebhookNotFound`. */
export class ManageDeliveries {
  constructor(
    private readonly reads: DeliveryReads,
    private readonly unitOfWork: UnitOfWork<WebhookStores>,
    private readonly newSecret: (businessId: number) => { readonly secret: string; readonly sealed: Uint8Array },
    /** There may be something to deliver. */
    private readonly nudge: () => void,
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

  /** The secret that was valid signs beside the new one for a while. */
  rotate(businessId: number, webhookId: number, by: ChangedBy): Promise<{ secret: string; previousUntil: Date }> {
    const { secret, sealed } = this.newSecret(businessId);
    return this.unitOfWork.run(businessId, async ({ webhooks, note }) => {
      const shown = await webhooks.lock(businessId, webhookId);
      if (!shown) throw new WebhookNotFound();
      const { previousUntil } = await webhooks.rotate(businessId, webhookId, sealed);
      await note(businessId, by, webhookId, shown, { ...shown, secret: "rotated" });
      return { secret, previousUntil };
    });
  }

  async test(businessId: number, webhookId: number): Promise<Delivery> {
    const id = await this.ofEnabled(businessId, webhookId, ({ webhooks }) => webhooks.test(businessId, webhookId));
    return this.begun(businessId, webhookId, id);
  }

  /** Attempts it now, and again as a new one where that fails. */
  async redeliver(businessId: number, webhookId: number, deliveryId: number): Promise<Delivery> {
    await this.ofEnabled(businessId, webhookId, async ({ webhooks }) => {
      const isThere = await webhooks.redeliver(businessId, webhookId, deliveryId);
      if (!isThere) throw new WebhookNotFound();
    });
    return this.begun(businessId, webhookId, deliveryId);
  }

  /** Delivers all that the endpoint hears of and that happened since then. Rejects with `SinceOutOfRange`. */
  async replay(businessId: number, webhookId: number, since: Date): Promise<void> {
    await this.ofEnabled(businessId, webhookId, async ({ webhooks }) => {
      if (!(await webhooks.replay(businessId, webhookId, since))) throw new SinceOutOfRange();
    });
    this.nudge();
  }

  private ofEnabled<Result>(
    businessId: number,
    webhookId: number,
    work: (stores: WebhookStores) => Promise<Result>,
  ): Promise<Result> {
    return this.unitOfWork.run(businessId, async (stores) => {
      const shown = await stores.webhooks.lock(businessId, webhookId);
      if (!shown) throw new WebhookNotFound();
      if (shown.disabled) throw new WebhookDisabled();
      return work(stores);
    });
  }

  private async begun(businessId: number, webhookId: number, deliveryId: number): Promise<Delivery> {
    const delivery = await this.reads.find(businessId, webhookId, deliveryId);
    this.nudge();
    if (!delivery) throw new WebhookNotFound();
    return delivery;
  }
}
