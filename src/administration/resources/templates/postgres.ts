import type { Queries } from "../../../infra/postgres/database.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { advisoryLock, run, sql } from "../../adapters/postgres/query.ts";
import { columnsOf, type RecordTable } from "../../adapters/postgres/record-table.ts";
import type {
  OpenSubmission,
  ReviewedTemplate,
  SettledSubmission,
  StoredTemplate,
  SubmitOutcome,
  TemplateStore,
  TemplateUpdate,
} from "../../application/template-ports.ts";
import { DuplicateValue, RecordNotFound, type StoredRecord } from "../../domain/records.ts";
import { bodyIn, headerTypeOf, platformKeyOf, type Template } from "../../domain/template.ts";

const templatesTable: RecordTable<Template> = {
  name: "templates",
  columns: {
    ...columnsOf<Template>("name", "platformName", "body", "structure", "buttons", "code", "fileName", "headerType"),
    ...columnsOf<Template>("provider", "allowedAgents", "contactVariables", "articles", "providerBId", "version"),
    ...columnsOf<Template>("visible", "createdByAi"),
    approvalState: "platform_status",
    ...columnsOf<Template>("platformStatus", "platformReason", "platformId", "businessId", "createdAt", "updatedAt"),
  },
  searched: ["name", "platform_name"],
  changedAt: "updated_at",
};

const mostLocked = 12_000;
/**
 * The platform's list of templates may be this much older than the platform's webhooks and answers to submissions.
 * The answer to a submission is also expected within this time.
 */
const listDelay = sql.raw("interval '1 minute'");
const pending = "PENDING";
const listedSoon = sql.raw("now() + ?", [listDelay]);
const newVersion = sql.raw("record_version + 1");

export class PostgresTemplateRecords extends KnexRecords<Template> implements TemplateStore {
  private readonly all: KnexRecords<Template>;

  constructor(private readonly transaction: Queries) {
    super(transaction, templatesTable);
    this.all = new KnexRecords(transaction, { ...templatesTable, withArchived: true });
  }

  override async create(businessId: number, template: Template): Promise<StoredRecord<Template>> {
    await this.lockWrites(businessId);
    await this.checkName(businessId, 0, template);
    return super.create(businessId, template);
  }

  override async change(businessId: number, id: number, template: Template): Promise<StoredRecord<Template>> {
    const before = (await this.held(businessId, id)).fields;
    const isSameName = before.provider === template.provider && platformKeyOf(before) === platformKeyOf(template);
    if (!isSameName) await this.checkName(businessId, id, template);
    return super.change(businessId, id, template);
  }

  /** A sync takes the same lock before it locks all templates of the business. */
  protected override async lockWrites(businessId: number): Promise<void> {
    await advisoryLock(this.transaction, "templates", businessId);
  }

  /** No unique index can check the name, because older records may share a name. */
  private async checkName(businessId: number, id: number, { provider, platformName, structure }: Template) {
    if (provider !== "Cloud") return;
    const others = sql("templates")
      .where({ business_id: businessId, provider, platform_name: platformName, deleted_at: null })
      .whereNot({ id })
      .whereRaw("coalesce(structure->>'language', '') = ?", [structure?.language ?? ""]);
    const [other] = await run(this.transaction, others.select("id").limit(1));
    if (other) throw new DuplicateValue("platformName");
  }

  async beginSubmission(businessId: number, id: number): Promise<OpenSubmission> {
    const before = await this.review(businessId, id);
    const submitted = { platform_status: pending, listed_from: listedSoon, record_version: newVersion };
    await run(this.transaction, sql("templates").where({ business_id: businessId, id }).update(submitted));
    const { listedFrom } = await this.review(businessId, id);
    if (listedFrom === null) throw new Error(`template ${id} of business ${businessId} was not submitted`);
    return { ...before, listedFrom };
  }

  async settleSubmission(
    businessId: number,
    id: number,
    submission: OpenSubmission,
    outcome: SubmitOutcome,
  ): Promise<SettledSubmission> {
    const before = await this.all.lock(businessId, id);
    if (!before) throw new RecordNotFound();
    const review = await this.review(businessId, id);
    // If `listedFrom` differs, the template was submitted again, and only the outcome of the later submission counts.
    if (review.listedFrom === submission.listedFrom) {
      const { platformId, status, listedFrom } = reviewAfter(outcome, review, submission);
      const isOther = platformId !== review.platformId || status !== review.status;
      const row = { platform_id: platformId, platform_status: status, listed_from: listedFrom };
      await run(
        this.transaction,
        sql("templates")
          .where({ business_id: businessId, id })
          .update({ ...row, ...(isOther && { record_version: newVersion }) }),
      );
    }
    const after = (await this.all.find(businessId, id)) ?? before;
    return { before, after, isArchived: (await this.find(businessId, id)) === null };
  }

