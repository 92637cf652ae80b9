import { LRUCache } from "lru-cache";
import type { NameKind } from "../claimed-names.ts";
import type { Cell, Queries } from "../database.ts";
import { isDatabaseFailure } from "../database-failure.ts";
import type { Locations } from "./locations.ts";
import * as statements from "./name-statements.ts";

export interface ClaimedName {
  readonly name: string;
  /** The time as PostgreSQL writes it, with microseconds, which a `Date` does not have. */
  readonly claimedAt: string;
}

interface ClaimRow {
  readonly place: number;
  readonly name: string;
  readonly claimedAt: string | null;
  readonly isNew: boolean | null;
}

type Unchecked = ClaimedName & { readonly businessId: number; readonly kind: NameKind };

/**
 * Milliseconds for which the cached business of a name is used. For kinds that are not listed it is used for ever,
 * because their names never pass to another business.
 */
const cacheMs: Readonly<Partial<Record<NameKind, number>>> = { email: 0, sender: 2_000 };
const cacheSize = 100_000;

/** The business that a name belongs to, from the table `directory_names` and a cache of it. */
export class DirectoryNames {
  private readonly cache = new LRUCache<string, { readonly businessId: number; readonly at: number }>({
    max: cacheSize,
  });

  constructor(
    private readonly table: Cell,
    private readonly firstCell: string,
    private readonly locations: Pick<Locations, "find">,
    private readonly onError: (error: unknown) => void,
  ) {}

  async businessOf(kind: NameKind, name: string): Promise<number | undefined> {
    const key = `${kind} ${name}`;
    const cached = this.cache.get(key);
    const age = cached && performance.now() - cached.at;
    if (age !== undefined && age < (cacheMs[kind] ?? Number.POSITIVE_INFINITY)) return cached?.businessId;
    try {
      const [row] = await this.table.rows<{ businessId: number }>(statements.businessOf[kind], [kind, name]);
      if (row) this.cache.set(key, { businessId: row.businessId, at: performance.now() });
      return row?.businessId;
    } catch (error) {
      // An old answer is better than none while the first cell is down.
      if (cached && isDatabaseFailure(error)) return cached.businessId;
      throw error;
    }
  }

  /** Random names of businesses in the first cell need no claim: `businessOf` finds them in that cell's own tables. */
  async claim(
    businessId: number,
    kind: NameKind,
    names: readonly string[],
    endsAt?: Date,
  ): Promise<{ readonly refused: readonly string[]; readonly added: readonly ClaimedName[] }> {
    const isInFirst = async () => (await this.locations.find(businessId)).cell === this.firstCell;
    if (!statements.chosenKinds.has(kind) && (await isInFirst())) return { refused: [], added: [] };
    const values = [kind, businessId, names, endsAt ?? null, this.firstCell];
    const rows = await this.table.rows<ClaimRow>(statements.claim[kind], values);
    const refused = rows.filter(({ claimedAt }) => claimedAt === null).map(({ place }) => names[place - 1] as string);
    const added = rows.flatMap(({ name, claimedAt, isNew }) => (claimedAt && isNew ? [{ name, claimedAt }] : []));
    return { refused, added };
  }

  /** For names whose rows are about to be deleted. If `remove` is not called, the sweep removes e-mails and senders. */
  markUnchecked(businessId: number, kind: NameKind, names: readonly string[]): Promise<ClaimedName[]> {
    return this.table.rows<ClaimedName>(statements.markUnchecked, [businessId, kind, names]);
  }

  /** Does not remove names that were claimed again meanwhile. */
  async remove(businessId: number, kind: NameKind, claimed: readonly ClaimedName[]): Promise<void> {
    const values = [claimed.map(({ name }) => name), claimed.map(({ claimedAt }) => claimedAt)];
    await this.table.rows(statements.remove, [businessId, kind, ...values]);
    for (const { name } of claimed) this.cache.delete(`${kind} ${name}`);
  }

  /**
   * Removes e-mails and senders that no row of their business has, and names of sessions and invitations that ended.
   *
   * @param seconds - names claimed in the last `seconds` are not checked: their transactions may still run
   */
  async sweep(cellOf: (businessId: number) => Queries, signal?: AbortSignal, seconds = 600): Promise<void> {
    while ((await this.table.rows(statements.removeEnded, [])).length > 0 && !signal?.aborted);
    const unanswered = new Set<number>();
    let last: readonly unknown[] = ["-infinity", "", ""];
    for (let found = statements.uncheckedAtOnce; found === statements.uncheckedAtOnce && !signal?.aborted; ) {
      const names = await this.table.rows<Unchecked>(statements.unchecked, [seconds, ...last]);
      found = names.length;
      for (const claimed of names) {
        const { businessId, kind, name, claimedAt } = claimed;
        last = [claimedAt, kind, name];
        // The cell of this business did not answer. The next sweep asks it again.
        if (unanswered.has(businessId)) continue;
        const isWritten = await this.isWritten(claimed, cellOf(businessId)).catch(this.onError);
        if (isWritten === undefined) unanswered.add(businessId);
        else if (isWritten) await this.table.rows(statements.markChecked, [kind, name, businessId, claimedAt]);
        else await this.remove(businessId, kind, [claimed]);
      }
    }
  }

  private async isWritten({ businessId, kind, name }: Unchecked, cell: Queries): Promise<boolean> {
    const statement = statements.isWritten[kind];
    return statement === undefined || (await cell.rows(statement, [businessId, name])).length > 0;
  }
}
