/** What other features and the composition root may use of inbox. */

export { AssignWaiting } from "./application/assign-waiting.ts";
export { CreateTicket } from "./application/create-ticket.ts";
export type { IncomingStores, TicketStores, WebhookQueue } from "./application/ports.ts";
export { ReadInbox } from "./application/reading/read-inbox.ts";
export { WorkOffWebhooks } from "./application/work-off-webhooks.ts";
