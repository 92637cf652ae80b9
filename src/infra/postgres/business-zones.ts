import type { Zones } from "../../kernel/zones.ts";
import type { Cells } from "./cells.ts";
import type { Statement } from "./database.ts";

const timezone: Statement = {
  name: "business_timezone",
  text: "select feature_flags ->> 'timezone' as timezone from businesses where id = $1",
};

export class PostgresZones implements Zones {
  constructor(private readonly cells: Pick<Cells, "of">) {}

  async timezone(businessId: number): Promise<string | null> {
    const [row] = await this.cells.of(businessId).rows<{ timezone: string | null }>(timezone, [businessId]);
    return row?.timezone ?? null;
  }
}
