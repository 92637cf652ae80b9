import type { Side } from "./side.ts";

/**
 * In `beginning`, `copying` and `catching_up` the business is in its old cell. In `switching` the old cell itself says
 * whether the business has left. In `moved` the old rows still exist; in `tidied` they are deleted.
 */
type Step = "beginning" | "copying" | "catching_up" | "switching" | "moved" | "undoing" | "undone" | "tidied";

/** The steps that may come before each step. `begin` records the step `beginning`, and `arrive` the step `moved`. */
const stepsBefore: Readonly<Record<Exclude<Step, "beginning" | "moved">, readonly Step[]>> = {
  copying: ["beginning"],
  catching_up: ["copying", "catching_up", "switching"],
  switching: ["catching_up", "switching"],
  undoing: ["beginning", "copying", "catching_up", "switching", "undoing"],
  undone: ["undoing"],
  tidied: ["moved"],
};

export interface MoveRow {
  readonly id: number;
  readonly businessId: number;
  readonly from: string;
  readonly to: string;
  readonly step: Step;
  readonly fence: number;
}

const columns = `id::float8 as id, business_id::float8 as "businessId", from_cell as "from", to_cell as "to", step,
  fence::float8 as fence`;

const isUnderWay = (row: string): string => `${row}.step not in ('moved', 'undone', 'tidied')`;

/** The moves that the directory records. */
export class Moves {
  constructor(private readonly directory: Side) {}

  /** Undefined if the directory has no row of the business. Such a business is in the first cell. */
  async cellOf(businessId: number): Promise<string | undefined> {
    const text = "select cell from directory_businesses where business_id = $1";
    return (await this.directory.rows<{ cell: string }>(text, [businessId]))[0]?.cell;
  }

  /** Returns false if another process has the lock. The lock ends with the connection. */
  async lock(businessId: number): Promise<boolean> {
    const text = "select pg_try_advisory_lock(hashtextextended('move of business ' || $1, 0)) as taken";
    return (await this.directory.rows<{ taken: boolean }>(text, [String(businessId)]))[0]?.taken === true;
  }

  async unlock(businessId: number): Promise<void> {
    const text = "select pg_advisory_unlock(hashtextextended('move of business ' || $1, 0))";
    await this.directory.rows(text, [String(businessId)]);
  }

  /** Moves that have switched, or may have switched, and that `BusinessMove.arrive` has not completed. */
  async unsettled(): Promise<MoveRow[]> {
    const text = `select ${columns} from business_moves
      where step = 'switching' or step = 'moved' and not settled order by id`;
    return this.directory.rows<MoveRow>(text);
  }

  async settle(id: number): Promise<void> {
    await this.directory.run("update business_moves set settled = true where id = $1", [id]);
  }

  async underWay(businessId: number): Promise<MoveRow | undefined> {
    const text = `select ${columns} from business_moves
      where business_id = $1 and ${isUnderWay("business_moves")}`;
    return (await this.directory.rows<MoveRow>(text, [businessId]))[0];
  }

  /**
   * Moves that were completed more than `seconds` ago and whose old rows still exist. Omits moves of a business that is
   * moving again, because the later move may be deleting the same rows.
   */
  async leftOvers(seconds: number): Promise<MoveRow[]> {
    const text = `select ${columns} from business_moves as left_over
      where step = 'moved' and moved_at < now() - make_interval(secs => $1) and not exists (
        select 1 from business_moves as later
        where later.business_id = left_over.business_id and ${isUnderWay("later")})
      order by id`;
    return this.directory.rows<MoveRow>(text, [seconds]);
  }

  /** Completed moves of the business whose old rows still exist in this cell. */
  async leftOversIn(cell: string, businessId: number): Promise<MoveRow[]> {
    const text = `select ${columns} from business_moves
      where step = 'moved' and from_cell = $1 and business_id = $2 order by id`;
    return this.directory.rows<MoveRow>(text, [cell, businessId]);
  }

  async begin(businessId: number, from: string, to: string): Promise<MoveRow> {
    const text = `insert into business_moves (business_id, from_cell, to_cell, step) values ($1, $2, $3, 'beginning')
      returning ${columns}`;
    const [made] = await this.directory.rows<MoveRow>(text, [businessId, from, to]);
    if (!made) throw new Error("the move could not be recorded");
    return made;
  }

  /** From now on, earlier processes cannot change this move except to complete it. Returns it with its new fence. */
  async takeOver(id: number): Promise<MoveRow> {
    const text = `update business_moves set fence = fence + 1 where id = $1 returning ${columns}`;
    const [taken] = await this.directory.rows<MoveRow>(text, [id]);
    if (!taken) throw new TakenOver();
    return taken;
  }

  /** Throws `TakenOver` if another process has taken the move over, or has completed it. */
  async proceed({ id, fence }: Pick<MoveRow, "id" | "fence">, step: keyof typeof stepsBefore): Promise<void> {
    const ends = step === "undone" || step === "tidied" ? ", ended_at = now()" : "";
    const text = `update business_moves set step = $3 ${ends} where id = $1 and fence = $2 and step = any($4)`;
    if ((await this.directory.run(text, [id, fence, step, stepsBefore[step]])) === 0) throw new TakenOver();
  }

  async countRows({ id, fence }: Pick<MoveRow, "id" | "fence">, rows: number): Promise<void> {
    const text = "update business_moves set rows_copied = rows_copied + $3 where id = $1 and fence = $2";
    if ((await this.directory.run(text, [id, fence, rows])) === 0) throw new TakenOver();
  }

  /** Marks the business as moving. A process that sees the mark asks the directory each time where the business is. */
  async announce(businessId: number, cell: string): Promise<void> {
    await this.directory.run(
      `insert into directory_businesses as known (business_id, cell, state) values ($1, $2, 'moving')
       on conflict (business_id) do update set state = 'moving' where known.state <> 'moving'`,
      [businessId, cell],
    );
  }

  async retract(businessId: number): Promise<void> {
    await this.directory.run(
      "update directory_businesses set state = 'active' where business_id = $1 and state <> 'active'",
      [businessId],
    );
  }

  /** Records the new cell. It must only be called after the business has left its old cell. */
  async arrive(move: Pick<MoveRow, "id">, heldMs: number | null): Promise<void> {
    await this.directory.run(
      `with ended as (
         update business_moves set step = 'moved', moved_at = now(), held_ms = $2 where id = $1 and step = 'switching'
         returning business_id, to_cell
       )
       update directory_businesses as known set cell = ended.to_cell, state = 'active' from ended
       where known.business_id = ended.business_id`,
      [move.id, heldMs],
    );
  }
}

export class TakenOver extends Error {
  constructor() {
    super("another process has taken this move over");
  }
}
