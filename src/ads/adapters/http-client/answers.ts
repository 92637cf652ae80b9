import type { Fields } from "../../../infra/http-client/json.ts";
import { instantOf } from "../../../kernel/instants.ts";
import {
  type Ad,
  type AdAccount,
  type AdCreative,
  type AdSet,
  type Campaign,
  type CampaignFacts,
  type Insights,
  spendOf,
} from "../../domain/ads.ts";
import { AdPlatformUnavailable } from "../../domain/failures.ts";

/** This file reads the platform's answers strictly, so that a malformed answer never becomes a wrong number. */

export interface List {
  readonly data: readonly unknown[];
  readonly paging: Paging;
}

export interface Paging {
  /** The address of the next page; null on the last one. */
  readonly next: string | null;
  /** The cursor of the next page. */
  readonly after: string | null;
}

/** @param where - names the place in the answer, but never its content */
const malformed = (where: string): AdPlatformUnavailable =>
  new AdPlatformUnavailable(`the ad platform's answer cannot be understood: ${where}`);

function objectOf(value: unknown, where: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(where);
  return value as Fields;
}

/** A list with its paging. The platform leaves empty lists out of its answers; null is malformed. */
export function listOf(value: unknown, where: string): List {
  if (value === undefined) return { data: [], paging: { next: null, after: null } };
  const { data, paging } = objectOf(value, where);
  if (!Array.isArray(data)) throw malformed(`${where}.data`);
  return { data, paging: pagingOf(paging, where) };
}

function pagingOf(value: unknown, where: string): Paging {
  const { next, cursors } = isAbsent(value) ? {} : objectOf(value, `${where}.paging`);
  if (isAbsent(next)) return { next: null, after: null };
  if (typeof next !== "string" || next === "") throw malformed(`${where}.paging.next`);
  const { after } = isAbsent(cursors) ? {} : objectOf(cursors, `${where}.paging.cursors`);
  if (typeof after === "string" && after !== "") return { next, after };
  return { next, after: (URL.canParse(next) && new URL(next).searchParams.get("after")) || null };
}

export interface Readable<Item> {
  readonly item: Item;
  /** The paging of the item's list of ads. */
  readonly ads: Paging;
}

export function campaignOf(value: unknown): Readable<Campaign> & { readonly isActive: boolean } {
  const fields = objectOf(value, "campaign");
  const facts = campaignFactsOf(fields);
  const { data, paging } = listOf(fields.ads, "campaign.ads");
  const state = fields.effective_status ?? fields.status;
  return { item: { ...facts, ads: data.map(adOf) }, ads: paging, isActive: state === "ACTIVE" };
}

function campaignFactsOf(fields: Fields): CampaignFacts {
  return {
    id: textOf(fields.id, "campaign.id"),
    name: textOf(fields.name, "campaign.name", anyText),
    status: textOf(fields.status, "campaign.status"),
    lifetimeBudget: textOrNull(fields.lifetime_budget, "campaign.lifetime_budget", cents),
    budgetRemaining: textOrNull(fields.budget_remaining, "campaign.budget_remaining", cents),
    startTime: timeOf(fields.start_time, "campaign.start_time"),
    stopTime: timeOf(fields.stop_time, "campaign.stop_time"),
    insights: insightsOf(fields.insights),
  };
}

export function adSetOf(value: unknown): Readable<AdSet> {
  const fields = objectOf(value, "ad set");
  const { data, paging } = listOf(fields.ads, "ad set.ads");
  const campaign = objectOf(fields.campaign, "ad set.campaign");
  return {
    item: {
      id: textOf(fields.id, "ad set.id"),
      name: textOf(fields.name, "ad set.name", anyText),
      insights: insightsOf(fields.insights),
      ads: data.map(adOf),
      campaign: campaignFactsOf(campaign),
      accountId: textOrNull(campaign.account_id, "campaign.account_id"),
    },
    ads: paging,
  };
}

export function adOf(value: unknown): Ad {
  const fields = objectOf(value, "ad");
  return {
    id: textOf(fields.id, "ad.id"),
    name: textOf(fields.name, "ad.name", anyText),
    sourceAdId: textOrNull(fields.source_ad_id, "ad.source_ad_id"),
    insights: insightsOf(fields.insights),
    creatives: listOf(fields.adcreatives, "ad.adcreatives").data.map(creativeOf),
  };
}

export function accountOf(value: unknown): AdAccount {
  const fields = objectOf(value, "account");
  const { account_status: status } = fields;
  if (typeof status !== "number" || !Number.isSafeInteger(status)) throw malformed("account.account_status");
  return {
    id: textOf(fields.id, "account.id"),
    name: textOf(fields.name, "account.name", anyText),
    currency: textOf(fields.currency, "account.currency", currency),
    status,
  };
}

/** Requests ask for no breakdown, so the platform's answer has at most one row. */
function insightsOf(value: unknown): Insights {
  const { data, paging } = listOf(value, "insights");
  if (paging.next !== null || data.length > 1) throw malformed("insights: more than one row");
  return data.map((each) => {
    const row = objectOf(each, "insights row");
    const spend = textOf(row.spend, "insights.spend");
    if (spendOf(spend) === null) throw malformed("insights.spend");
    return { spend, currency: textOf(row.account_currency, "insights.account_currency", currency) };
  });
}

function creativeOf(value: unknown): AdCreative {
  const fields = objectOf(value, "creative");
  const optional = (name: string) => textOrNull(fields[name], `creative.${name}`);
  return { id: optional("id"), thumbnailUrl: optional("thumbnail_url"), imageUrl: optional("image_url") };
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

function textOf(value: unknown, where: string, form = /./s): string {
  if (typeof value !== "string" || !form.test(value)) throw malformed(where);
  return value;
}

const textOrNull = (value: unknown, where: string, form?: RegExp): string | null =>
  isAbsent(value) ? null : textOf(value, where, form);

/** Matches every text, also an empty one, because names may be empty. */
const anyText = /^/;
const currency = /^[A-Z]{3}$/;
const cents = /^\d{1,18}$/;

/** Adds the colon to the offset from UTC: the platform writes `+0000`, and clients get `+00:00`. */
function timeOf(value: unknown, where: string): string | null {
  if (isAbsent(value)) return null;
  if (typeof value !== "string" || !instantOf(value, "UTC")) throw malformed(where);
  return value.replace(/([+-]\d{2})(\d{2})$/, "$1:$2");
}
