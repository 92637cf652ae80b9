import { type MoveRow, TakenOver } from "./moves.ts";
import type { Side } from "./side.ts";
import { lockOf } from "./watch.ts";

/** The state of a move in one of its two cells. */
export class CellSide {
  constructor(
    private readonly side: Side,
    private readonly move: Pick<MoveRow, "id" | "businessId" | "fence">,
  ) {}

  private get ownRow(): readonly unknown[] {
    return [this.move.businessId, this.move.id, this.move.fence];
  }

  /** Locks out earlier processes. It waits until their open transactions end. */
  async takeOver(): Promise<void> {
    const text = `
      insert into moving_businesses as known (business_id, move_id, fence) values ($1, $2, $3)
      on conflict (business_id) do update set move_id = excluded.move_id, fence = excluded.fence
      where (known.move_id, known.fence) <= (excluded.move_id, excluded.fence)`;
    if ((await this.side.run(text, this.ownRow)) === 0) throw new TakenOver();
  }

  /** Every transaction in which the move changes the business's rows in this cell must call `guard` first. */
  guard = async (): Promise<void> => {
    const text = "select 1 from moving_businesses where business_id = $1 and move_id = $2 and fence = $3 for update";
    if ((await this.side.rows(text, this.ownRow)).length === 0) throw new TakenOver();
  };

  /** From now on, sweeps skip the business in this cell. */
  async pauseSweeps(): Promise<void> {
    await this.side.run("insert into away_businesses (business_id) values ($1) on conflict do nothing", [
      this.move.businessId,
    ]);
  }

  async resumeSweeps(): Promise<void> {
    await this.side.run("delete from away_businesses where business_id = $1", [this.move.businessId]);
  }

  /** Refuses writes from now on, for at most `ms` milliseconds. */
  async hold(ms: number): Promise<void> {
    const text = `update moving_businesses set held_until = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
      where business_id = $1 and move_id = $2 and fence = $3 and held_until is distinct from 'infinity'`;
    if ((await this.side.run(text, [...this.ownRow, ms])) === 0) throw new TakenOver();
  }

  async release(): Promise<void> {
    const text = `update moving_businesses set held_until = null
      where business_id = $1 and move_id = $2 and fence = $3 and held_until is distinct from 'infinity'`;
    await this.side.run(text, this.ownRow);
  }

  /** Accepts writes again, even if the business had left this cell. Its old rows must have been deleted before. */
  async reopen(): Promise<void> {
    await this.side.run("update moving_businesses set held_until = null where business_id = $1", [
      this.move.businessId,
    ]);
  }

  /** Whether all transactions that wrote to the business before the hold have ended. */
  async isQuiet(): Promise<boolean> {
    const text = `select pg_try_advisory_xact_lock(${lockOf(this.side, this.move.businessId)}) as free`;
    return (await this.side.rows<{ free: boolean }>(text))[0]?.free === true;
  }

  /**
   * The point of no return: this cell refuses writes for good, and its sweeps skip the business. Returns false if the
   * hold has run out or a transaction is still open, since the copy may then lack rows.
   */
  async leave(): Promise<boolean> {
    return await this.side.transaction("plain", async () => {
      // If `isQuiet` gets the lock, all transactions that passed the checks of the triggers of `watch` have ended.
      if (!(await this.isQuiet())) return false;
      const text = `update moving_businesses set held_until = 'infinity'
        where business_id = $1 and move_id = $2 and fence = $3 and held_until > clock_timestamp()`;
      if ((await this.side.run(text, this.ownRow)) === 0) return false;
      await this.pauseSweeps();
      return true;
    });
  }

  async hasLeft(): Promise<boolean> {
    const text = "select held_until = 'infinity' as gone from moving_businesses where business_id = $1";
    return (await this.side.rows<{ gone: boolean | null }>(text, [this.move.businessId]))[0]?.gone === true;
  }

  /** Deletes what this cell stores about the move. Does not change whether sweeps skip the business. */
  async forget(): Promise<void> {
    await this.side.transaction("plain", async () => {
      for (const table of ["moved_keys", "copied_parts", "moving_businesses"]) {
        await this.side.run(`delete from ${table} where business_id = $1`, [this.move.businessId]);
      }
    });
  }
}
