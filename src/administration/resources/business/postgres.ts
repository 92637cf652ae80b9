import type { Queries } from "../../../infra/postgres/database.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { OneRecord } from "../../application/ports.ts";
import type { StoredRecord } from "../../domain/records.ts";
import type { OwnBusiness } from "./record.ts";

export class PostgresOwnBusiness implements OneRecord<OwnBusiness> {
  constructor(private readonly queries: Queries) {}

  async find(businessId: number): Promise<StoredRecord<OwnBusiness> | null> {
    const [row] = await run<OwnBusiness & { readonly id: number; readonly version: number }>(
      this.queries,
      sql("businesses")
        .where({ id: businessId })
        .select("id", "name", { imageUrl: "image_url", version: "record_version" })
        .select(sql.raw("business_zone(feature_flags) as timezone")),
    );
    if (!row) return null;
    const { id, version, ...fields } = row;
    return { id, version, fields };
  }

  async lock(businessId: number): Promise<StoredRecord<OwnBusiness> | null> {
    await run(this.queries, sql("businesses").where({ id: businessId }).select("id").forNoKeyUpdate());
    return this.find(businessId);
  }

  async change(
    businessId: number,
    _id: number,
    { name, imageUrl, timezone }: OwnBusiness,
  ): Promise<StoredRecord<OwnBusiness>> {
    await run(
      this.queries,
      sql("businesses")
        .where({ id: businessId })
        .update({
          name,
          image_url: imageUrl,
          feature_flags: sql.raw("feature_flags || jsonb_build_object('timezone', ?::text)", [timezone]),
          record_version: sql.raw("record_version + 1"),
        }),
    );
    return (await this.find(businessId)) as StoredRecord<OwnBusiness>;
  }
}
