/** The events that a webhook of a business can subscribe to. */
export const webhookEvents = [
  "message.new",
  "message.status",
  "chat.changed",
  "ticket.new",
  "ticket.changed",
  "order.changed",
  "campaign.finished",
  "contact.changed",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
