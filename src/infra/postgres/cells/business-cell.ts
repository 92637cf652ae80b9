import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable } from "../../../kernel/errors.ts";
import type { NameKind, Names } from "../claimed-names.ts";
import type { Cell, Queries, Statement } from "../database.ts";
import { hasLeft, isDatabaseFailure, movingState } from "../database-failure.ts";
import type { Directory } from "../directory/directory.ts";
import type { ClaimedName, DirectoryNames } from "../directory/directory-names.ts";
import type { Location } from "../directory/locations.ts";

/** Milliseconds for which refused work is tried again. A move holds a business for a shorter time. */
const longestHoldMs = 6_000;

/** The cell of one business. Each call looks up in which cell the business is now. */
export class BusinessCell implements Cell {
  constructor(
    private readonly businessId: number,
    private readonly lookup: Directory,
    private readonly cellAt: (location: Location) => Cell,
  ) {}

  /**
   * For claims outside of a transaction. If the write after a claim fails, the directory's sweep removes a claimed
   * e-mail or sender. Names of other kinds are random, so an unused claim does no harm.
   */
  get names(): Names {
    return {
      claim: async (...asked) => (await this.lookup.names.claim(...asked)).refused,
      release: async (...asked) => {
        const claimed = await this.lookup.names.markUnchecked(...asked);
        await this.lookup.names.remove(asked[0], asked[1], claimed);
      },
    };
  }

  rows<Row extends object>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    return this.inItsCell((cell) => cell.rows<Row>(statement, values, signal));
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.inItsCell((cell) => this.transactionIn(cell, work));
  }

  /**
   * A cell refuses writes of a business that is being moved. Then `run` is called again after a pause, with the cell
   * where the business is by then. During the pause no connection is held.
   */
  private async inItsCell<Result>(run: (cell: Cell) => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    for (;;) {
      const location = await this.location();
      try {
        return await run(this.cellAt(location));
      } catch (error) {
        const refusal = refusalIn(error);
        if (!refusal) throw error;
        if (performance.now() - begun > longestHoldMs) throw new DatabaseUnavailable(refusal, false);
        if (refusal.detail === hasLeft) await this.lookup.locations.finishMove(this.businessId, location.cell);
        await sleep(20 + Math.random() * 60);
        await this.lookup.locations.refresh();
      }
    }
  }

  private async transactionIn<Result>(cell: Cell, work: (queries: Queries) => Promise<Result>): Promise<Result> {
    let names: TransactionNames | undefined;
    const result = await cell
      .transaction(async ({ rows }) => {
        // After a deadlock this function runs again, so the claims of its previous run are undone.
        await names?.undoClaims();
        names = new TransactionNames(this.lookup.names);
        return work({ rows, names });
      })
      .catch(async (error: unknown) => {
        // After a database failure the claims stay: the commit may have succeeded. The directory's sweep checks them.
        if (!isDatabaseFailure(error)) await names?.undoClaims();
        throw error;
      });
    await names?.removeReleased();
    return result;
  }

  private location(): Location | Promise<Location> {
    return this.lookup.locations.cached(this.businessId) ?? this.lookup.locations.find(this.businessId);
  }
}

/** The error of a cell that refuses to write, because the business is being moved or has left. */
function refusalIn(error: unknown): (Error & { readonly detail?: string }) | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as { code?: unknown }).code === movingState) return cause;
  }
  return undefined;
}

interface Claimed {
  readonly businessId: number;
  readonly kind: NameKind;
  readonly names: readonly ClaimedName[];
}

/** Names that a transaction claims and releases. If a removal fails, the sweep repeats it for e-mails and senders. */
class TransactionNames implements Names {
  private readonly added: Claimed[] = [];
  private readonly released: Claimed[] = [];

  constructor(private readonly directory: DirectoryNames) {}

  async claim(businessId: number, kind: NameKind, names: readonly string[], endsAt?: Date) {
    const { refused, added } = await this.directory.claim(businessId, kind, names, endsAt);
    if (added.length > 0) this.added.push({ businessId, kind, names: added });
    return refused;
  }

  async release(businessId: number, kind: NameKind, names: readonly string[]): Promise<void> {
    this.released.push({ businessId, kind, names: await this.directory.markUnchecked(businessId, kind, names) });
  }

  undoClaims(): Promise<void> {
    return this.drop(this.added);
  }

  removeReleased(): Promise<void> {
    return this.drop(this.released);
  }

  private async drop(all: readonly Claimed[]): Promise<void> {
    for (const { businessId, kind, names } of all) {
      await this.directory.remove(businessId, kind, names).catch(() => {});
    }
  }
}
