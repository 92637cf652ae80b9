import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { Database, Queries } from "./database.ts";

export class PostgresUnitOfWork<Stores> implements UnitOfWork<Stores> {
  constructor(
    private readonly database: Database,
    private readonly storesOn: (transaction: Queries) => Stores,
  ) {}

  run<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> {
    return this.database.transaction((transaction) => work(this.storesOn(transaction)));
  }
}
