import type { AdsFixture } from "../fixtures/businesses/business.ts";
import { dayMs, dayOf } from "../kernel/instants.ts";
import { Random } from "../sandbox/core/random.ts";
import type { SandboxAd, SandboxAdCampaign } from "../sandbox/sandbox.ts";

/** The id of a business's ad with this number, from 1 to 6. */
export const demoAdId = (businessId: number, ad: number): string => `120200000000${businessId - 1}0${ad}`;

const demoCampaignId = (businessId: number, campaign: number): string => `120210000000${businessId - 1}0${campaign}`;

const days = 90;

interface Sketch {
  readonly name: string;
  readonly status: "ACTIVE" | "PAUSED";
  /** Cents. */
  readonly budget: string | undefined;
  readonly adSets: readonly { readonly name: string; readonly ads: readonly number[] }[];
  /** The number of days since the campaign last spent money. */
  readonly lastDay: number;
}

const sketches: readonly Sketch[] = [
  {
    name: "Almuerzos a domicilio",
    status: "ACTIVE",
    budget: "350000",
    adSets: [
      { name: "Sopocachi y centro", ads: [1, 2] },
      { name: "Zona sur", ads: [3] },
    ],
    lastDay: 0,
  },
  {
    name: "Fines de semana en familia",
    status: "ACTIVE",
    budget: undefined,
    adSets: [{ name: "Familias", ads: [4] }],
    lastDay: 1,
  },
  {
    name: "Aniversario",
    status: "PAUSED",
    budget: "120000",
    adSets: [{ name: "Clientes frecuentes", ads: [5, 6] }],
    lastDay: 20,
  },
  { name: "Borrador", status: "PAUSED", budget: "50000", adSets: [{ name: "Por definir", ads: [] }], lastDay: 0 },
];

const adNames = ["Silpancho familiar", "Sopa de maní", "Delivery gratis", "Domingo de pique", "10 años", "2x1"];

export function demoAds(businessId: number, now: Date): AdsFixture {
  const random = new Random(businessId * 7);
  const campaigns = sketches.map((sketch, index) => campaignOf(sketch, index + 1, { businessId, now, random }));
  return {
    token: `demo-ads-token-${businessId}`,
    defaultAccountId: `act_${businessId}`,
    accounts: [
      {
        accountId: `act_${businessId}`,
        name: "Cuenta principal",
        currency: "USD",
        timezone: "America/La_Paz",
        campaigns,
      },
    ],
  };
}

interface Plan {
  readonly businessId: number;
  readonly now: Date;
  readonly random: Random;
}

function campaignOf({ name, status, budget, adSets, lastDay }: Sketch, number: number, plan: Plan): SandboxAdCampaign {
  const { businessId, now } = plan;
  const id = demoCampaignId(businessId, number);
  return {
    id,
    name,
    status,
    lifetimeBudget: budget,
    budgetRemaining: budget === undefined ? "0" : String(Number(budget) / 4),
    startTime: `${daysAgo(now, days)}T08:00:00-0400`,
    stopTime: status === "PAUSED" ? `${daysAgo(now, lastDay)}T20:00:00-0400` : undefined,
    adSets: adSets.map((adSet, index) => ({
      id: `${id}${index + 1}`,
      name: adSet.name,
      ads: adSet.ads.map((ad) => adOf(ad, lastDay, plan)),
    })),
  };
}

function adOf(ad: number, lastDay: number, { businessId, now, random }: Plan): SandboxAd {
  const name = adNames[ad - 1] ?? `Anuncio ${ad}`;
  const spend = Array.from({ length: days - lastDay }, (_, index) => {
    const amount = (random.between(150, 1_900) / 100).toFixed(2);
    return [daysAgo(now, lastDay + index), amount] as const;
  });
  return {
    id: demoAdId(businessId, ad),
    name,
    // The second ad was copied from the first.
    sourceAdId: ad === 2 ? demoAdId(businessId, 1) : undefined,
    thumbnailUrl: `https://media.example.com/${businessId}/ad-${ad}-small.jpg`,
    imageUrl: `https://media.example.com/${businessId}/ad-${ad}.jpg`,
    spend: Object.fromEntries(spend),
  };
}

const daysAgo = (now: Date, ago: number): string => dayOf(new Date(now.getTime() - ago * dayMs), "America/La_Paz");
