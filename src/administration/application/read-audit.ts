import { instantOf } from "../../kernel/instants.ts";
import { type Zones, zoneOfTexts } from "../../kernel/zones.ts";
import { WrongPeriod } from "../domain/records.ts";
import type { AuditQuery, AuditReads, StoredEntry } from "./ports.ts";

interface WrittenPeriod {
  /** ISO 8601. Without a zone the business's zone applies; a date without a time means the whole day. */
  readonly from: string | null;
  readonly to: string | null;
}

export class ReadAudit {
  constructor(
    private readonly audit: AuditReads,
    private readonly zones: Zones,
  ) {}

  /** Newest first. Returns one more than `limit` if there is a next page. Rejects with `WrongPeriod`. */
  async list(
    businessId: number,
    { from, to, ...asked }: Omit<AuditQuery, "from" | "until"> & WrittenPeriod,
  ): Promise<readonly StoredEntry[]> {
    const zone = await zoneOfTexts(this.zones, businessId, [from, to]);
    const begin = momentOf("from", from, zone);
    const end = momentOf("to", to, zone);
    if (begin && end && begin > end) throw new WrongPeriod("from");
    // `to` is precise to milliseconds, entries to microseconds. All entries of the last millisecond are included.
    return this.audit.list(businessId, { ...asked, from: begin, until: end && new Date(end.getTime() + 1) });
  }
}

function momentOf(bound: "from" | "to", written: string | null, zone: string): Date | null {
  if (written === null) return null;
  const at = instantOf(written, zone, bound === "to");
  if (!at) throw new WrongPeriod(bound);
  return at;
}
