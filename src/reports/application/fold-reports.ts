import { timezoneOf } from "../../kernel/instants.ts";
import type { ReportFolds } from "./ports.ts";

/** Counts the days of all businesses that are over, and anew those in which something changed late. */
export class FoldReports {
  constructor(
    private readonly folds: ReportFolds,
    private readonly onFailure: (error: unknown, businessId: number) => void,
  ) {}

  /** Ends early when the signal says so: the rest is folded the next time, and counted from its rows until then. */
  async execute(signal?: AbortSignal): Promise<void> {
    const horizon = await this.folds.horizon();
    for (const { businessId, timezone } of await this.folds.due(horizon)) {
      if (signal?.aborted) return;
      await this.foldAll(businessId, timezoneOf(timezone), horizon, signal).catch((error: unknown) =>
        this.onFailure(error, businessId),
      );
    }
  }

  /** Forgets all figures of the business and counts them again from its rows; false when there is no such business. */
  async rebuild(businessId: number): Promise<boolean> {
    const business = await this.folds.forget(businessId);
    if (!business) return false;
    await this.foldAll(businessId, timezoneOf(business.timezone), await this.folds.horizon());
    return true;
  }

  private async foldAll(businessId: number, timezone: string, horizon: Date, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.folds.foldSome(businessId, timezone, horizon)));
  }
}
