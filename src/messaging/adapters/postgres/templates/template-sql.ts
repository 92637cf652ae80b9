import { agentRole } from "../../../../kernel/roles.ts";
import type { Template, TemplateStructure } from "../../../domain/template.ts";

/** Columns of the row `template` that `toTemplate` reads. */
export const templateColumns = `
  template.id as template_id, template.name as template_name, template.platform_name, template.body,
  template.structure, template.header_type, template.file_name, template.provider as template_provider,
  template.provider_b_id`;

export interface TemplateColumns {
  readonly template_id: number;
  readonly template_name: string;
  readonly platform_name: string;
  readonly body: string;
  readonly structure: TemplateStructure | null;
  readonly header_type: string | null;
  readonly file_name: string | null;
  readonly template_provider: string;
  readonly provider_b_id: string | null;
}

export const toTemplate = (row: TemplateColumns): Template => ({
  id: row.template_id,
  name: row.template_name,
  platformName: row.platform_name,
  body: row.body,
  structure: row.structure,
  headerType: row.header_type,
  fileName: row.file_name,
  provider: row.template_provider,
  providerBId: row.provider_b_id,
});

/** The language that the row `business` prefers for templates that name none. */
export const preferredLanguage = `coalesce(business.feature_flags->>'template_language', 'es') as preferred_language`;

/** §1.3: whether the user of that row may send the row `template`; only agents are restricted, and nobody is none. */
export const maySend = (user: string): string => `(
  ${user}.role_id is distinct from ${agentRole} or coalesce(trim(template.allowed_agents), '') = ''
  or ${user}.id::text = any(string_to_array(regexp_replace(template.allowed_agents, '\\s', '', 'g'), ',')))`;
