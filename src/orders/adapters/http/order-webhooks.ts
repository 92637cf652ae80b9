import type { Webhook } from "../../../infra/http/openapi/writer.ts";
import { integer, named, objectWith, orNull } from "../../../infra/http/routing/schema.ts";

const degrees = { type: "number", example: -16.5 } as const;

/** What the delivery-pricing integration is asked; `http-client/delivery-pricing.ts` sends it. */
const deliveryQuote: Webhook = {
  name: "deliveryQuote",
  method: "post",
  operationId: "askDeliveryPrice",
  tag: "Integrations",
  summary: "What the delivery of an order costs",
  description:
    "Sent as `POST <base>/quotes`, where `<base>` is the configured address of the delivery-pricing integration, when an " +
    "open order is made or its delivery changes. Without an answer it is asked again for about three hours.",
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
      description: "The price, or null where there is none",
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

/** Requests of this feature to systems of others. */
export const orderWebhooks: readonly Webhook[] = [deliveryQuote];
