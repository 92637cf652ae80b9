import type { Chat } from "../shared/api.ts";

export const channelNames: Readonly<Record<Chat["provider"], string>> = {
  "platform-apicloud": "WhatsApp",
  "platform-page": "Messenger",
  "platform-photo": "Instagram",
  qr: "WhatsApp QR",
  "provider-b": "WhatsApp B",
};
