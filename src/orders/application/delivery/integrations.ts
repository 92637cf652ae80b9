import type { Money } from "../../../kernel/money.ts";

/** What a delivery is priced by. Coordinates in degrees. */
export interface QuoteRequest {
  readonly businessId: number;
  readonly orderId: number;
  /** Where it leaves from. */
  readonly branch: { readonly id: number; readonly latitude: number | null; readonly longitude: number | null } | null;
  /** Where it goes to. */
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Prices deliveries as they are asked for. */
export interface DeliveryPricing {
  /** Null where it names no price, or none in time. Never rejects. */
  priceOf(request: QuoteRequest): Promise<Money | null>;
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
  /** Null when nobody noted it down. */
  readonly at: Date | null;
}

/** Knows where drivers are. */
export interface DriverTracking {
  /** Null where it does not know, or does not say in time. Never rejects. */
  locate(driver: TrackedDriver): Promise<DriverLocation | null>;
}
