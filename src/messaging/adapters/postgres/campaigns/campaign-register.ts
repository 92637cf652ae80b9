import { plainArray, textArray } from "../../../../infra/postgres/arrays.ts";
import type { Cells } from "../../../../infra/postgres/cells.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { cloudChannel, providerBChannel } from "../../../../kernel/channels.ts";
import type { TokenVault } from "../../../../kernel/token-vault.ts";
import type {
  CampaignContext,
  CampaignRegister,
  CampaignRequest,
  NewCampaign,
  NewCampaigns,
  NewRecipient,
} from "../../../application/campaigns/ports.ts";
import { namedIds } from "../../../domain/campaign.ts";
import type { Template } from "../../../domain/template.ts";
import { joinedSender, type SenderColumns, senderColumns } from "../sends/senders.ts";
import { joinedTemplate, preferredLanguage, templateColumns } from "../templates/template-catalog.ts";
import { campaignMove } from "./campaign-sql.ts";

/** The most that one insert writes: large enough to be fast, small enough not to hold up other work. */
const mostAtATime = { rows: 5_000, characters: 1_000_000 };

const missing = (ids: string, table: string, also = "") => `
  array(select wanted.id from unnest(${ids}::bigint[]) as wanted(id)
        where not exists (select 1 from ${table} as found
                          where found.business_id = business.id and found.id = wanted.id ${also})
        order by wanted.id limit ${namedIds})`;

const context = statement("campaign_context")`
  select business_zone(business.feature_flags) as timezone,
         ${preferredLanguage}, ${templateColumns}, ${senderColumns},
         ${missing("array[$4]", "steps", "and found.type = 'ticket' and found.archived_at is null")} as step,
         ${missing("array[$3]", "users", "and found.active")} as user, ${missing("$5", "tags")} as tags
  from businesses as business
  left join templates as template
    on template.business_id = business.id and template.id = $2 and template.deleted_at is null
  left join lateral (
    select * from senders
    where senders.business_id = business.id
      and senders.provider = case when template.provider = 'ProviderB' then '${providerBChannel}' else '${cloudChannel}' end
    order by senders.id limit 1
  ) as sender on true
  where business.id = $1`;

const missingContacts = statement("campaign_missing_contacts")`
  select ${missing("$2", "contacts", "and found.erased_at is null")} as ids from businesses as business where business.id = $1`;

const addCampaign = statement("campaign_add")`
  insert into campaigns (business_id, name, user_id, template_id, step_id, sender_id, tags, template, state,
                         starts_at, window_from, window_to, timezone, total)
  values ($1, $2, $3, $4, $5, $6, $7, $8, ${campaignMove.register.to}, coalesce($9, now()), $10, $11, $12, $13)
  returning id`;

const addRecipients = statement("campaign_add_recipients")`
  insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters)
  select $1, $2, $3 + row.position, row.contact_id, row.phone, row.parameters::text[]
  from unnest($4::bigint[], $5::text[], $6::text[]) with ordinality
    as row(contact_id, phone, parameters, position)`;

/** Reads why `campaign_claim` would skip contacts. Both statements must have the same conditions. */
const obstacles = statement("campaign_obstacles")`
  select id, opted_out_at is not null as "hasOptedOut", known_on is not null as "hasNoNumber"
  from contacts
  where business_id = $1 and id = any($2::bigint[]) and (opted_out_at is not null or known_on is not null)`;

/** Reads only the named fields, as a contact's fields may have 50,000 characters. */
const storedFields = statement("campaign_stored_fields")`
  select contact.id, jsonb_object_agg(wanted.name, contact.fields -> wanted.name) as fields
  from contacts as contact
  join unnest($3::text[]) as wanted(name) on contact.fields -> wanted.name is not null
  where contact.business_id = $1 and contact.id = any($2::bigint[])
  group by contact.id`;

type FieldsById = ReadonlyMap<number, Readonly<Record<string, string>>>;

async function readFields(
  queries: Queries,
  businessId: number,
  contactIds: readonly number[],
  names: readonly string[],
): Promise<FieldsById> {
  const values = [businessId, plainArray(contactIds), names];
  const rows = await queries.rows<{ id: number; fields: Readonly<Record<string, string>> }>(storedFields, values);
  return new Map(rows.map(({ id, fields }) => [id, fields]));
}

/**
 * The limit is for a calendar month in the business's time zone. An administrator can lower the limit below the usage;
 * `least` then makes the result 0 instead of negative.
 */
const remaining = statement("template_limit_remaining")`
  select monthly_template_limit(business.feature_flags)
         - least(monthly_template_limit(business.feature_flags), coalesce(usage.used, 0)) as remaining
  from businesses as business
  left join template_usage as usage
    on usage.business_id = business.id
       and usage.month = date_trunc('month', now() at time zone business_zone(business.feature_flags))::date
  where business.id = $1`;

