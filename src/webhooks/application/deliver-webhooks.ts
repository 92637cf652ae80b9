import { bySystem } from "../../kernel/audit.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { isGone, webhookIdOf } from "../domain/deliveries.ts";
import { type Attempted, DrainEndpoint } from "./drain-endpoint.ts";
import { payloadOf } from "./payload.ts";
import type {
  ClaimedDelivery,
  DeliveryQueue,
  EndpointLease,
  EventToWire,
  WebhookSender,
  WebhookStores,
} from "./ports.ts";

const endpointsAtOnce = 100;
/** The maximum numbers of attempts at the same time, of this process and of one business. */
const width = 512;
const widthPerKey = 64;
/** Milliseconds after which an unanswered attempt counts as slow and makes room for others. */
const slowMs = 1_000;
/** The most slow attempts, of this process and of one business. Further slow attempts keep their normal places. */
const slowWidth = 1_024;
const slowWidthOfOne = 128;
/** In milliseconds. So long that no attempt reaches this limit, even if other endpoints of its business hang. */
const longestWaitMs = 60 * 60_000;

/** Called when work has failed. The work is done again later. */
type OnDeliveryFailure = (error: unknown, businessId: number | null) => void;

/**
 * Delivers each event at least once to every endpoint that listens to it. Several processes share the work, but only
 * one of them at a time delivers to the same endpoint.
 */
export class DeliverWebhooks {
  private readonly drains = new Map<string, { readonly drain: DrainEndpoint; readonly ended: Promise<void> }>();

  private readonly gate = new FairQueue({
    name: "outgoing webhooks",
    width,
    widthPerKey,
    queuePerKey: Number.MAX_SAFE_INTEGER,
    queue: Number.MAX_SAFE_INTEGER,
    waitMs: longestWaitMs,
  });

  private readonly slow = new FairQueue({
    name: "slow outgoing webhooks",
    width: slowWidth,
    widthPerKey: slowWidthOfOne,
    queuePerKey: 0,
    queue: 0,
    waitMs: 0,
  });

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly sender: WebhookSender,
    private readonly toWire: EventToWire,
    private readonly unitOfWork: UnitOfWork<WebhookStores>,
    private readonly onFailure: OnDeliveryFailure,
  ) {}

  /** Begins everything that is due. Deliveries go on in the background until `signal` is aborted. */
  async execute(signal: AbortSignal): Promise<void> {
    // While new events keep coming, this loop does not end. So deliveries begin in each turn, not after the loop.
    for (let isBehind = true; isBehind && !signal.aborted; ) {
      isBehind = (await this.queue.fanOut(endpointsAtOnce)) > 0;
      for (const { drain } of this.drains.values()) drain.poke();
      await this.beginWithAll(signal);
    }
  }

  /** Resolves when everything under way has ended. */
  async idle(): Promise<void> {
    while (this.drains.size > 0) await Promise.all([...this.drains.values()].map(({ ended }) => ended));
  }

  private async beginWithAll(signal: AbortSignal): Promise<void> {
    // `endpointsAtOnce` is the limit for each cell, so all cells together may give more leases.
    for (let count = endpointsAtOnce; count >= endpointsAtOnce && !signal.aborted; ) {
      const leases = await this.queue.lease(endpointsAtOnce);
      for (const lease of leases) this.begin(lease, signal);
      count = leases.length;
    }
  }

  private begin(lease: EndpointLease, signal: AbortSignal): void {
    const drain = new DrainEndpoint(lease, this.queue, async (delivery) => {
      const attempt = () => this.attempt(lease, delivery, signal);
      return this.inTurn(lease.businessId, attempt).catch((error) => {
        this.onFailure(error, lease.businessId);
        return "left" as const;
      });
    });
    const ended = drain
      .run(signal)
      .catch((error) => this.onFailure(error, lease.businessId))
      .finally(() => this.drains.delete(lease.token));
    this.drains.set(lease.token, { drain, ended });
  }

  /** Slow attempts give up their place. Otherwise endpoints that hang would hold all places of their business. */
  private async inTurn<Result>(businessId: number, attempt: () => Promise<Result>): Promise<Result> {
    let leave = await this.gate.acquire(businessId);
    const timer = setTimeout(() => {
      const leaveSlow = this.slow.tryAcquire(businessId);
      if (!leaveSlow) return;
      leave();
      leave = leaveSlow;
    }, slowMs);
    try {
      return await attempt();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  /** Reads the content right before it is sent, because it may have been erased meanwhile. */
  private async attempt(lease: EndpointLease, { id }: ClaimedDelivery, signal: AbortSignal): Promise<Attempted> {
    // After an abort, waiting deliveries are left to the next lease.
    const open = signal.aborted ? null : await this.queue.open(lease, id);
    if (!open) return "left";
    const { businessId } = lease;
    const { url, addressNumber, secrets, event } = open;
    const attempt = await this.sender.send({
      url,
      secrets,
      id: webhookIdOf(businessId, event.number),
      body: JSON.stringify(payloadOf(this.toWire, open)),
    });
    const isHopeless = await this.queue.settle(lease, id, addressNumber, attempt);
    if (isGone(attempt.status)) await this.disable(lease, addressNumber, "410");
    else if (isHopeless) await this.disable(lease, addressNumber, "failing");
    return attempt.status === null ? "unanswered" : "answered";
  }

  /** Does nothing if the endpoint has another address by now. */
  private async disable(
    { businessId, webhookId }: EndpointLease,
    addressNumber: number,
    reason: "410" | "failing",
  ): Promise<void> {
    await this.unitOfWork.run(businessId, async ({ webhooks, note }) => {
      const before = await webhooks.lock(businessId, webhookId);
      if (!before || before.disabled) return;
      if (!(await webhooks.disable(businessId, webhookId, addressNumber))) return;
      await note(businessId, bySystem, webhookId, before, { ...before, disabled: true, reason });
    });
  }
}
