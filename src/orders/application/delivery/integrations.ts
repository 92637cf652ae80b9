import type { Money } from "../../../kernel/money.ts";

/** What a delivery is priced by. Coordinates in degrees. */
export interface QuoteRequest {
  readonly businessId: number;
  readonly orderId: number;
  /** Where it leaves from. */
  readonly branch: { readonly id: number; readonly latitude: number | null; readonly longitude: number | null } | null;
  /** Where it goes to. */
  readonly latitude: number;
  readonly longitude: number;
}

export interface DeliveryPricing {
  /** `none` where it says that it has no price, `unanswered` where it says nothing usable in time. Never rejects. */
  priceOf(request: QuoteRequest): Promise<Money | "none" | "unanswered">;
}

export interface TrackedDriver {
  readonly businessId: number;
  readonly id: number;
  /** Under which the tracking knows the driver. */
  readonly trackingId: string | null;
}

export interface DriverLocation {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** ISO 8601; null when nobody noted it down. */
  readonly at: string | null;
}

/** Knows where drivers are. */
export interface DriverTracking {
  /** Null where it does not know, or does not say in time. Never rejects. */
  locate(driver: TrackedDriver): Promise<DriverLocation | null>;
}
