import type { Zones } from "../../kernel/zones.ts";
import type { Cells } from "./cells.ts";
import { statement } from "./statement.ts";

const timezone = statement("business_timezone")`
  select feature_flags ->> 'timezone' as timezone from businesses where id = $1`;

export class PostgresZones implements Zones {
  constructor(private readonly cells: Pick<Cells, "of">) {}

  async timezone(businessId: number): Promise<string | null> {
    const [row] = await this.cells.of(businessId).rows<{ timezone: string | null }>(timezone, [businessId]);
    return row?.timezone ?? null;
  }
}
