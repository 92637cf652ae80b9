/** The channels, as chats and senders name their provider. */
export const cloudChannel = "platform-apicloud";
export const pageChannel = "platform-page";
export const photoChannel = "platform-photo";
export const qrChannel = "qr";
export const providerBChannel = "provider-b";

export const channels = [cloudChannel, pageChannel, photoChannel, qrChannel, providerBChannel] as const;
export type ChannelName = (typeof channels)[number];

export const isChannel = (provider: string): provider is ChannelName => channels.some((name) => name === provider);
