import type { FairQueue } from "../../../kernel/fair-queue.ts";
import { sumsOf } from "../../../kernel/sums.ts";

/** Refuses new work for an overloaded database. */
export type Admission = Pick<FairQueue, "check" | "isOverloaded" | "refusalReason" | "settings" | "stats">;

export class MultipleQueues implements Admission {
  constructor(
    private readonly all: readonly [Admission, ...Admission[]],
    private readonly of: (businessId: number) => Admission,
  ) {}

  get settings(): Admission["settings"] {
    return this.all[0].settings;
  }

  get isOverloaded(): boolean {
    return this.all.some((gate) => gate.isOverloaded);
  }

  check(key: number): void {
    this.of(key).check(key);
  }

  refusalReason(key: number, least?: number): "own" | "all" | undefined {
    return this.of(key).refusalReason(key, least);
  }

  stats(): { readonly running: number; readonly waiting: number } {
    return sumsOf(this.all.map((gate) => gate.stats()));
  }
}
