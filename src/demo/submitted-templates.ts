import { Database } from "../infra/postgres/database.ts";
import type { SandboxTemplate } from "../sandbox/sandbox.ts";
import type { SubmittedTemplates } from "./known.ts";

const limits = { statementTimeoutMs: 5_000, connectTimeoutMs: 5_000 };
/** More than the businesses of the demo have; a stand-in takes no more of one. */
const most = 6_000;

interface Submitted {
  readonly businessId: number;
  readonly name: string;
  readonly status: string;
  readonly structure: Pick<SandboxTemplate, "language" | "category" | "components">;
}

/** What businesses submitted to the platform by now, in the state that it told of last. */
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
    select business_id as "businessId", platform_name as name, platform_status as status, structure from templates
    where platform_status is not null and jsonb_typeof(structure -> 'components') = 'array'
    order by business_id, id limit $1`,
};
