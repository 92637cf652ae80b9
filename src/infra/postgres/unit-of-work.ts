import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { Cells } from "./cells.ts";
import type { Database, Queries } from "./database.ts";

export class PostgresUnitOfWork<Stores> implements UnitOfWork<Stores> {
  constructor(
    private readonly cells: Cells<Pick<Database, "rows" | "transaction">>,
    private readonly storesOn: (transaction: Queries) => Stores,
  ) {}

  run<Result>(businessId: number, work: (stores: Stores) => Promise<Result>): Promise<Result> {
    return this.cells.of(businessId).transaction((transaction) => work(this.storesOn(transaction)));
  }

  async sweep<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result[]> {
    const results: Result[] = [];
    for (const cell of this.cells.each()) {
      results.push(await cell.transaction((transaction) => work(this.storesOn(transaction))));
    }
    return results;
  }
}
