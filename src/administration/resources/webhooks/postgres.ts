import type { Queries } from "../../../infra/postgres/database.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import { RuleBroken, type StoredRecord } from "../../domain/records.ts";
import { mostWebhooks, type Webhook } from "./record.ts";

export const webhooksTable: RecordTable<Webhook> = {
  name: "webhooks",
  columns: { url: "url", events: "events", description: "description", disabled: "disabled" },
  arrays: ["events"],
  searched: ["url", "description"],
};

/** The secret is stored encrypted. */
export class PostgresWebhookRecords extends KnexRecords<Webhook> {
  constructor(
    private readonly transaction: Queries,
    private readonly newSecret: (businessId: number) => { readonly secret: string; readonly sealed: Buffer },
    /** Ends a webhook's round: its waiting deliveries are not made any more. Its row in `webhook_progress` must be locked. */
    private readonly endRound: (transaction: Queries, businessId: number, webhookId: number) => Promise<void>,
  ) {
    super(transaction, webhooksTable);
  }

  override async create(businessId: number, fields: Webhook): Promise<StoredRecord<Webhook>> {
    await this.makeRoom(businessId);
    const { secret, sealed } = this.newSecret(businessId);
    const row = { business_id: businessId, ...fields, events: [...fields.events], secret: sealed };
    const [inserted] = await run<{ readonly id: number }>(
      this.transaction,
      sql("webhooks").insert(row).returning("id"),
    );
    const kept = inserted && (await this.find(businessId, inserted.id));
    if (!kept) throw new Error(`a new webhook of business ${businessId} is gone in its own transaction`);
    const progress = { business_id: businessId, webhook_id: kept.id, reached: latestOf(businessId) };
    await run(this.transaction, sql("webhook_progress").insert(progress));
    return { ...kept, shownOnce: { secret } };
  }

  /** Locks the row in `webhook_progress` first, in the same order as the transactions that add deliveries. */
  override async lock(businessId: number, id: number): Promise<StoredRecord<Webhook> | null> {
    const progress = sql("webhook_progress").where({ business_id: businessId, webhook_id: id });
    await run(this.transaction, progress.select("webhook_id").forNoKeyUpdate());
    return super.lock(businessId, id);
  }

  override async change(businessId: number, id: number, fields: Webhook): Promise<StoredRecord<Webhook>> {
    const before = await this.find(businessId, id);
    const isEnabled = before?.fields.disabled && !fields.disabled;
    const isElsewhere = before?.fields.url !== fields.url;
    // A new address has not failed yet: `address_number` keeps late answers of the old one from counting against it.
    if (isEnabled || isElsewhere) {
      const begins = {
        failing_since: null,
        ...(isElsewhere && { address_number: sql.raw("address_number + 1") }),
        ...(isEnabled && { reached: latestOf(businessId) }),
      };
      await run(
        this.transaction,
        sql("webhook_progress").where({ business_id: businessId, webhook_id: id }).update(begins),
      );
    }
    // Also when it is enabled: an event that was being given to it while it was disabled may wait.
    if (isEnabled || (fields.disabled && !before?.fields.disabled)) {
      await this.endRound(this.transaction, businessId, id);
    }
    return super.change(businessId, id, fields);
  }

  /** Creations take turns: two at once could exceed the limit. */
  private async makeRoom(businessId: number): Promise<void> {
    await run(this.transaction, sql.raw("select pg_advisory_xact_lock(hashtextextended('webhooks', ?))", [businessId]));
    const existing = sql("webhooks").where({ business_id: businessId }).select("id").limit(mostWebhooks);
    const found = await run<{ readonly id: number }>(this.transaction, existing);
    if (found.length >= mostWebhooks) throw new RuleBroken(`Un negocio puede tener hasta ${mostWebhooks} webhooks`);
  }
}

/** The number of the business's last event: an endpoint gets the events after it. */
const latestOf = (businessId: number) =>
  sql.raw("coalesce((select last_number from realtime_counters where business_id = ?), 0)", [businessId]);
