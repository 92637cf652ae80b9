import { isChannel } from "../../../kernel/channels.ts";
import type { Channels, ReadMessage, SenderDirectory } from "./ports.ts";

/** The chat that a read message is in. */
interface ReadChat {
  readonly businessId: number;
  readonly chatId: number;
  /** The chat's channel. */
  readonly provider: string;
}

/** While this many receipts are being sent, new ones are dropped. A missing receipt does no harm. */
const mostUnderWay = 500;

/** Sends read receipts to customers, on channels that support them. */
export class ReadReceipts {
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly senders: Pick<SenderDirectory, "forChat">,
    private readonly channels: Channels,
    private readonly onFailure: (error: unknown, businessId: number) => void,
  ) {}

  /** Returns at once. Each receipt is tried once. */
  send(chat: ReadChat, read: ReadMessage): void {
    if (this.underWay.size >= mostUnderWay) return;
    const sent = this.showRead(chat, read)
      .catch((error) => this.onFailure(error, chat.businessId))
      .finally(() => this.underWay.delete(sent));
    this.underWay.add(sent);
  }

  /** Resolves when no receipt is being sent. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async showRead({ businessId, chatId, provider }: ReadChat, read: ReadMessage): Promise<void> {
    if (!isChannel(provider)) return;
    const channel = this.channels[provider];
    if (!channel.markRead) return;
    const sender = await this.senders.forChat(businessId, provider, chatId);
    if (sender) await channel.markRead(sender, read);
  }
}
