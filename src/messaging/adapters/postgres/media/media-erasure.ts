import { oneCell } from "../../../../infra/postgres/cells.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { PostgresMediaNames } from "./media-names.ts";

const withdraw = statement("media_erase")`
  with locked as (
    select name from media_files
    where business_id = $1 and name = any($2::text[]) and size is not null
    order by name
    for no key update
  )
  update media_files as file set size = null, reserved = size
  from locked where file.business_id = $1 and file.name = locked.name
  returning file.name`;

/**
 * Withdraws files in the transaction that erases the records with references to them. This is possible only because
 * the register of files is in the same database.
 */
export class PostgresMediaErasure {
  private readonly names: PostgresMediaNames;

  constructor(private readonly transaction: Queries) {
    this.names = new PostgresMediaNames(oneCell(transaction));
  }

  async withdraw(businessId: number, names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const named = new Set(await this.names.among({ businessId, names }));
    const unnamed = names.filter((name) => !named.has(name));
    const rows = await this.transaction.rows<{ name: string }>(withdraw, [businessId, unnamed]);
    return rows.map(({ name }) => name);
  }
}
