import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { Reply } from "../../../infra/http/routing/route.ts";
import { integer, named, nullableText, objectWith, type Schema, text } from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import { type AdWithFigures, type CampaignFacts, datePresets, type Insights } from "../../domain/ads.ts";
import {
  AdPlatformBusy,
  type AdPlatformUnavailable,
  type MissingToken,
  type WrongCursor,
  type WrongPeriod,
} from "../../domain/failures.ts";

/** An id of the ad platform. It allows only characters that are safe in the path of a URL. */
export const platformId = { type: "string", pattern: "^[A-Za-z0-9_]{1,64}$" } as const;
export const preset = { enum: [...datePresets, "period"] } as const;
export const date = { type: "string", maxLength: 40, example: "2026-01-31" } as const;

/** A list in the platform's own form. */
export const listOf = <const Item extends Schema>(items: Item, bounds: { readonly maxItems?: number } = {}) =>
  objectWith({ data: { type: "array", ...bounds, items } });

export const insights = named(
  "AdInsights",
  listOf(objectWith({ account_currency: text, spend: text }), { maxItems: 1 }),
);

const adFields = {
  id: text,
  name: text,
  source_ad_id: nullableText,
  mensajes_iniciados: integer,
  ventas: integer,
  cotizaciones: integer,
  insights,
} as const;

const creative = objectWith({ id: nullableText, thumbnail_url: nullableText, image_url: nullableText });

const ad = named("Ad", objectWith(adFields));

export const adWithCreatives = named("AdWithCreatives", objectWith({ ...adFields, adcreatives: listOf(creative) }));

export const campaign = named(
  "AdCampaign",
  objectWith({
    id: text,
    name: text,
    status: text,
    lifetime_budget: nullableText,
    budget_remaining: nullableText,
    start_time: nullableText,
    stop_time: nullableText,
    sales_totales: integer,
    insights,
    ads: listOf(ad),
  }),
);

export const insightsToWire = (rows: Insights) => ({
  data: rows.map(({ spend, currency }) => ({ account_currency: currency, spend })),
});

export const adToWire = ({ id, name, sourceAdId, insights: rows, figures }: AdWithFigures) => ({
  id,
  name,
  source_ad_id: sourceAdId,
  mensajes_iniciados: figures.conversations,
  ventas: figures.sales,
  cotizaciones: figures.quotations,
  insights: insightsToWire(rows),
});

export const campaignToWire = (facts: CampaignFacts, sales: number, ads: readonly AdWithFigures[]) => ({
  id: facts.id,
  name: facts.name,
  status: facts.status,
  lifetime_budget: facts.lifetimeBudget,
  budget_remaining: facts.budgetRemaining,
  start_time: facts.startTime,
  stop_time: facts.stopTime,
  sales_totales: sales,
  insights: insightsToWire(facts.insights),
  ads: { data: ads.map(adToWire) },
});

const failed = (message: string) => ({ message });
const internal = failed("Internal server error");

/** How these endpoints answer failures. `orRetryLater` handles `AdPlatformBusy`. */
const dialect: Dialect<
  InvalidInput | BusinessNotFound | MissingToken | WrongPeriod | WrongCursor | AdPlatformUnavailable
> = {
  invalid_input: (error) => [400, failed(error.message)],
  business_not_found: () => [400, failed("No se encontró una empresa con ese id")],
  missing_token: () => [400, failed("Missing token")],
  wrong_period: ({ bound, problem }) => [
    400,
    failed(problem === "no-date" ? `${bound} debe ser una fecha ISO 8601` : "start no puede ser posterior a end"),
  ],
  wrong_cursor: () => [400, failed("after no es válido")],
  ad_platform_unavailable: () => [500, internal],
  unexpected: () => [500, internal],
};

export const common = {
  method: "get",
  tag: "Ads",
  auth: "key-or-token",
  lane: "ads",
  ownBusiness: "params.businessId",
  dialect,
} as const;

/** Answers `AdPlatformBusy` with 500 and a `Retry-After` header in seconds. */
export async function orRetryLater<Result>(work: Promise<Result>): Promise<Result | Reply> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AdPlatformBusy)) throw error;
    return new Reply(500, internal, { "Retry-After": String(error.retryAfterSeconds) });
  }
}

export const unavailable = {
  description: "Unexpected failure, or no usable answer of the ad platform in time",
  headers: { "Retry-After": "Seconds for which the ad platform accepts no requests, if that is the reason" },
} as const;

/** A rule that the three endpoints share. */
export const wholeOrFailed =
  "If the ad platform is slow, refuses or gives a malformed answer, the answer is 500 " +
  "`{ message: 'Internal server error' }`, never a partial list or a wrong number. The platform's answers are kept for a " +
  "minute; sales, quotations and conversations are counted for each request.";
