import { type MoveRow, TakenOver } from "./moves.ts";
import type { Side } from "./side.ts";
import { lockOf } from "./watch.ts";

/** What one of the two cells knows of a move. */
export class MoveHere {
  constructor(
    private readonly side: Side,
    private readonly move: Pick<MoveRow, "id" | "businessId" | "fence">,
  ) {}

  private get mine(): readonly unknown[] {
    return [this.move.businessId, this.move.id, this.move.fence];
  }

  /** Locks out earlier processes: those of their transactions that are still open end before this returns. */
  async takePart(): Promise<void> {
    const text = `
      insert into moving_businesses as known (business_id, move_id, fence) values ($1, $2, $3)
      on conflict (business_id) do update set move_id = excluded.move_id, fence = excluded.fence
      where (known.move_id, known.fence) <= (excluded.move_id, excluded.fence)`;
    if ((await this.side.run(text, this.mine)) === 0) throw new TakenOver();
  }

  /** To be called first in each transaction that changes something here. */
  guard = async (): Promise<void> => {
    const text = "select 1 from moving_businesses where business_id = $1 and move_id = $2 and fence = $3 for update";
    if ((await this.side.rows(text, this.mine)).length === 0) throw new TakenOver();
  };

  /** Sweeps pass the business by in this cell. */
  async setAside(): Promise<void> {
    await this.side.run("insert into away_businesses (business_id) values ($1) on conflict do nothing", [
      this.move.businessId,
    ]);
  }

  async workOn(): Promise<void> {
    await this.side.run("delete from away_businesses where business_id = $1", [this.move.businessId]);
  }

  /** Writes are refused from now on, for so long at most. */
  async hold(ms: number): Promise<void> {
    const text = `update moving_businesses set held_until = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
      where business_id = $1 and move_id = $2 and fence = $3 and held_until is distinct from 'infinity'`;
    if ((await this.side.run(text, [...this.mine, ms])) === 0) throw new TakenOver();
  }

  async letGo(): Promise<void> {
    const text = `update moving_businesses set held_until = null
      where business_id = $1 and move_id = $2 and fence = $3 and held_until is distinct from 'infinity'`;
    await this.side.run(text, this.mine);
  }

  /** Writes are not refused any more, even where the business had left. Its rows here are gone by then. */
  async open(): Promise<void> {
    await this.side.run("update moving_businesses set held_until = null where business_id = $1", [
      this.move.businessId,
    ]);
  }

  /** Whether all transactions that wrote to the business before it was held have ended. */
  async hasComeToRest(): Promise<boolean> {
    const text = `select pg_try_advisory_xact_lock(${lockOf(this.side, this.move.businessId)}) as free`;
    return (await this.side.rows<{ free: boolean }>(text))[0]?.free === true;
  }

  /**
   * The point of no return: writes are refused for good, and sweeps pass the business by. False where the time of the
   * hold was over before, so that something may have been written since.
   */
  async leave(): Promise<boolean> {
    return await this.side.transaction("plain", async () => {
      // With the lock, nobody is between the question whether the business is held and the end of a transaction.
      if (!(await this.hasComeToRest())) return false;
      const text = `update moving_businesses set held_until = 'infinity'
        where business_id = $1 and move_id = $2 and fence = $3 and held_until > clock_timestamp()`;
      if ((await this.side.run(text, this.mine)) === 0) return false;
      await this.setAside();
      return true;
    });
  }

  async hasLeft(): Promise<boolean> {
    const text = "select held_until = 'infinity' as gone from moving_businesses where business_id = $1";
    return (await this.side.rows<{ gone: boolean | null }>(text, [this.move.businessId]))[0]?.gone === true;
  }

  /** Forgets the move, but not whether the business is worked on here. */
  async forget(): Promise<void> {
    await this.side.transaction("plain", async () => {
      for (const table of ["moved_keys", "copied_parts", "moving_businesses"]) {
        await this.side.run(`delete from ${table} where business_id = $1`, [this.move.businessId]);
      }
    });
  }
}
