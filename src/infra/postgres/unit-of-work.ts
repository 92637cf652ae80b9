import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { Cells } from "./cells.ts";
import type { Cell, Queries } from "./database.ts";

export class PostgresUnitOfWork<Stores> implements UnitOfWork<Stores> {
  constructor(
    private readonly cells: Cells<Cell>,
    private readonly storesOn: (transaction: Queries) => Stores,
  ) {}

  run<Result>(businessId: number, work: (stores: Stores) => Promise<Result>): Promise<Result> {
    return this.cells.of(businessId).transaction((transaction) => work(this.storesOn(transaction)));
  }

  sweep<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result[]> {
    return this.cells.inEach((cell) => cell.transaction((transaction) => work(this.storesOn(transaction))));
  }
}
