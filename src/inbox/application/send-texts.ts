import type { EventFeed } from "../../kernel/events.ts";
import type { OutgoingMessages, OutgoingText, Settlement, TextSender } from "./ports.ts";

/** Past so many at once a request waits for its own text: a slow platform must not pile them up without end. */
const mostInBackground = 500;

/** Sends texts that are entered in their conversations and under a lease already. */
export class SendTexts {
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly sender: TextSender,
    private readonly messages: Pick<OutgoingMessages, "settle">,
    private readonly feed: EventFeed,
    private readonly onFailure: (error: unknown, messageId: number) => void,
  ) {}

  /** Resolves at once, unless very many are under way. Never rejects. */
  async start(texts: readonly OutgoingText[]): Promise<void> {
    const isCrowded = this.underWay.size >= mostInBackground;
    const sent = Promise.all(texts.map((text) => this.send(text)));
    if (isCrowded) await sent;
  }

  /** Resolves when what became of each text is written down. Never rejects. */
  async finish(texts: readonly OutgoingText[]): Promise<void> {
    await Promise.all(texts.map((text) => this.send(text)));
  }

  /** Resolves when no text is under way any more. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private send(text: OutgoingText): Promise<void> {
    const sent = this.sendAndSettle(text).catch((error) => this.onFailure(error, text.id));
    this.underWay.add(sent);
    return sent.finally(() => this.underWay.delete(sent));
  }

  /** What cannot be written down now stays under its lease, and becomes unknown when that runs out. */
  private async sendAndSettle(text: OutgoingText): Promise<void> {
    const settlement = await this.sender.send(text).catch((error) => this.notSent(error, text.id));
    this.feed.publish(await this.messages.settle(text, settlement));
  }

  private notSent(error: unknown, messageId: number): Settlement {
    this.onFailure(error, messageId);
    return { state: "failed", reason: "it could not be handed to its channel", optedOut: false };
  }
}
