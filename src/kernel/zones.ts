import { instantOf, namesZone, timezoneOf } from "./instants.ts";

export interface Zones {
  /** The zone name in the business's settings; null if none is set. The name is not checked and may be invalid. */
  timezone(businessId: number): Promise<string | null>;
}

/** The business's zone if a text has no zone of its own. Otherwise UTC, without reading the business's zone. */
export async function zoneOfTexts(
  zones: Zones,
  businessId: number,
  texts: readonly (string | null)[],
): Promise<string> {
  const isZoned = texts.every((text) => text === null || namesZone(text));
  return isZoned ? "UTC" : timezoneOf(await zones.timezone(businessId));
}

/** The instant of an ISO 8601 text; null if it is invalid. A text without a zone is in the business's zone. */
export async function instantIn(zones: Zones, businessId: number, text: string): Promise<Date | null> {
  return instantOf(text, await zoneOfTexts(zones, businessId, [text]));
}
