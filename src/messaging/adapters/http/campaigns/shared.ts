import { type Dialect, type InvalidInput, plainDialect } from "../../../../infra/http/routing/dialect.ts";
import {
  arrayOf,
  boolean,
  integer,
  numericIdOf,
  objectWith,
  problem,
  type Schema,
} from "../../../../infra/http/routing/schema.ts";
import type { CampaignReads, CampaignStatus } from "../../../application/campaigns/operator-ports.ts";
import { CampaignNotFound } from "../../../domain/campaign.ts";

const params = objectWith({ id: numericIdOf("campaign") });

export const listOf = (items: Schema) =>
  objectWith({ data: arrayOf(items), total: integer, page: integer, hasNextPage: boolean });

export const listDialect: Dialect<InvalidInput> = {
  ...plainDialect,
  invalid_input: (error) => [400, { message: error.message }],
};

export const dialect: Dialect<InvalidInput | CampaignNotFound> = {
  ...listDialect,
  campaign_not_found: () => [404, { message: "Campaña no encontrada" }],
};

/** All routes about one campaign have these parts. */
export const common = {
  tag: "Campaigns",
  auth: "key-or-session",
  forAdministrators: true,
  params,
  dialect,
} as const;

export const failures = {
  400: { description: "A parameter is wrong", schema: problem },
  404: { description: "No such campaign", schema: problem },
  500: { description: "Unexpected failure", schema: problem },
} as const;

/** Throws `CampaignNotFound` if the business has no such campaign. */
export async function demanded(reads: CampaignReads, businessId: number, id: number): Promise<CampaignStatus> {
  const status = await reads.status(businessId, id);
  if (!status) throw new CampaignNotFound(`campaign ${id} of business ${businessId}`);
  return status;
}
