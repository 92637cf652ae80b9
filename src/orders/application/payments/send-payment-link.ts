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

export interface SendPaymentLinkCommand {
  readonly businessId: number;
  readonly orderId: number;
  /** Who asks for it: a user is the author of the message. */
  readonly actor: Actor;
}

export type SendPaymentLinkFailure = PaymentLinkImpossible | BusinessMessageFailure;

/** How the link reaches the customer: prepared before anything changes. */
export type LinkWay = (customer: Recipient) => Promise<SendText>;

/** Any transaction id: to see whether the business's address takes one. */
const sample = "00000000-0000-4000-8000-000000000000";

/** §8: sends the link at which an order is paid, in any way, as often as it is asked for. */
export class SendPaymentLink {
  /** Many who ask for one order wait for each other here, not with a connection of the database in hand. */
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly links: PaymentLinks,
    private readonly unitOfWork: RenewalUnitOfWork,
    private readonly feed: EventFeed,
    /** Hears why a link that was sent is missing in the statistics. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Status and payment of the order are not looked at (§8.8). */
  async execute({ businessId, orderId, actor }: SendPaymentLinkCommand, way: LinkWay): Promise<void> {
    const userId = actor.kind === "user" ? actor.id : null;
    const { paymentsUrl, recipient } = await beforeAll(this.payable(businessId, orderId, userId));
    const send = await beforeAll(way(recipient));
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

  /** Everything that the link needs is looked at before anything changes. */
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
