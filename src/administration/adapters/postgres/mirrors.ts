import type { Queries } from "../../../infra/postgres/database.ts";
import type { AuditEntry } from "../../application/ports.ts";
import type { ChangedPair } from "./pairs.ts";
import { run, sql } from "./query.ts";
import type { SetTable } from "./record-table.ts";
import { tableReferredTo } from "./references.ts";

/** The changed pairs. The outer key is the id of the other record, the inner key that of the own record. */
type ChangedPairs = Map<number, Map<number, ChangedPair>>;

/**
 * A user lists departments, and a department lists agents, but both lists are the same stored pairs. So a change of a
 * user also changes departments, and the reverse. This class gives a record that changes in this way at most one new
 * version and one audit entry per transaction. The entry shows the record at the end of the transaction.
 */
export class Mirrors {
  private readonly changed = new Map<SetTable, ChangedPairs>();

  constructor(private readonly transaction: Queries) {}

  async note(businessId: number, set: SetTable, pairs: readonly ChangedPair[]): Promise<void> {
    if (!set.mirror) return;
    const changed: ChangedPairs = this.changed.get(set) ?? new Map();
    this.changed.set(set, changed);
    const unseen = [...new Set(pairs.map(({ other }) => other))].filter((id) => !changed.has(id));
    for (const pair of pairs) {
      const ofOther = changed.get(pair.other) ?? new Map<number, ChangedPair>();
      changed.set(pair.other, ofOther);
      // A pair that was removed and added again, or the reverse, is unchanged.
      if (!ofOther.delete(pair.own)) ofOther.set(pair.own, pair);
    }
    if (unseen.length === 0) return;
    const table = tableOf(set);
    const inOrder = sql(table).where("business_id", businessId).whereIn("id", unseen).orderBy("id");
    await run(this.transaction, inOrder.select("id").forNoKeyUpdate());
    const counted = sql(table).where("business_id", businessId).whereIn("id", unseen);
    await run(this.transaction, counted.update({ record_version: sql.raw("record_version + 1") }));
  }

  async entries(businessId: number): Promise<readonly AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for (const [{ table, own, other, mirror }, changed] of this.changed) {
      const ids = [...changed.keys()].filter((id) => changed.get(id)?.size).sort((a, b) => a - b);
      if (!mirror || ids.length === 0) continue;
      const pairs = sql(table).where("business_id", businessId).whereIn(other, ids).orderBy(own);
      const rows = await run<{ own: number; other: number }>(this.transaction, pairs.select({ own, other }));
      for (const id of ids) {
        const after = rows.filter((row) => row.other === id).map((row) => row.own);
        const pairs = [...(changed.get(id)?.values() ?? [])];
        const added = new Set(pairs.filter((pair) => pair.added).map((pair) => pair.own));
        const removed = pairs.filter((pair) => !pair.added).map((pair) => pair.own);
        const before = [...after.filter((each) => !added.has(each)), ...removed].sort((a, b) => a - b);
        const field = (value: readonly number[]) => ({ [mirror.field]: value });
        const shown = { before: field(before), after: field(after) };
        entries.push({ resource: mirror.resource, recordId: id, change: "changed", ...shown });
      }
    }
    return entries;
  }
}

function tableOf({ table, other }: SetTable): string {
  const named = tableReferredTo(table, other);
  if (named === undefined) throw new Error(`references.ts does not say what ${table}.${other} refers to`);
  return named;
}
