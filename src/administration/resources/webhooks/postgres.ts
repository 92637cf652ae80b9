import type { Queries } from "../../../infra/postgres/database.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { advisoryLock, run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import { RuleBroken, type StoredRecord } from "../../domain/records.ts";
import { mostWebhooks, type Webhook } from "./record.ts";

const webhooksTable: RecordTable<Webhook> = {
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
    /** Cancels the webhook's waiting deliveries. The webhook's row in `webhook_progress` must be locked. */
    private readonly endRound: (transaction: Queries, businessId: number, webhookId: number) => Promise<void>,
  ) {
    super(transaction, webhooksTable);
  }

  override async create(businessId: number, fields: Webhook): Promise<StoredRecord<Webhook>> {
    await this.makeRoom(businessId);
    const { secret, sealed } = this.newSecret(businessId);
    const id = await this.insert(businessId, fields, { secret: sealed });
    const progress = { business_id: businessId, webhook_id: id, reached: latestOf(businessId) };
    await run(this.transaction, sql("webhook_progress").insert(progress));
    return { ...(await this.finished(businessId, id, fields)), shownOnce: { secret } };
  }

  /** Locks the row in `webhook_progress` first, as the transactions that add deliveries do. */
  override async lock(businessId: number, id: number): Promise<StoredRecord<Webhook> | null> {
    const progress = sql("webhook_progress").where({ business_id: businessId, webhook_id: id });
    await run(this.transaction, progress.select("webhook_id").forNoKeyUpdate());
    return super.lock(businessId, id);
  }

  override async change(businessId: number, id: number, fields: Webhook): Promise<StoredRecord<Webhook>> {
    const before = (await this.held(businessId, id)).fields;
    const isEnabled = before.disabled && !fields.disabled;
    const isElsewhere = before.url !== fields.url;
    // Past failures are forgotten. Late answers of an old address do not count, because their `address_number` differs.
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
    // Deliveries that were being added when the webhook was disabled may still wait, so enabling cancels them too.
    if (before.disabled !== fields.disabled) await this.endRound(this.transaction, businessId, id);
    return super.change(businessId, id, fields);
  }

  /** Locks out other creations: two at once could exceed the limit. */
  private async makeRoom(businessId: number): Promise<void> {
    await advisoryLock(this.transaction, "webhooks", businessId);
    const existing = sql("webhooks").where({ business_id: businessId }).select("id").limit(mostWebhooks);
    const found = await run<{ readonly id: number }>(this.transaction, existing);
    if (found.length >= mostWebhooks) throw new RuleBroken(`Un negocio puede tener hasta ${mostWebhooks} webhooks`);
  }
}

/** The number of the business's last event. The endpoint gets the events after it. */
const latestOf = (businessId: number) =>
  sql.raw("coalesce((select last_number from realtime_counters where business_id = ?), 0)", [businessId]);
