import { instantOf, namesZone, timezoneOf } from "./instants.ts";

/** Knows what each business calls its time zone. */
export interface Zones {
  /** The name of the zone, which need not exist; null for none. */
  timezone(businessId: number): Promise<string | null>;
}

/** The zone in which a business writes these texts. It is only asked for if one of them names none. */
export async function zoneOfTexts(
  zones: Zones,
  businessId: number,
  texts: readonly (string | null)[],
): Promise<string> {
  const isZoned = texts.every((text) => text === null || namesZone(text));
  return isZoned ? "UTC" : timezoneOf(await zones.timezone(businessId));
}

/** The moment that an ISO 8601 text means, in the business's zone if it names none. Null if there is no such date. */
export async function instantIn(zones: Zones, businessId: number, text: string): Promise<Date | null> {
  return instantOf(text, await zoneOfTexts(zones, businessId, [text]));
}
