/** Channels, as the column `provider` of chats and senders names them. */
export const cloudChannel = "platform-apicloud";
export const pageChannel = "platform-page";
export const photoChannel = "platform-photo";
export const qrChannel = "qr";
export const providerBChannel = "provider-b";
/** This channel has no chats: it only sends messages to phones. The operator's sender serves all businesses. */
export const smsChannel = "sms";

export const chatChannels = [cloudChannel, pageChannel, photoChannel, qrChannel, providerBChannel] as const;
export const channels = [...chatChannels, smsChannel] as const;
/** Channels on which free text is allowed only within the service window. */
export const windowedChannels: readonly ChatChannelName[] = [cloudChannel, pageChannel, photoChannel, providerBChannel];
/** Channels whose platform stores templates. On others a template is sent as plain text. */
export const templateChannels: readonly ChatChannelName[] = [cloudChannel, providerBChannel];
/** Channels that identify a customer by phone number. The others have ids of their own. */
export const numberedChannels: readonly ChatChannelName[] = [cloudChannel, qrChannel, providerBChannel];
/** Hours after the customer's last message. */
export const serviceWindowHours = 24;
export type ChatChannelName = (typeof chatChannels)[number];
export type ChannelName = (typeof channels)[number];

export const isNumbered = (provider: string): boolean => numberedChannels.some((name) => name === provider);

export const isChannel = (provider: string): provider is ChannelName => channels.some((name) => name === provider);
