import { dayOf } from "../../src/kernel/instants.ts";
import type { SandboxAd, SandboxAdAccount, SandboxAdCampaign } from "../../src/sandbox/sandbox.ts";
import type { World } from "../support/world.ts";

/** The date `ago` days ago, in the ad account's time zone. */
export const day = (ago: number): string => dayOf(new Date(Date.now() - ago * 86_400_000), "America/La_Paz");

export const anAd = (id: string, spend: Readonly<Record<string, string>> = {}, more: Partial<SandboxAd> = {}) => ({
  id,
  name: `Anuncio ${id}`,
  thumbnailUrl: `https://media.test/${id}-small.jpg`,
  imageUrl: `https://media.test/${id}.jpg`,
  spend,
  ...more,
});

/** A campaign with one ad set for each list of ads. */
export const aCampaign = (
  id: string,
  adSets: readonly (readonly SandboxAd[])[],
  more: Partial<SandboxAdCampaign> = {},
): SandboxAdCampaign => ({
  id,
  name: `Campaña ${id}`,
  adSets: adSets.map((ads, index) => ({ id: `${id}9${index}`, name: `Conjunto ${index + 1}`, ads })),
  ...more,
});

export const anAccount = (
  accountId: string,
  campaigns: readonly SandboxAdCampaign[],
): Omit<SandboxAdAccount, "token"> => ({
  accountId,
  name: `Cuenta ${accountId}`,
  currency: "USD",
  timezone: "America/La_Paz",
  campaigns,
});

interface Registered {
  readonly adId: string | null;
  readonly type?: "sale" | "quotation";
  readonly closed?: boolean;
  readonly at?: string;
  readonly businessId?: number;
}

/** Records a sale or a quotation directly in the database, without `POST /registros`. */
export const register = (world: World, { adId, type = "sale", closed = true, at, businessId = 1 }: Registered) =>
  world.rows(
    `insert into registrations (business_id, type, chat_id, closed, ad_id, at, amount, currency, base_amount, rate,
                                rate_date, source)
     values ($1, $2, $3, $4, $5, $6, 100, 'BOB', 100, 1, '2026-03-10', 'message')`,
    [businessId, type, businessId * 100 + 1, closed, adId, at ?? "2026-05-10T12:00:00Z"],
  );

/** A conversation that began from an ad. */
export const begin = (world: World, adId: string, at = "2026-05-10T12:00:00Z", businessId = 1) =>
  world.rows(
    `insert into conversations (business_id, chat_id, state, ad_id, created_at, closed_at)
     values ($1, $2, 'bot', $3, $4, now())`,
    [businessId, businessId * 100 + 1, adId, at],
  );
