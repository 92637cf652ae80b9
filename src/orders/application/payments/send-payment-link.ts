import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { KeyedMutex } from "../../../kernel/keyed-mutex.ts";
import {
  type BusinessMessageFailure,
  type Recipient,
  type SendText,
  SendUncertain,
} from "../../../messaging/public.ts";
import type { Actor } from "../../domain/change.ts";
import { PaymentLinkImpossible } from "../../domain/failures.ts";
import { paymentLink } from "../../domain/payment-link.ts";
import type { PaymentLinks, RenewalUnitOfWork } from "./ports.ts";

interface SendPaymentLinkCommand {
  readonly businessId: number;
  readonly orderId: number;
  /** A user who sends the link is the author of the message. */
  readonly actor: Actor;
}

export type SendPaymentLinkFailure = PaymentLinkImpossible | BusinessMessageFailure;

/** Prepares the sending of the link to a customer, before anything changes. */
export type PrepareLink = (customer: Recipient) => Promise<SendText>;

/** A transaction id for a trial link, which shows whether the business's `payments-url` can be used. */
const sample = "00000000-0000-4000-8000-000000000000";

/** §8: sends the link for paying an order, over any channel and any number of times. */
export class SendPaymentLink {
  /** Simultaneous requests for one order wait here, without holding a database connection. */
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly links: PaymentLinks,
    private readonly unitOfWork: RenewalUnitOfWork,
    private readonly feed: EventFeed,
    /** Called if a sent link could not be recorded in the statistics. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Does not check the order's status and payment (§8.8). */
  async execute({ businessId, orderId, actor }: SendPaymentLinkCommand, prepare: PrepareLink): Promise<void> {
    const userId = actor.kind === "user" ? actor.id : null;
    const { paymentsUrl, recipient } = await beforeAll(this.payable(businessId, orderId, userId));
    const send = await beforeAll(prepare(recipient));
    const order = { businessId, id: orderId };
    const { transactionId, logged } = await beforeAll(
      this.mutex.runExclusive(`${businessId} ${orderId}`, () =>
        this.unitOfWork.run(businessId, async ({ links, events }) => ({
          transactionId: await links.renew(businessId, orderId, actor),
          logged: await events.logChanged(await events.read([order])),
        })),
      ),
    );
    const link = transactionId && paymentLink(paymentsUrl, transactionId, orderId);
    if (!link) throw new PaymentLinkImpossible(`order ${orderId} of business ${businessId} is gone`);
    this.feed.publish(logged);
    const record = () => this.links.recordSent(businessId, orderId).catch(this.onFailure);
    await send(link).catch(async (error: unknown) => {
      if (error instanceof SendUncertain) await record();
      throw error;
    });
    await record();
  }

  /** Before anything changes, checks everything that the link needs. */
  private async payable(
    businessId: number,
    orderId: number,
    userId: number | null,
  ): Promise<{ paymentsUrl: string | null; recipient: Recipient }> {
    const order = await this.links.find(businessId, orderId, userId);
    const of = `order ${orderId} of business ${businessId}`;
    if (!order) throw new PaymentLinkImpossible(`no ${of}`);
    if (!order.recipient) throw new PaymentLinkImpossible(`${of} has no chat`);
    const { paymentsUrl, recipient } = order;
    if (!paymentLink(paymentsUrl, sample, orderId)) throw new PaymentLinkImpossible(`no payments-url for ${of}`);
    return { paymentsUrl, recipient };
  }
}
