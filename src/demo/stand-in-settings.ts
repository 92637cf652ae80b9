import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { sandboxAccountsOf, sandboxAdAccountsOf, sandboxSendersOf } from "../fixtures/businesses/platforms.ts";
import { Database } from "../infra/postgres/database.ts";
import type { SandboxTemplate } from "../sandbox/sandbox.ts";

/** By business id. */
type SubmittedTemplates = ReadonlyMap<number, readonly SandboxTemplate[]>;

/**
 * The settings of the stand-ins for these businesses.
 * @param submitted - templates that earlier starts submitted; the stand-ins lost them when they stopped
 * @param service - the service's address
 */
export const standInSettings = (
  businesses: readonly BusinessFixture[],
  submitted: SubmittedTemplates,
  service: string,
) => ({
  accounts: sandboxAccountsOf(businesses).map((account, index) => ({
    ...account,
    templates: [...account.templates, ...(submitted.get(businesses[index]?.id ?? 0) ?? [])],
    // The stand-in accepts messages to these customers at any time, even if they wrote long ago.
    people: businesses[index]?.threads.map(({ phone }) => phone),
  })),
  ...sandboxSendersOf(businesses, service),
  adAccounts: sandboxAdAccountsOf(businesses),
});

const limits = { statementTimeoutMs: 5_000, connectTimeoutMs: 5_000 };
/** The limit of templates to read, for all businesses together. A stand-in accepts this number for each business. */
const most = 6_000;

interface Submitted {
  readonly businessId: number;
  readonly name: string;
  readonly status: string;
  readonly structure: Pick<SandboxTemplate, "language" | "category" | "components">;
}

/**
 * Reads the templates of the cloud channel, each with the last status that the platform reported. If a business has
 * orders, no later start submits its templates. If none of them has a status, all of them count as approved.
 */
export async function submittedTemplates(url: string): Promise<SubmittedTemplates> {
  const database = Database.open({ url, poolSize: 1, ...limits, applicationName: "recado demo" }, () => {});
  const rows = await database.rows<Submitted>(statement, [most]).finally(() => database.close());
  const found = new Map<number, SandboxTemplate[]>();
  for (const { businessId, name, status, structure } of rows) {
    const { language, category, components } = structure;
    found.set(businessId, [...(found.get(businessId) ?? []), { name, language, status, category, components }]);
  }
  return found;
}

const statement = {
  name: "",
  text: `
    select business_id as "businessId", platform_name as name, coalesce(platform_status, 'APPROVED') as status, structure
    from templates as template
    where provider = 'Cloud' and jsonb_typeof(structure -> 'components') = 'array'
      and (platform_status is not null
           or exists (select from orders where orders.business_id = template.business_id)
              and not exists (
                select from templates as other
                where other.business_id = template.business_id and other.platform_status is not null))
    order by business_id, id limit $1`,
};
