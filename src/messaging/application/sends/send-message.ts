import { isChannel, type TextLimit } from "../../../kernel/channels.ts";
import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { PlatformUnreachable, SendRefused, SendUncertain } from "../../domain/failures.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { SendOutcome } from "../../domain/platform.ts";
import type { NameDocuments } from "./name-documents.ts";
import type {
  Channels,
  NewMessage,
  OnStoppedTemplate,
  OpenedMessage,
  OutgoingMessages,
  Sender,
  SenderDirectory,
} from "./ports.ts";

const mostAttemptsToSettle = 2;
/** If this many messages are being sent, `sendInBackground` waits, so that a slow platform cannot fill the memory. */
const mostInBackground = 500;

interface Sent {
  readonly outcome: SendOutcome;
  /** Null if the message was not handed to a channel. */
  readonly sender: Sender | null;
}

const notSent = (reason: string): Sent => ({ outcome: { kind: "not-sent", reason }, sender: null });

export type SendFailure = SendRefused | PlatformUnreachable | SendUncertain;

/**
 * Sends all messages except those of campaigns. Each message is stored in its chat under a lease, sent in one request
 * at most, and settled by the answer; then the chat's clients are notified.
 */
export class SendMessage {
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly messages: OutgoingMessages,
    private readonly senders: Pick<SenderDirectory, "forChat">,
    private readonly channels: Channels,
    private readonly feed: EventFeed,
    /** Called when an error prevents handing over a message, storing its outcome or reporting its stopped template. */
    private readonly onFailure: (error: unknown, messageId: number) => void,
    private readonly onStoppedTemplate: OnStoppedTemplate,
    private readonly documents: Pick<NameDocuments, "named">,
  ) {}

  /**
   * Resolves to the platform's id of the message. Rejects with `SendFailure`. Only a `SendUncertain` means that the
   * message may have been sent.
   */
  async execute(sender: Sender, message: NewMessage): Promise<string> {
    const opened = await beforeAll(this.messages.open(message, sender.channel));
    if (!opened) throw new SendRefused(`business ${message.businessId} has no such chat`);
    const outcome = await this.hand(opened, sender);
    const isStored = await this.settle(opened, outcome, sender);
    await this.reportStoppedTemplate(opened, outcome, sender);
    if (outcome.kind === "refused") throw new SendRefused(`${outcome.refusal.code}: ${outcome.refusal.reason}`);
    if (outcome.kind === "not-sent") throw new PlatformUnreachable(outcome.reason);
    if (outcome.kind === "unknown") throw new SendUncertain(outcome.reason);
    // The platform accepted the message, so it must not count as failed. Its delivery status settles it.
    if (!isStored) throw new SendUncertain("accepted, but not written down");
    return outcome.platformMessageId;
  }

  /** The channel's limit if the content's text exceeds it, else null. The platform would refuse a longer text. */
  exceeded(channel: string, content: MessageContent): TextLimit | null {
    return (isChannel(channel) && this.channels[channel].exceeded?.(content, channel)) || null;
  }

  /** Like `sendOpened`, but resolves at once if fewer than `mostInBackground` messages are being sent. */
  async sendInBackground(opened: readonly OpenedMessage[]): Promise<void> {
    const isFull = this.underWay.size >= mostInBackground;
    const sent = this.sendOpened(opened);
    if (isFull) await sent;
  }

  /** Sends opened messages. Resolves when every outcome is stored or could not be stored; never rejects. */
  async sendOpened(opened: readonly OpenedMessage[]): Promise<void> {
    await Promise.all(
      opened.map((message) => {
        const sent = this.sendOne(message).finally(() => this.underWay.delete(sent));
        this.underWay.add(sent);
        return sent;
      }),
    );
  }

  /** Resolves when nothing is being sent in the background. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async sendOne(message: OpenedMessage): Promise<void> {
    const { outcome, sender } = await this.sendFromOwn(message).catch((error): Sent => {
      this.onFailure(error, message.id);
      return notSent("it could not be handed to its channel");
    });
    await this.settle(message, outcome, sender);
    if (sender) await this.reportStoppedTemplate(message, outcome, sender);
  }

  private async sendFromOwn(message: OpenedMessage): Promise<Sent> {
    const { businessId, chatId, channel } = message;
    const own = () => (isChannel(channel) ? this.senders.forChat(businessId, channel, chatId) : null);
    const sender = message.sender ?? (await own());
    if (!sender) return notSent(`the business has no sender on ${channel}`);
    return { outcome: await this.hand(message, sender), sender };
  }

  private async hand(opened: OpenedMessage, sender: Sender): Promise<SendOutcome> {
    const { businessId, to, reference, replyTo } = opened;
    const content = await this.documents.named(businessId, opened.content);
    const message = { to, reference, ...content, ...(replyTo !== undefined && { replyTo }) };
    return this.channels[sender.channel].send(sender, message);
  }

  /** Without this report, campaigns with the template would go on, and the platform would refuse every message. */
  private async reportStoppedTemplate(
    { id, businessId, content: { template } }: OpenedMessage,
    outcome: SendOutcome,
    sender: Sender,
  ) {
    if (!template || outcome.kind !== "refused" || outcome.refusal.class !== "stop-template") return;
    try {
      await this.onStoppedTemplate(businessId, sender, template, outcome.refusal);
    } catch (error) {
      this.onFailure(error, id);
    }
  }

  /** If the outcome cannot be stored, the message becomes unknown when its lease expires. */
  private async settle(message: OpenedMessage, outcome: SendOutcome, sender: Sender | null): Promise<boolean> {
    for (let attempt = 1; attempt <= mostAttemptsToSettle; attempt += 1) {
      try {
        this.feed.publish(await this.messages.settle(message, outcome, sender));
        return true;
      } catch (error) {
        this.onFailure(error, message.id);
      }
    }
    return false;
  }
}
