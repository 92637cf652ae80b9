/** What an endpoint of a business may hear of. */
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
