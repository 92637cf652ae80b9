import type { Queries } from "../../../infra/postgres/database.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type {
  Claim,
  KnownTemplate,
  PlatformTemplate,
  SubmittedTemplate,
  TemplateNews,
  TemplateStore,
} from "../../application/template-ports.ts";
import { type Kept, RecordNotFound } from "../../domain/records.ts";
import { bodyIn, headerTypeOf } from "../../domain/template.ts";
import type { Template } from "./record.ts";

const templatesTable: RecordTable<Template> = {
  name: "templates",
  columns: {
    name: "name",
    platformName: "platform_name",
    body: "body",
    structure: "structure",
    buttons: "buttons",
    code: "code",
    fileName: "file_name",
    headerType: "header_type",
    provider: "provider",
    allowedAgents: "allowed_agents",
    contactVariables: "contact_variables",
    articles: "articles",
    providerBId: "provider_b_id",
    version: "version",
    visible: "visible",
    createdByAi: "created_by_ai",
    state: "platform_status",
    platformStatus: "platform_status",
    platformReason: "platform_reason",
    platformId: "platform_id",
    businessId: "business_id",
    createdAt: "created_at",
    updatedAt: "updated_at",
  },
  searched: ["name", "platform_name"],
  changedAt: "updated_at",
};

const mostKnown = 12_000;
const rowsAtATime = 500;
/** The platform lists what it approves a little after it says so. */
const listIsBehind = sql.raw("interval '1 minute'");
const newVersion = sql.raw("record_version + 1");

export class PostgresTemplateRecords extends KnexRecords<Template> implements TemplateStore {
  constructor(private readonly transaction: Queries) {
    super(transaction, templatesTable);
  }

  async claim(businessId: number, id: number): Promise<Claim> {
    const own = { business_id: businessId, id };
    const [claim] = await run<Claim>(
      this.transaction,
      sql("templates")
        .where(own)
        .select({ platformId: "platform_id", status: "platform_status", changedAt: "platform_changed_at" }),
    );
    if (!claim) throw new Error(`template ${id} of business ${businessId} is gone in its own transaction`);
    const pending = { platform_status: "PENDING", record_version: newVersion };
    await run(this.transaction, sql("templates").where(own).update(pending));
    return claim;
  }

  async settle(
    businessId: number,
    id: number,
    { changedAt }: Claim,
    { platformId, status }: SubmittedTemplate | Claim,
  ): Promise<Kept<Template>> {
    const own = sql("templates").where({ business_id: businessId, id });
    const unchanged = sql.raw("platform_changed_at is not distinct from ?::timestamptz", [changedAt]);
    await run(
      this.transaction,
      own.update({
        platform_id: sql.raw("coalesce(?, platform_id)", [platformId]),
        platform_status: sql.raw("case when ? then ? else platform_status end", [unchanged, status]),
        record_version: newVersion,
      }),
    );
    const kept = await this.find(businessId, id);
    // Archived while it was submitted.
    if (!kept) throw new RecordNotFound();
    return kept;
  }

  known(businessId: number): Promise<readonly KnownTemplate[]> {
    return run<KnownTemplate>(
      this.transaction,
      sql("templates")
        .where({ business_id: businessId, provider: "Cloud" })
        .select("id", "structure", "body")
        .select({ platformName: "platform_name", headerType: "header_type", platformId: "platform_id" })
        .select({ platformStatus: "platform_status", platformReason: "platform_reason" })
        .select(sql.raw('deleted_at is not null as "isArchived"'))
        .orderBy("id")
        .limit(mostKnown)
        .forUpdate(),
    );
  }

  async apply(businessId: number, news: readonly TemplateNews[], readAt: Date): Promise<readonly number[]> {
    const changed: number[] = [];
    for (const some of chunks(news)) {
      const rows = await run<{ id: number }>(
        this.transaction,
        sql.raw(
          `update templates as template
           set structure = news.structure, body = news.body, header_type = news."headerType",
               platform_id = news."platformId", platform_status = news."platformStatus",
               platform_reason = news."platformReason", record_version = template.record_version + 1,
               platform_changed_at = greatest(template.platform_changed_at, ?::timestamptz - ?),
               updated_at = case when template.structure is distinct from news.structure then now()
                                 else template.updated_at end
           from jsonb_to_recordset(?::jsonb) as news(
             id bigint, structure jsonb, body text, "headerType" text, "platformId" text, "platformStatus" text,
             "platformReason" text)
           where template.business_id = ? and template.id = news.id
             and (template.platform_changed_at is null or template.platform_changed_at < ?::timestamptz)
           returning template.id`,
          [readAt, listIsBehind, JSON.stringify(some), businessId, readAt],
        ),
      );
      changed.push(...rows.map(({ id }) => id));
    }
    return changed;
  }

  async adopt(businessId: number, templates: readonly PlatformTemplate[]): Promise<readonly number[]> {
    const made: number[] = [];
    for (const some of chunks(templates)) {
      const rows = some.map((template) => rowOf(businessId, template));
      const ids = await run<{ id: number }>(this.transaction, sql("templates").insert(rows).returning("id"));
      made.push(...ids.map(({ id }) => id));
    }
    return made;
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

  async now(): Promise<Date> {
    const [row] = await run<{ now: Date }>(this.transaction, sql.raw("select now() as now"));
    return row?.now ?? new Date();
  }
}

function rowOf(businessId: number, template: PlatformTemplate): object {
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
    platform_changed_at: sql.raw("now() - ?", [listIsBehind]),
  };
}

const chunks = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / rowsAtATime) }, (_, n) =>
    rows.slice(n * rowsAtATime, (n + 1) * rowsAtATime),
  );
