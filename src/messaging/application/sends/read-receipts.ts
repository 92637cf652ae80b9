import { isChannel } from "../../../kernel/channels.ts";
import type { Channels, ReadMessage, SenderDirectory } from "./ports.ts";

/** Beyond this many at once, receipts are dropped: a missing one does no harm. */
const mostUnderWay = 500;

/** Sends read receipts to customers, on channels that support them. */
export class ReadReceipts {
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly senders: Pick<SenderDirectory, "of">,
    private readonly channels: Channels,
    private readonly onFailure: (error: unknown, businessId: number) => void,
  ) {}

  /** Returns at once. Each receipt is tried once. */
  send(businessId: number, provider: string, read: ReadMessage): void {
    if (this.underWay.size >= mostUnderWay) return;
    const sent = this.showRead(businessId, provider, read)
      .catch((error) => this.onFailure(error, businessId))
      .finally(() => this.underWay.delete(sent));
    this.underWay.add(sent);
  }

  /** Resolves when no receipt is being sent any more. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async showRead(businessId: number, provider: string, read: ReadMessage): Promise<void> {
    if (!isChannel(provider)) return;
    const channel = this.channels[provider];
    if (!channel.markRead) return;
    const sender = await this.senders.of(businessId, provider);
    if (sender) await channel.markRead(sender, read);
  }
}
