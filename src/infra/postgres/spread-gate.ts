import type { FairGate } from "../../kernel/fair-gate.ts";

/** What turns new work away where a database has more than it can do. */
export type Admission = Pick<FairGate, "check" | "isCrowded" | "objection" | "settings" | "stats">;

/** Of several cells, each with connections of its own. */
export class SpreadGate implements Admission {
  /** @param of - that of the cell in which the business lives */
  constructor(
    private readonly all: readonly [Admission, ...Admission[]],
    private readonly of: (businessId: number) => Admission,
  ) {}

  get settings(): Admission["settings"] {
    return this.all[0].settings;
  }

  get isCrowded(): boolean {
    return this.all.some((gate) => gate.isCrowded);
  }

  check(key: number): void {
    this.of(key).check(key);
  }

  objection(key: number): "own" | "all" | undefined {
    return this.of(key).objection(key);
  }

  stats(): { readonly running: number; readonly waiting: number } {
    const all = this.all.map((gate) => gate.stats());
    const sum = (of: "running" | "waiting") => all.reduce((total, each) => total + each[of], 0);
    return { running: sum("running"), waiting: sum("waiting") };
  }
}
