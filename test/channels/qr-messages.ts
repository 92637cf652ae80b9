/** Webhooks as the QR provider's published source code builds them. */
export const instance = "tienda";
export const customer = "59170000001";
export const phone = "59120000001";
export const jid = `${customer}@s.whatsapp.net`;

export type Fields = Readonly<Record<string, unknown>>;

export const told = (event: string, data: unknown, changes: Fields = {}): Fields => ({
  event,
  instance,
  data,
  destination: "https://api.test/webhooks/qr/tienda",
  date_time: "2026-01-02T03:04:05.678Z",
  sender: `${phone}@s.whatsapp.net`,
  server_url: "http://localhost:8080",
  apikey: "key-1",
  ...changes,
});

export const upsert = (message: unknown, changes: Fields = {}): Fields => ({
  key: { remoteJid: jid, fromMe: false, id: "3A01" },
  pushName: "Ana",
  status: "DELIVERY_ACK",
  message,
  messageType: "conversation",
  messageTimestamp: 1_760_000_000,
  instanceId: "b1d1",
  source: "android",
  ...changes,
});
