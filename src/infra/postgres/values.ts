import type { Statement } from "./database.ts";

/** A statement with what goes into it. */
export interface StatementCall {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

const known = new Map<string, Statement>();

/**
 * Takes up values and hands out their places. The planner does not look into the inner select: it plans the same
 * whatever the value, so that PostgreSQL keeps the first plan. Planning anew takes as long as a page itself.
 */
export class Values {
  readonly values: unknown[] = [];
  readonly business: string;

  constructor(businessId: number) {
    this.business = this.add(businessId, "bigint");
  }

  add(value: unknown, type: string): string {
    return `(select $${this.values.push(value)}::${type})`;
  }

  /** Each combination of filters has a statement of its own, whose plan fits it. */
  callOf(name: string, write: () => string): StatementCall {
    const statement = known.get(name) ?? { name, text: write() };
    known.set(name, statement);
    return { statement, values: this.values };
  }
}
