import type { Money } from "../../../kernel/money.ts";

/** What the price of a delivery depends on. Coordinates are in degrees. */
export interface QuoteRequest {
  readonly businessId: number;
  readonly orderId: number;
  /** The start of the delivery. */
  readonly branch: { readonly id: number; readonly latitude: number | null; readonly longitude: number | null } | null;
  /** The destination. */
  readonly latitude: number;
  readonly longitude: number;
}

export interface DeliveryPricing {
  /** `none` if the integration has no price, `unanswered` if it gives no usable answer in time. Never rejects. */
  priceOf(request: QuoteRequest): Promise<Money | "none" | "unanswered">;
}

export interface DriverLocation {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** ISO 8601; null if it was not recorded. */
  readonly at: string | null;
}

export interface DriverTracking {
  /**
   * Null if the location is unknown or there is no answer in time.
   * @param trackingId - the driver's id in the integration; null if the driver has none
   */
  locate(trackingId: string | null): Promise<DriverLocation | null>;
}
