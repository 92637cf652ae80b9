import type { ReportPage } from "../../src/reports/application/ports.ts";
import type {
  AdFigures,
  AgentFigures,
  BusinessReport,
  DayFigures,
  QuotationTally,
  Tally,
} from "../../src/reports/domain/report.ts";

interface SampleBusiness {
  readonly id: number;
  readonly name?: string;
  readonly currency?: string;
  readonly days?: number;
  readonly agents?: readonly string[];
  readonly tags?: readonly string[];
  readonly ads?: readonly string[] | null;
  readonly isAdPlatformSilent?: boolean;
  /** A report without records. */
  readonly isEmpty?: boolean;
}

/** A generator of numbers that look random. The same seed always gives the same numbers. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    return state % below;
  };
}

const from = new Date("2026-03-01T04:00:00Z");
const dayMs = 86_400_000;

const split = (whole: Tally, parts: number): Tally => ({
  count: Math.floor(whole.count / parts),
  amount: whole.amount / BigInt(parts),
});
const rest = (whole: Tally, ...taken: readonly Tally[]): Tally => ({
  count: taken.reduce((left, { count }) => left - count, whole.count),
  amount: taken.reduce((left, { amount }) => left - amount, whole.amount),
});
const bySource = (whole: Tally): QuotationTally => ({
  ...whole,
  fromPdf: split(whole, 2),
  fromMessage: split(whole, 4),
});

const rate = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100);

/** Plausible figures. Totals and rates agree with the days, but the figures of agents and ads do not. */
function sampleReport(business: SampleBusiness): { report: BusinessReport; days: DayFigures[] } {
  const { id, name = `Sucursal ${id}`, currency = "BOB", days: length = 31, isEmpty = false } = business;
  const next = isEmpty ? () => 0 : numbers(id + 7);
  const days = Array.from({ length }, (_, index): DayFigures => {
    const weekend = index % 7 === 0 ? 2 : 1;
    const [sales, quotations] = [Math.floor(next(14) / weekend), Math.floor(next(24) / weekend)];
    return {
      day: new Date(from.getTime() + index * dayMs).toISOString().slice(0, 10),
      conversations: Math.floor(next(90) / weekend),
      sales: { count: sales, amount: BigInt(sales * (4_000 + next(21_000))) },
      quotations: { count: quotations, amount: BigInt(quotations * (5_000 + next(26_000))) },
    };
  });
  const sum = (of: (day: DayFigures) => Tally): Tally => ({
    count: days.reduce((total, day) => total + of(day).count, 0),
    amount: days.reduce((total, day) => total + of(day).amount, 0n),
  });
  const conversations = days.reduce((total, day) => total + day.conversations, 0);
  const sales = sum((day) => day.sales);
  const quotations = sum((day) => day.quotations);
  const adSales = split(sales, 3);
  const adQuotations = bySource(split(quotations, 4));
  const organicQuotations = bySource(rest(quotations, adQuotations));
  const agentNames = business.agents ?? ["Ana Quispe", "Bruno Mamani", "Carla Rojas", "Diego Flores", "Elena Vargas"];
  const agents = agentNames.map((agent, index): AgentFigures => {
    const [completed, cancelled, pending, inProgress] = [next(60), next(9), next(14), next(18)];
    return {
      id: id * 1_000 + index,
      name: agent,
      tickets: { completed, cancelled, pending, inProgress, total: completed + cancelled + pending + inProgress },
      sales: { count: next(40), amount: BigInt(next(900_000)) },
      quotations: { count: next(80), amount: BigInt(next(1_900_000)) },
    };
  });
  const tagNames = business.tags ?? ["Interesado", "Pagó", "Reclamo", "Mayorista", "Delivery", "Recoge", "Cumpleaños"];
  const tags = tagNames.map((tag) => ({ name: tag, count: 1 + next(200) })).sort((a, b) => b.count - a.count);
  const adNames = business.ads === undefined ? ["Oferta de marzo", "Combo familiar", "Delivery gratis"] : business.ads;
  const ads =
    adNames?.map(
      (ad, index): AdFigures => ({
        adId: `12020${id}${index}`,
        name: ad,
        imageUrl: "https://images.test/ad.png",
        spend: next(40_000) / 100,
        currency: "USD",
        sales: { count: next(30), amount: BigInt(next(800_000)) },
        quotations: { count: next(50), amount: BigInt(next(900_000)) },
        records: [],
      }),
    ) ?? null;
  const owner = { id, name, imageUrl: "https://images.test/logo.png", currency, timezone: "America/La_Paz", flags: {} };
  const report: BusinessReport = {
    business: owner,
    period: { from, until: new Date(from.getTime() + length * dayMs) },
    conversations,
    sales: { all: sales, fromAds: adSales, organic: rest(sales, adSales) },
    quotations: { all: bySource(quotations), fromAds: adQuotations, organic: organicQuotations },
    rates: {
      salesPerConversation: rate(sales.count, conversations),
      quotationsPerConversation: rate(quotations.count, conversations),
      salesPerQuotation: rate(sales.count, quotations.count),
    },
    temperatures: isEmpty ? { ai: 0, agent: 0 } : { ai: 61.25, agent: 54.5 },
    tags: isEmpty && !business.tags ? [] : tags,
    agents,
    ads: isEmpty && ads ? [] : ads,
    isAdPlatformSilent: business.isAdPlatformSilent ?? false,
  };
  return { report, days };
}

export function samplePage(businesses: readonly SampleBusiness[]): ReportPage {
  const samples = businesses.map(sampleReport);
  return {
    reports: samples.map(({ report }) => report),
    daily: samples.map(({ report, days }) => ({ business: report.business, days })),
    madeAt: new Date("2026-04-01T12:34:00Z"),
  };
}
