/** The channels, as chats and senders name their provider. */
export const cloudChannel = "platform-apicloud";
export const pageChannel = "platform-page";
export const photoChannel = "platform-photo";
export const qrChannel = "qr";
export const providerBChannel = "provider-b";
/** Carries messages to phones; no chat is on it, and no business has a sender of its own there. */
export const smsChannel = "sms";

/** Those that chats are on. */
export const chatChannels = [cloudChannel, pageChannel, photoChannel, qrChannel, providerBChannel] as const;
export const channels = [...chatChannels, smsChannel] as const;
/** Where free text reaches a customer only within the service window. */
export const windowedChannels: readonly ChatChannelName[] = [cloudChannel, pageChannel, photoChannel, providerBChannel];
/** Whose platform knows templates; on others they leave as plain text. */
export const templateChannels: readonly ChatChannelName[] = [cloudChannel, providerBChannel];
/** Where a customer is known by a phone number, which all of them share; on others by an id that only the channel has. */
export const numberedChannels: readonly ChatChannelName[] = [cloudChannel, qrChannel, providerBChannel];
/** Hours after the customer's last message. */
export const serviceWindowHours = 24;
export type ChatChannelName = (typeof chatChannels)[number];
export type ChannelName = (typeof channels)[number];

export const isNumbered = (provider: string): boolean => numberedChannels.some((name) => name === provider);

export const isChannel = (provider: string): provider is ChannelName => channels.some((name) => name === provider);
