import { textArray } from "../../../../infra/postgres/arrays.ts";
import type { Cells } from "../../../../infra/postgres/cells.ts";
import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
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
import type { Template } from "../../../domain/template.ts";
import { joinedSender, type SenderColumns, senderColumns } from "../sends/senders.ts";
import { joinedTemplate, preferredLanguage, templateColumns } from "../templates/template-catalog.ts";
import { campaignMove } from "./campaign-sql.ts";

/** Recipients that go to the database in one statement: large enough to be fast, small enough not to hold up others. */
const rowsAtATime = 10_000;

const missing = (ids: string, table: string, also = "") => `
  array(select wanted.id from unnest(${ids}::bigint[]) as wanted(id)
        where not exists (select from ${table} as found
                          where found.business_id = business.id and found.id = wanted.id ${also})
        order by wanted.id limit 20)`;

const context: Statement = {
  name: "campaign_context",
  text: `
    select business_zone(business.feature_flags) as timezone,
           ${preferredLanguage}, ${templateColumns}, ${senderColumns},
           ${missing("$5", "contacts")} as contacts, ${missing("array[$4]", "steps", "and found.type = 'ticket'")} as step,
           ${missing("array[$3]", "users", "and found.active")} as user, ${missing("$6", "tags")} as tags
    from businesses as business
    left join templates as template
      on template.business_id = business.id and template.id = $2 and template.deleted_at is null
    left join lateral (
      select * from senders
      where senders.business_id = business.id
        and senders.provider = case when template.provider = 'ProviderB' then '${providerBChannel}' else '${cloudChannel}' end
      order by senders.id limit 1
    ) as sender on true
    where business.id = $1`,
};

const addCampaign: Statement = {
  name: "campaign_add",
  text: `
    insert into campaigns (business_id, name, user_id, template_id, step_id, sender_id, tags, template, state,
                           starts_at, window_from, window_to, timezone, total)
    values ($1, $2, $3, $4, $5, $6, $7, $8, ${campaignMove.register.to}, coalesce($9, now()), $10, $11, $12, $13)
    returning id`,
};

const addRecipients: Statement = {
  name: "campaign_add_recipients",
  text: `
    insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters)
    select $1, $2, $3 + row.position, row.contact_id, row.phone, row.parameters::text[]
    from unnest($4::bigint[], $5::text[], $6::text[]) with ordinality
      as row(contact_id, phone, parameters, position)`,
};

const optedOut: Statement = {
  name: "campaign_opted_out",
  text: `
    select id from contacts where business_id = $1 and id = any($2::bigint[]) and opted_out_at is not null`,
};

/** The month is the calendar's in the business's time zone. */
const remaining: Statement = {
  name: "template_limit_remaining",
  text: `
    select monthly_template_limit(business.feature_flags) - coalesce(usage.used, 0) as remaining
    from businesses as business
    left join template_usage as usage
      on usage.business_id = business.id
         and usage.month = date_trunc('month', now() at time zone business_zone(business.feature_flags))::date
    where business.id = $1`,
};

/** With the ids of each kind that the business does not have. */
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
    const { businessId, templateId, userId, stepId, contactIds, tags } = request;
    const values = [businessId, templateId, userId, stepId, contactIds, tags];
    const [row] = await this.cells.of(businessId).rows<ContextRow>(context, values);
    if (!row) return null;
    return {
      timezone: row.timezone,
      preferredLanguage: row.preferredLanguage,
      template: joinedTemplate(row),
      sender: joinedSender(row, businessId, this.vault),
      missing: { contacts: row.contacts, step: row.step, user: row.user, tags: row.tags },
    };
  }

  async optedOut(businessId: number, contactIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.cells.of(businessId).rows<{ id: number }>(optedOut, [businessId, contactIds]);
    return new Set(rows.map(({ id }) => id));
  }

  async remaining(businessId: number): Promise<number | null> {
    const [row] = await this.cells.of(businessId).rows<{ remaining: number | null }>(remaining, [businessId]);
    return row?.remaining ?? null;
  }
}

export class PostgresNewCampaigns implements NewCampaigns {
  constructor(private readonly transaction: Queries) {}

  async add(campaign: NewCampaign, recipients: readonly NewRecipient[]): Promise<number> {
    const id = await this.addCampaign(campaign, recipients.length);
    for (let from = 0; from < recipients.length; from += rowsAtATime) {
      const rows = recipients.slice(from, from + rowsAtATime);
      await this.transaction.rows(addRecipients, [
        campaign.businessId,
        id,
        from,
        rows.map(({ contactId }) => contactId),
        rows.map(({ phone }) => phone),
        // Arrays of arrays cannot have rows of different lengths.
        rows.map(({ parameters }) => textArray(parameters)),
      ]);
    }
    return id;
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
    if (!row) throw new Error(`no campaign was made in business ${businessId}`);
    return row.id;
  }
}
