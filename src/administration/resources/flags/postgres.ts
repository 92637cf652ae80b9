import type { Queries } from "../../../infra/postgres/database.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { OneRecord } from "../../application/ports.ts";
import type { OperatorFlagStore } from "../../application/set-operator-flag.ts";
import { type OperatorFlag, operatorFlags } from "../../domain/operator-flags.ts";
import type { StoredRecord } from "../../domain/records.ts";
import type { Flags } from "./record.ts";

const none: Flags = {
  timezone: null,
  currency: null,
  currency_conversion: null,
  reports_for: null,
  agents_see: null,
  ad_account_for_report: null,
  bot_inactivity_minutes: null,
  monthly_template_limit: null,
  template_language: null,
  tax_id_label: null,
  "payments-url": null,
  group_shared_report: null,
  media_quota_bytes: null,
};

/** Reads and writes the known flags. Other flags that an operator set are not shown and stay as they are. */
export class PostgresFlags implements OneRecord<Flags>, OperatorFlagStore {
  constructor(private readonly queries: Queries) {}

  async find(businessId: number): Promise<StoredRecord<Flags> | null> {
    const [row] = await run<{ readonly flags: Partial<Flags>; readonly version: number }>(
      this.queries,
      sql("businesses").where({ id: businessId }).select({ flags: "feature_flags", version: "record_version" }),
    );
    if (!row) return null;
    const fields = Object.fromEntries(
      Object.keys(none).map((name) => [name, row.flags[name as keyof Flags] ?? null]),
    ) as unknown as Flags;
    return { id: businessId, version: row.version, fields };
  }

  async lock(businessId: number): Promise<StoredRecord<Flags> | null> {
    await run(this.queries, sql("businesses").where({ id: businessId }).select("id").forNoKeyUpdate());
    return this.find(businessId);
  }

  async change(businessId: number, _id: number, flags: Flags): Promise<StoredRecord<Flags>> {
    const written = Object.entries(flags).filter(([name]) => !operatorFlags.some((each) => each === name));
    return this.write(businessId, written);
  }

  setOperatorFlag(businessId: number, flag: OperatorFlag, value: unknown): Promise<StoredRecord<Flags>> {
    return this.write(businessId, [[flag, value]]);
  }

  private async write(
    businessId: number,
    written: readonly (readonly [string, unknown])[],
  ): Promise<StoredRecord<Flags>> {
    const set = Object.fromEntries(written.filter(([, value]) => value !== null));
    const cleared = written.flatMap(([name, value]) => (value === null ? name : []));
    await run(
      this.queries,
      sql("businesses")
        .where({ id: businessId })
        .update({
          feature_flags: sql.raw("(feature_flags - ?::text[]) || ?::jsonb", [cleared, JSON.stringify(set)]),
          record_version: sql.raw("record_version + 1"),
        }),
    );
    return (await this.find(businessId)) as StoredRecord<Flags>;
  }
}
