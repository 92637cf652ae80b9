import type { Queries } from "../../../infra/postgres/database.ts";
import type { AuditEntry } from "../../application/ports.ts";
import type { MovedPair } from "./pairs.ts";
import { run, sql } from "./query.ts";
import type { SetTable } from "./record-table.ts";
import { tableReferredTo } from "./references.ts";

/** By the id of the record on the other side: its pairs that were added or removed, by the id of the own record. */
type Moved = Map<number, Map<number, MovedPair>>;

/**
 * A user's departments are the same pairs as the departments' agents: writing one side changes the records of the
 * other. Each of these gets a new version and an audit entry, once in a transaction; the entry shows its state at the
 * end.
 */
export class Mirrors {
  private readonly moved = new Map<SetTable, Moved>();

  constructor(private readonly transaction: Queries) {}

  async note(businessId: number, set: SetTable, pairs: readonly MovedPair[]): Promise<void> {
    if (!set.mirror) return;
    const moved: Moved = this.moved.get(set) ?? new Map();
    this.moved.set(set, moved);
    const fresh = [...new Set(pairs.map(({ other }) => other))].filter((id) => !moved.has(id));
    for (const pair of pairs) {
      const ofOther = moved.get(pair.other) ?? new Map<number, MovedPair>();
      moved.set(pair.other, ofOther);
      // A pair that was removed and added again, or the reverse, is unchanged.
      if (!ofOther.delete(pair.own)) ofOther.set(pair.own, pair);
    }
    if (fresh.length === 0) return;
    const table = tableOf(set);
    const inOrder = sql(table).where("business_id", businessId).whereIn("id", fresh).orderBy("id");
    await run(this.transaction, inOrder.select("id").forNoKeyUpdate());
    const counted = sql(table).where("business_id", businessId).whereIn("id", fresh);
    await run(this.transaction, counted.update({ record_version: sql.raw("record_version + 1") }));
  }

  async entries(businessId: number): Promise<readonly AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for (const [{ table, own, other, mirror }, moved] of this.moved) {
      const ids = [...moved.keys()].filter((id) => moved.get(id)?.size).sort((a, b) => a - b);
      if (!mirror || ids.length === 0) continue;
      const pairs = sql(table).where("business_id", businessId).whereIn(other, ids).orderBy(own);
      const rows = await run<{ own: number; other: number }>(this.transaction, pairs.select({ own, other }));
      for (const id of ids) {
        const after = rows.filter((row) => row.other === id).map((row) => row.own);
        const pairs = [...(moved.get(id)?.values() ?? [])];
        const came = new Set(pairs.filter((pair) => pair.came).map((pair) => pair.own));
        const went = pairs.filter((pair) => !pair.came).map((pair) => pair.own);
        const before = [...after.filter((each) => !came.has(each)), ...went].sort((a, b) => a - b);
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
