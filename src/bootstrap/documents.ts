import type { Container } from "inversify";
import {
  inboxClientSchemas,
  inboxEventSchemas,
  inboxPresenceSchemas,
} from "../inbox/adapters/http/inbox-event-schemas.ts";
import { Components } from "../infra/http/openapi/components.ts";
import { type ApiInfo, type OpenApiDocument, openApiDocument } from "../infra/http/openapi/openapi.ts";
import { type AsyncApiDocument, asyncApiDocument } from "../infra/realtime/asyncapi.ts";
import { campaignEventSchemas } from "../messaging/adapters/http/campaigns/campaign-event-schemas.ts";
import { orderEventSchemas, pushedOrderSchemas } from "../orders/adapters/http/order-schemas.ts";
import { orderWebhooks } from "../orders/adapters/http/order-webhooks.ts";
import { webhookDocuments } from "../webhooks/adapters/http/webhook-documents.ts";
import { resolveAll } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const version = "0.1.0";

/** The texts of the API document that do not come from routes. */
const apiInfo: ApiInfo = {
  title: "Recado",
  version,
  tags: {
    Access: "Sessions of users.",
    Inbox: "Chats, their messages and tickets, and the agents who answer.",
    Contacts: "The people whom the business knows.",
    Messaging: "Templates, and messages to one recipient.",
    Campaigns: "Templates to many contacts.",
    Orders: "Orders: their products, their states and what they cost.",
    Reports: "Sales and quotations, and the figures of a group of businesses.",
    Ads: "What the ad platform tells of campaigns, with what they sold.",
    Media: "Files for messages.",
    Realtime: "Live events. `/asyncapi.json` describes them.",
    Webhooks: "What platforms deliver to this service.",
    Integrations: "What this service asks other systems, at addresses that its operator configures.",
    Choices: "Short lists that users of every role choose from.",
    Administration: "What administrators set up for their business.",
    Operations: "The service itself.",
    Events: "What this service tells a business's own systems, at the addresses of its webhooks.",
  },
  webhooks: [
    ...orderWebhooks,
    ...webhookDocuments({
      "message.new": inboxEventSchemas["message:new"],
      "message.status": inboxEventSchemas["message:status"],
      "chat.changed": {
        ...inboxEventSchemas["chat:changed"],
        description:
          "On the sockets these are two events: `chat:changed`, and `inbox:reorder` where it has a new message.",
      },
      "ticket.new": inboxEventSchemas["ticket:new"],
      "ticket.changed": inboxEventSchemas["ticket:changed"],
      "order.changed": orderEventSchemas["order:changed"],
      "campaign.finished": {
        ...campaignEventSchemas["campaign:progress"],
        summary: "A campaign is completed or was cancelled",
        description: "Once; what becomes of its last messages later is not told again.",
      },
      "contact.changed": inboxEventSchemas["contact:changed"],
    }),
  ],
};

export const openApiOf = (container: Container): OpenApiDocument =>
  openApiDocument(resolveAll(container, tokens.routes).flat(), apiInfo);

export const asyncApi = (): AsyncApiDocument =>
  asyncApiDocument(
    {
      title: "Recado, live",
      version,
      logged: { ...inboxEventSchemas, ...orderEventSchemas, ...campaignEventSchemas },
      atOnce: inboxPresenceSchemas,
      heard: inboxClientSchemas,
      pushed: pushedOrderSchemas,
    },
    new Components(),
  );
