import { idParam, isDay, oneOf, said } from "../shared/search-params.ts";
import { type Preset, presets } from "./periods.ts";

export const tabs = ["summary", "businesses", "agents", "tags", "ads", "campaigns"] as const;
export type Tab = (typeof tabs)[number];

export const measures = ["ventasAmount", "ventas", "cotizacionesAmount", "cotizaciones", "conversaciones"] as const;
export type Measure = (typeof measures)[number];

/** The filters of the reports in the URL. The default is the last 30 days of all businesses. */
export interface ReportSearch {
  readonly period?: Preset;
  /** The first day of a custom period, which also needs `to`. */
  readonly from?: string;
  readonly to?: string;
  readonly by?: Tab;
  /** The selected business of the group. */
  readonly business?: number;
  readonly measure?: Measure;
  /** The id of the column to sort by. A `-` before it reverses the order (see `sorted`). */
  readonly sort?: string;
  readonly account?: string;
  readonly campaign?: string;
  readonly active?: true;
}

/** The value if it can be an id of the ad platform. */
const platformIdIn = (value: unknown): string | undefined =>
  /^\w{1,64}$/.test(String(value ?? "")) ? String(value) : undefined;

export function reportSearch(given: Record<string, unknown>): ReportSearch {
  const { period, from, to, by, business, measure, sort, account, campaign, active } = given;
  const isRange = isDay(from) && isDay(to) && from <= to;
  return said<ReportSearch>({
    period: isRange ? undefined : oneOf(presets, period),
    from: isRange ? from : undefined,
    to: isRange ? to : undefined,
    by: oneOf(tabs, by),
    business: idParam(business),
    measure: oneOf(measures, measure),
    sort: /^-?\w{1,40}$/.test(String(sort ?? "")) ? String(sort) : undefined,
    account: platformIdIn(account),
    campaign: platformIdIn(campaign),
    active: active === true ? true : undefined,
  });
}