  private async review(businessId: number, id: number): Promise<PlatformReview> {
    const [review] = await run<PlatformReview>(
      this.transaction,
      sql("templates")
        .where({ business_id: businessId, id })
        .select({ platformId: "platform_id", status: "platform_status" })
        // The times are texts, because a `Date` has no microseconds.
        .select(sql.raw(`platform_changed_at::text as "changedAt", listed_from::text as "listedFrom"`)),
    );
    if (!review) throw new Error(`template ${id} of business ${businessId} is gone in its own transaction`);
    return review;
  }

  async lockAll(businessId: number, readAt: Date): Promise<readonly StoredTemplate[]> {
    await this.lockWrites(businessId);
    return run<StoredTemplate>(
      this.transaction,
      sql("templates")
        .where({ business_id: businessId, provider: "Cloud" })
        .select("id", "structure", "body")
        .select({ platformName: "platform_name", headerType: "header_type", platformId: "platform_id" })
        .select({ platformStatus: "platform_status", platformReason: "platform_reason" })
        .select(sql.raw('deleted_at is not null as "isArchived"'))
        .select(sql.raw('coalesce(listed_from > ?::timestamptz, false) as "isJustSubmitted"', [readAt]))
        .orderBy("id")
        .limit(mostLocked)
        .forUpdate(),
    );
  }

  async apply(businessId: number, updates: readonly TemplateUpdate[], readAt: Date): Promise<readonly number[]> {
    const changed = await run<{ id: number }>(
      this.transaction,
      sql.raw(
        `update templates as template
         set structure = updates.structure, body = updates.body, header_type = updates."headerType",
             platform_id = updates."platformId", platform_status = updates."platformStatus",
             platform_reason = updates."platformReason", record_version = template.record_version + 1,
             platform_changed_at = greatest(template.platform_changed_at, ?::timestamptz - ?),
             updated_at = case when template.structure is distinct from updates.structure then now()
                               else template.updated_at end
         from jsonb_to_recordset(?::jsonb) as updates(
           id bigint, structure jsonb, body text, "headerType" text, "platformId" text, "platformStatus" text,
           "platformReason" text)
         where template.business_id = ? and template.id = updates.id
           and (template.platform_changed_at is null or template.platform_changed_at < ?::timestamptz)
         returning template.id`,
        [readAt, listDelay, JSON.stringify(updates), businessId, readAt],
      ),
    );
    return changed.map(({ id }) => id);
  }

  async createListed(businessId: number, templates: readonly ReviewedTemplate[]): Promise<readonly number[]> {
    const rows = templates.map((template) => rowOf(businessId, template));
    const made = await run<{ id: number }>(this.transaction, sql("templates").insert(rows).returning("id"));
    return made.map(({ id }) => id);
  }

  async preferredLanguage(businessId: number): Promise<string> {
    const [row] = await run<{ language: string }>(
      this.transaction,
      sql("businesses")
        .where("id", businessId)
        .select(sql.raw("coalesce(feature_flags->>'template_language', 'es') as language")),
    );
    return row?.language ?? "es";
  }
}

function rowOf(businessId: number, template: ReviewedTemplate): object {
  const { platformId, name, language, status, reason, category, components } = template;
  const structure = { language, ...(category !== null && { category }), components };
  return {
    business_id: businessId,
    name,
    platform_name: name,
    body: bodyIn(structure),
    structure: JSON.stringify(structure),
    header_type: headerTypeOf(structure),
    provider: "Cloud",
    platform_id: platformId,
    platform_status: status,
    platform_reason: reason,
    platform_changed_at: sql.raw("now() - ?", [listDelay]),
  };
}

/** What the platform has reported about a template. */
type PlatformReview = Omit<OpenSubmission, "listedFrom"> & { readonly listedFrom: string | null };

/** What is stored after a submission ended with this outcome. */
function reviewAfter(
  outcome: SubmitOutcome,
  { platformId, status, changedAt }: PlatformReview,
  submission: OpenSubmission,
) {
  // The platform's reports have times in whole seconds: a new report may have the time of the one before, so the
  // status is compared too.
  const hasNews = changedAt !== submission.changedAt || status !== pending;
  if (outcome.kind === "accepted") {
    // A sync may have cleared the status, because its list did not have the template yet.
    const known = hasNews && status !== null ? status : outcome.status;
    return { platformId: outcome.platformId ?? platformId, status: known, listedFrom: listedSoon };
  }
  if (outcome.kind === "unknown") {
    // The answer was lost. If a sync believes an outdated list, the user can submit the template again. For a new
    // template this does no harm, because the platform refuses the second submission. But the platform would accept a
    // second edit. So after an edit, syncs believe the list only when `listDelay` is over.
    return { platformId, status, listedFrom: submission.platformId === null ? sql.fn.now() : listedSoon };
  }
  return { platformId, status: hasNews ? status : submission.status, listedFrom: null };
}
