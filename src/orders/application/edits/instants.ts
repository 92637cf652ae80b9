import { instantOf, namesZone, timezoneOf } from "../../../kernel/instants.ts";

interface Zones {
  /** What the business calls its zone, which need not exist. */
  timezone(businessId: number): Promise<string>;
}

/** A date that `instantOf` understands, in the business's time zone where it names none. */
export async function instantIn(zones: Zones, businessId: number, written: string | null | undefined) {
  if (written === undefined || written === null) return written;
  const zone = namesZone(written) ? "UTC" : timezoneOf(await zones.timezone(businessId));
  return instantOf(written, zone);
}
