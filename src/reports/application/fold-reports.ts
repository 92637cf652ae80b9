import { baseCurrency } from "../../kernel/currency.ts";
import { timezoneOf } from "../../kernel/instants.ts";
import { rateOf } from "../domain/currency.ts";
import type { Counting, FoldUnitOfWork, ReportFolds } from "./ports.ts";

/** Folds past days, and today up to the horizon, for all businesses. A day that changes later is folded again. */
export class FoldReports {
  constructor(
    private readonly folds: ReportFolds,
    private readonly unitOfWork: FoldUnitOfWork,
    private readonly onFailure: (error: unknown, businessId: number) => void,
  ) {}

  /** Stops early if the signal is aborted. Reports stay correct, and the next run folds the remaining days. */
  async execute(signal?: AbortSignal): Promise<void> {
    for (const { businessId, horizon, ...counting } of await this.folds.due()) {
      if (signal?.aborted) return;
      await this.foldAll(businessId, counting, horizon, signal).catch((error: unknown) =>
        this.onFailure(error, businessId),
      );
    }
  }

  /** Removes all folded days of the business and folds them again. Returns false if there is no such business. */
  async rebuild(businessId: number): Promise<boolean> {
    const counting = await this.unitOfWork.run(businessId, ({ folds }) => folds.forget(businessId));
    if (!counting) return false;
    await this.foldAll(businessId, counting, await this.folds.horizon(businessId));
    return true;
  }

  private async foldAll(businessId: number, counting: Counting, horizon: Date, signal?: AbortSignal): Promise<void> {
    await this.convertAll(businessId, counting, signal);
    const counted = { timezone: timezoneOf(counting.timezone), currency: baseCurrency(counting.currency) };
    const foldSome = () => this.unitOfWork.run(businessId, ({ folds }) => folds.foldSome(businessId, counted, horizon));
    while (!signal?.aborted && (await foldSome()));
  }

  /** A record without a rate for its day is not converted. Reports then count the record, but not its amount. */
  private async convertAll(businessId: number, counting: Counting, signal?: AbortSignal): Promise<void> {
    const currency = baseCurrency(counting.currency);
    const unconverted = await this.folds.unconverted(businessId, currency);
    const rates = unconverted.flatMap((each) => {
      const rate = rateOf(counting, each.currency, each.day);
      return rate === null ? [] : [{ ...each, rate }];
    });
    if (rates.length === 0) return;
    for (let last: number | null = 0; last !== null && !signal?.aborted; ) {
      const after: number = last;
      last = await this.unitOfWork.run(businessId, ({ folds }) =>
        folds.convertSome(businessId, currency, rates, after),
      );
    }
  }
}
