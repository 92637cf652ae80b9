import { rootOf } from "../../../infra/http-client/http-client.ts";
import { parse } from "../../../infra/http-client/json.ts";
import { type Money, moneyOf } from "../../../kernel/money.ts";
import type { DeliveryPricing, QuoteRequest } from "../../application/delivery/integrations.ts";
import type { IntegrationSettings } from "./integration.ts";

/** The column `orders.speedy_price` holds at most twelve digits before the point. */
const amount = /^\d{1,12}(\.\d{1,2})?$/;

/**
 * `POST <base>/quotes` with `{ business_id, order_id, branch: { id, lat, lng } | null, destination: { lat, lng } }`.
 * A 200 has `{ "price": "12.50" }`. A 404, or a `price` of null, means that there is no price.
 */
export class HttpDeliveryPricing implements DeliveryPricing {
  constructor(private readonly settings: IntegrationSettings) {}

  async priceOf(request: QuoteRequest): Promise<Money | "none" | "unanswered"> {
    const { client, baseUrl, timeoutMs, onFailure } = this.settings;
    const outcome = await client.request({
      method: "POST",
      url: `${rootOf(baseUrl)}/quotes`,
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(quoteOf(request)),
      timeouts: { connectMs: timeoutMs, totalMs: timeoutMs },
    });
    if (outcome.kind === "answer" && outcome.status === 404) return "none";
    const price = outcome.kind === "answer" && outcome.status === 200 ? parse(outcome.text).price : undefined;
    if (typeof price === "string" && amount.test(price)) return moneyOf(price);
    if (price === null) return "none";
    onFailure(outcome.kind === "answer" ? `HTTP ${outcome.status} without a usable price` : outcome.reason);
    return "unanswered";
  }
}

const quoteOf = ({ businessId, orderId, branch, latitude, longitude }: QuoteRequest) => ({
  business_id: businessId,
  order_id: orderId,
  branch: branch && { id: branch.id, lat: branch.latitude, lng: branch.longitude },
  destination: { lat: latitude, lng: longitude },
});