/** `step`, `user` and `tags` contain the requested ids that the business does not have. */
type ContextRow = SenderColumns &
  Template &
  Pick<CampaignContext, "timezone" | "preferredLanguage"> &
  CampaignContext["missing"];

export class PostgresCampaignRegister implements CampaignRegister {
  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
  ) {}

  async context(request: CampaignRequest): Promise<CampaignContext | null> {
    const { businessId, templateId, userId, stepId, tags } = request;
    const values = [businessId, templateId, userId, stepId, tags];
    const [row] = await this.cells.of(businessId).rows<ContextRow>(context, values);
    if (!row) return null;
    return {
      timezone: row.timezone,
      preferredLanguage: row.preferredLanguage,
      template: joinedTemplate(row),
      sender: joinedSender(row, businessId, this.vault),
      missing: { step: row.step, user: row.user, tags: row.tags },
    };
  }

  async missingContacts(businessId: number, contactIds: readonly number[]): Promise<readonly number[]> {
    const values = [businessId, plainArray(contactIds)];
    const [row] = await this.cells.of(businessId).rows<{ ids: number[] }>(missingContacts, values);
    return row?.ids ?? [];
  }

  async obstacles(businessId: number, contactIds: readonly number[]) {
    const values = [businessId, contactIds];
    const rows = await this.cells
      .of(businessId)
      .rows<{ id: number; hasOptedOut: boolean; hasNoNumber: boolean }>(obstacles, values);
    return new Map(rows.map((row) => [row.id, row]));
  }

  storedFields(businessId: number, contactIds: readonly number[], names: readonly string[]): Promise<FieldsById> {
    return readFields(this.cells.of(businessId), businessId, contactIds, names);
  }

  async remaining(businessId: number): Promise<number | null> {
    const [row] = await this.cells.of(businessId).rows<{ remaining: number | null }>(remaining, [businessId]);
    return row?.remaining ?? null;
  }
}

export class PostgresNewCampaigns implements NewCampaigns {
  private written: Promise<unknown> = Promise.resolve();

  constructor(private readonly transaction: Queries) {}

  /** Writes one batch while the next is read. */
  async add(campaign: NewCampaign, total: number, recipients: AsyncIterable<NewRecipient[]>): Promise<number> {
    const id = await this.addCampaign(campaign, total);
    let position = 0;
    for await (const rows of inChunks(recipients)) {
      await this.written;
      this.written = this.addRecipients(campaign.businessId, id, position, rows);
      // A rejection is thrown where `written` is awaited. The empty handler prevents an unhandled rejection till then.
      this.written.catch(() => {});
      position += rows.length;
    }
    await this.written;
    return id;
  }

  /** Waits for the open write, because a transaction runs one statement at a time. */
  async storedFields(businessId: number, contactIds: readonly number[], names: readonly string[]): Promise<FieldsById> {
    await this.written;
    return readFields(this.transaction, businessId, contactIds, names);
  }

  private addRecipients(businessId: number, id: number, from: number, rows: readonly NewRecipient[]): Promise<unknown> {
    return this.transaction.rows(addRecipients, [
      businessId,
      id,
      from,
      plainArray(rows.map(({ contactId }) => contactId)),
      textArray(rows.map(({ phone }) => phone)),
      // Each list of parameters is sent as a text, because PostgreSQL's nested arrays must all have the same length.
      textArray(rows.map(({ parameters }) => textArray(parameters))),
    ]);
  }

  private async addCampaign(campaign: NewCampaign, total: number): Promise<number> {
    const { businessId, name, userId, stepId, senderId, tags, template, startsAt, window, timezone } = campaign;
    const [row] = await this.transaction.rows<{ id: number }>(addCampaign, [
      businessId,
      name,
      userId,
      template.id,
      stepId,
      senderId,
      tags,
      JSON.stringify(template),
      startsAt,
      window?.from ?? null,
      window?.to ?? null,
      timezone,
      total,
    ]);
    if (!row) throw new Error(`no campaign was created in business ${businessId}`);
    return row.id;
  }
}

async function* inChunks(recipients: AsyncIterable<readonly NewRecipient[]>): AsyncGenerator<NewRecipient[]> {
  let chunk: NewRecipient[] = [];
  let characters = 0;
  for await (const some of recipients) {
    for (const recipient of some) {
      chunk.push(recipient);
      for (const parameter of recipient.parameters) characters += parameter.length;
      if (chunk.length < mostAtATime.rows && characters < mostAtATime.characters) continue;
      yield chunk;
      chunk = [];
      characters = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}
