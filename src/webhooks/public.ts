export { DeliverWebhooks } from "./application/deliver-webhooks.ts";
export { ManageDeliveries } from "./application/manage-deliveries.ts";
export { NudgingFeed } from "./application/nudging-feed.ts";
export type { DeliveryQueue, DeliveryUpkeep, WebhookStores } from "./application/ports.ts";
export { testType } from "./domain/deliveries.ts";
