import type { Webhook } from "../../../infra/http/openapi/writer.ts";
import { integer, named, objectWith, orNull } from "../../../infra/http/routing/schema.ts";

const degrees = { type: "number", example: -16.5 } as const;

/** The request to the delivery-pricing integration. `http-client/delivery-pricing.ts` sends it. */
const deliveryQuote: Webhook = {
  name: "deliveryQuote",
  method: "post",
  operationId: "askDeliveryPrice",
  tag: "Integrations",
  summary: "Ask for the price of an order's delivery",
  description:
    "Sent as `POST <base>/quotes`, where `<base>` is the configured address of the delivery-pricing integration, when an " +
    "open order is created or its delivery changes. Without an answer it is repeated for about three hours.",
  body: named(
    "DeliveryQuoteRequest",
    objectWith({
      business_id: integer,
      order_id: integer,
      branch: orNull(objectWith({ id: integer, lat: { type: ["number", "null"] }, lng: { type: ["number", "null"] } })),
      destination: objectWith({ lat: degrees, lng: degrees }),
    }),
  ),
  responses: {
    200: {
      description: "The price, or null if there is none",
      schema: named(
        "DeliveryQuote",
        objectWith({
          price: { type: ["string", "null"], pattern: "^\\d{1,12}(\\.\\d{1,2})?$", example: "12.50" },
        }),
      ),
    },
    404: { description: "The integration has no price for this delivery" },
  },
};

/** Requests about orders that Recado sends to other systems. */
export const orderWebhooks: readonly Webhook[] = [deliveryQuote];
