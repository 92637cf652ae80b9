import type { Cells } from "../../../../infra/postgres/cells.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { agentRole } from "../../../../kernel/ids.ts";
import type { TokenVault } from "../../../../kernel/token-vault.ts";
import type { TemplateCatalog, TemplateListing, TemplateRecord } from "../../../application/templates/ports.ts";
import type { Template } from "../../../domain/template.ts";
import { cloudSender, joinedSender, type SenderColumns, senderColumns } from "../sends/senders.ts";

/** The columns of the row `template` that make a `Template`. A result row may have more columns. */
export const templateColumns = `
  template.id, template.name, template.platform_name as "platformName", template.body, template.structure,
  template.header_type as "headerType", template.file_name as "fileName", template.provider,
  template.provider_b_id as "providerBId"`;

/** For a left join: null if the row has no template. */
export const joinedTemplate = (row: Template): Template | null => (row.id === null ? null : row);

/** The language in which the business in the row `business` sends templates that have no language. */
export const preferredLanguage = `coalesce(business.feature_flags->>'template_language', 'es') as "preferredLanguage"`;

/**
 * §1.3: true if the row `users` may send the row `template`. Only agents are restricted, and a send without a user is
 * allowed.
 */
export const maySend = `(
  users.role_id is distinct from ${agentRole} or coalesce(trim(template.allowed_agents), '') = ''
  or users.id::text = any(string_to_array(regexp_replace(template.allowed_agents, '\\s', '', 'g'), ',')))`;

/** §1.1 to §1.3. A user without templates gets one row with a null template, which shows that the user exists. */
const listing = statement("template_listing")`
  select ${preferredLanguage}, ${senderColumns}, ${templateColumns}, template.business_id as "businessId",
         template.buttons, template.code, template.allowed_agents as "allowedAgents",
         template.contact_variables as "contactVariables", template.articles, template.version,
         template.created_by_ai as "createdByAi", template.created_at as "createdAt",
         template.updated_at as "updatedAt"
  from businesses as business
  join users on users.business_id = business.id and users.id = $2
  ${cloudSender}
  left join templates as template
    on template.business_id = business.id and template.visible and template.deleted_at is null and ${maySend}
  where business.id = $1
  order by template.id limit 6000`;

interface ListedRow extends SenderColumns, TemplateRecord {
  readonly preferredLanguage: string;
}

export class PostgresTemplateCatalog implements TemplateCatalog {
  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
  ) {}

  async listing(businessId: number, userId: number): Promise<TemplateListing | null> {
    const rows = await this.cells.of(businessId).rows<ListedRow>(listing, [businessId, userId]);
    const [first] = rows;
    if (!first) return null;
    return {
      preferredLanguage: first.preferredLanguage,
      sender: joinedSender(first, businessId, this.vault),
      templates: rows.filter(({ id }) => id !== null),
    };
  }
}
