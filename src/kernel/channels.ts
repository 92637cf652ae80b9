/** Channels, as the column `provider` of chats and senders names them. */
export const cloudChannel = "platform-apicloud";
export const pageChannel = "platform-page";
export const photoChannel = "platform-photo";
export const qrChannel = "qr";
export const providerBChannel = "provider-b";
/** This channel has no chats: it only sends messages to phones. All businesses share the operator's sender. */
export const smsChannel = "sms";

export const chatChannels = [cloudChannel, pageChannel, photoChannel, qrChannel, providerBChannel] as const;
export const channels = [...chatChannels, smsChannel] as const;
export type ChatChannelName = (typeof chatChannels)[number];
export type ChannelName = (typeof channels)[number];

/** The longest text that a channel accepts in a message. */
export interface TextLimit {
  readonly length: number;
  /** `bytes` are bytes of UTF-8. */
  readonly unit: "characters" | "bytes";
}

/** What features must know about a channel. */
interface Traits {
  /** Customers are identified by phone numbers. Otherwise the channel has ids of its own. */
  readonly isNumbered: boolean;
  /** The platform stores templates. Otherwise a template is sent as plain text. */
  readonly hasTemplates: boolean;
  /** Free text is allowed only within the service window. */
  readonly isWindowed: boolean;
  /** Phones choose message ids, so an id is unique only per sender. */
  readonly hasIdsPerSender: boolean;
  /** A message that the business sends can reply to another one. */
  readonly hasReplies: boolean;
  /** Null if no limit is known. */
  readonly textLimit: TextLimit | null;
}

const traits: Readonly<Record<ChatChannelName, Traits>> = {
  [cloudChannel]: {
    isNumbered: true,
    hasTemplates: true,
    isWindowed: true,
    hasIdsPerSender: false,
    hasReplies: true,
    textLimit: { length: 4_096, unit: "characters" },
  },
  [pageChannel]: {
    isNumbered: false,
    hasTemplates: false,
    isWindowed: true,
    hasIdsPerSender: false,
    hasReplies: true,
    textLimit: { length: 2_000, unit: "characters" },
  },
  [photoChannel]: {
    isNumbered: false,
    hasTemplates: false,
    isWindowed: true,
    hasIdsPerSender: false,
    hasReplies: true,
    textLimit: { length: 1_000, unit: "bytes" },
  },
  [qrChannel]: {
    isNumbered: true,
    hasTemplates: false,
    isWindowed: false,
    hasIdsPerSender: true,
    hasReplies: true,
    textLimit: null,
  },
  [providerBChannel]: {
    isNumbered: true,
    hasTemplates: true,
    isWindowed: true,
    hasIdsPerSender: false,
    hasReplies: false,
    textLimit: { length: 1_600, unit: "characters" },
  },
};

/** The length of the service window, which begins with the customer's last message. */
export const serviceWindowHours = 24;

const channelsWith = (trait: keyof Traits): readonly ChatChannelName[] =>
  chatChannels.filter((name) => traits[name][trait]);

export const numberedChannels = channelsWith("isNumbered");
export const templateChannels = channelsWith("hasTemplates");
export const windowedChannels = channelsWith("isWindowed");
export const channelsWithIdsPerSender = channelsWith("hasIdsPerSender");
export const replyChannels = channelsWith("hasReplies");

export const isNumbered = (provider: string): boolean => numberedChannels.some((name) => name === provider);

export const isChannel = (provider: string): provider is ChannelName => channels.some((name) => name === provider);

export const textLimitOf = (channel: ChannelName): TextLimit | null =>
  channel === smsChannel ? null : traits[channel].textLimit;
