import type { Queries } from "../../../infra/postgres/database.ts";
import { run, sql } from "./query.ts";
import type { SetTable } from "./record-table.ts";

export interface ChangedPair {
  readonly own: number;
  readonly other: number;
  readonly added: boolean;
}

/** Replaces the pairs of these records by the listed ones. Returns the pairs that were added or removed. */
export function writePairs(
  queries: Queries,
  businessId: number,
  { table, own, other }: SetTable,
  records: readonly (readonly [id: number, others: readonly number[]])[],
): Promise<ChangedPair[]> {
  const pairs = records.flatMap(([id, others]) => others.map((each) => [id, each] as const));
  return run<ChangedPair>(
    queries,
    sql.raw(
      `with wanted as (
         select * from unnest(cast(:owns as bigint[]), cast(:others as bigint[])) as wanted(own, other)
       ),
       gone as (
         delete from :table: as pair
         where pair.business_id = :business and pair.:own: = any(cast(:ids as bigint[]))
           and not exists (select 1 from wanted where wanted.own = pair.:own: and wanted.other = pair.:other:)
         returning pair.:own: as own, pair.:other: as other
       ),
       come as (
         insert into :table: (business_id, :own:, :other:)
         select :business, own, other from wanted order by own, other
         on conflict do nothing
         returning :own: as own, :other: as other
       )
       select own, other, false as added from gone union all select own, other, true from come`,
      {
        table,
        own,
        other,
        business: businessId,
        ids: records.map(([id]) => id),
        owns: pairs.map(([id]) => id),
        others: pairs.map(([, each]) => each),
      } as never,
    ),
  );
}
