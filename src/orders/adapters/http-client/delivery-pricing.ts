import { rootOf } from "../../../infra/http-client/http-client.ts";
import { parse } from "../../../infra/http-client/json.ts";
import { type Money, moneyOf } from "../../../kernel/money.ts";
import type { DeliveryPricing, QuoteRequest } from "../../application/delivery/integrations.ts";
import type { IntegrationSettings } from "./integration.ts";

/** Up to twelve digits before the point: what the order's column holds. */
const amount = /^\d{1,12}(\.\d{1,2})?$/;

/**
 * `POST <base>/quotes` with `{ business_id, order_id, branch: { id, lat, lng } | null, destination: { lat, lng } }`.
 * A 200 says `{ "price": "12.50" }`; a 404, or a `price` of null, that there is none.
 */
export class HttpDeliveryPricing implements DeliveryPricing {
  constructor(private readonly settings: IntegrationSettings) {}

  /** Without a destination nobody is asked. */
  async priceOf(request: QuoteRequest): Promise<Money | null> {
    const { client, baseUrl, timeoutMs, onFailure } = this.settings;
    const body = quoteOf(request);
    if (!body) return null;
    const outcome = await client.request({
      method: "POST",
      url: `${rootOf(baseUrl)}/quotes`,
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(body),
      timeouts: { connectMs: timeoutMs, totalMs: timeoutMs },
    });
    if (outcome.kind !== "answer") return nothing(onFailure, outcome.reason);
    if (outcome.status === 404) return null;
    const { price } = parse(outcome.text);
    if (outcome.status === 200 && typeof price === "string" && amount.test(price)) return moneyOf(price);
    if (outcome.status === 200 && price === null) return null;
    return nothing(onFailure, `HTTP ${outcome.status} without a usable price`);
  }
}

function quoteOf({ businessId, orderId, branch, latitude, longitude }: QuoteRequest): object | null {
  if (latitude === null || longitude === null) return null;
  return {
    business_id: businessId,
    order_id: orderId,
    branch: branch && { id: branch.id, lat: branch.latitude, lng: branch.longitude },
    destination: { lat: latitude, lng: longitude },
  };
}

function nothing(onFailure: (reason: string) => void, reason: string): null {
  onFailure(reason);
  return null;
}
