import { isChannel } from "../../../kernel/channels.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { PlatformUnreachable, SendRefused, SendUncertain } from "../../domain/failures.ts";
import type { SendOutcome } from "../../domain/platform.ts";
import type { Channels, NewMessage, OpenedMessage, OutgoingMessages, Sender, SenderDirectory } from "./ports.ts";

const mostAttemptsToSettle = 2;
/** Past so many at once a caller waits for its own messages: a slow platform must not pile them up without end. */
const mostInBackground = 500;

export type SendFailure = SendRefused | PlatformUnreachable | SendUncertain;

/**
 * The one way to send: a message is entered in its chat under a lease, leaves in one request, is settled by the answer,
 * and its chat's clients are told. Whatever happens, it is sent at most once.
 */
export class SendMessage {
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly messages: OutgoingMessages,
    private readonly senders: Pick<SenderDirectory, "of">,
    private readonly channels: Channels,
    private readonly feed: EventFeed,
    /** Hears why a message could not be handed to its channel, or what came of it could not be written down. */
    private readonly onFailure: (error: unknown, messageId: number) => void,
  ) {}

  /** The platform's id of the message. Rejects with `SendFailure`: only an uncertain one may have been sent. */
  async execute(sender: Sender, message: NewMessage): Promise<string> {
    const opened = await this.messages.open(message, sender.channel);
    if (!opened) throw new SendRefused(`business ${message.businessId} has no such chat`);
    const outcome = await this.hand(opened, sender);
    const isWrittenDown = await this.settle(opened, outcome);
    if (outcome.kind === "refused") throw new SendRefused(`${outcome.refusal.code}: ${outcome.refusal.reason}`);
    if (outcome.kind === "not-sent") throw new PlatformUnreachable(outcome.reason);
    if (outcome.kind === "unknown") throw new SendUncertain(outcome.reason);
    // Its delivery status settles it; nobody may take it for one that failed.
    if (!isWrittenDown) throw new SendUncertain("accepted, but not written down");
    return outcome.platformMessageId;
  }

  /** Sends what is opened already, as `sendOpened` does, but resolves at once unless very many are under way. */
  async sendInBackground(opened: readonly OpenedMessage[]): Promise<void> {
    const isCrowded = this.underWay.size >= mostInBackground;
    const sent = this.sendOpened(opened);
    if (isCrowded) await sent;
  }

  /** Sends what is opened already; resolves when what became of each is written down. Never rejects. */
  async sendOpened(opened: readonly OpenedMessage[]): Promise<void> {
    await Promise.all(
      opened.map((message) => {
        const sent = this.sendOne(message).finally(() => this.underWay.delete(sent));
        this.underWay.add(sent);
        return sent;
      }),
    );
  }

  /** Resolves when nothing that is sent in the background is under way any more. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async sendOne(message: OpenedMessage): Promise<void> {
    const outcome = await this.sendFromOwn(message).catch((error): SendOutcome => {
      this.onFailure(error, message.id);
      return { kind: "not-sent", reason: "it could not be handed to its channel" };
    });
    await this.settle(message, outcome);
  }

  private async sendFromOwn(message: OpenedMessage): Promise<SendOutcome> {
    const { businessId, channel } = message;
    const sender = isChannel(channel) ? await this.senders.of(businessId, channel) : null;
    if (!sender) return { kind: "not-sent", reason: `the business has no sender on ${channel}` };
    return await this.hand(message, sender);
  }

  private hand({ to, reference, content, replyTo }: OpenedMessage, sender: Sender): Promise<SendOutcome> {
    const message = { to, reference, ...content, ...(replyTo !== undefined && { replyTo }) };
    return this.channels[sender.channel].send(sender, message);
  }

  /** What cannot be written down now stays under its lease, and becomes unknown when that runs out. */
  private async settle(message: OpenedMessage, outcome: SendOutcome): Promise<boolean> {
    for (let attempt = 1; attempt <= mostAttemptsToSettle; attempt += 1) {
      try {
        this.feed.publish(await this.messages.settle(message, outcome));
        return true;
      } catch (error) {
        this.onFailure(error, message.id);
      }
    }
    return false;
  }
}
