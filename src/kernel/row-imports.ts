import { nextTurn } from "./turns.ts";

/** A row of an imported file, either read or refused. */
export type ImportRow<Row, Refusal> = { readonly cells: readonly string[] } & (
  | { readonly row: Row }
  | { readonly refusal: Refusal }
);

export interface ImportProgress {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

export const noProgress = (): ImportProgress => ({ created: 0, updated: 0, unchanged: 0, refused: 0 });

export type RowOutcome<Refusal> = "created" | "updated" | "unchanged" | { readonly refusal: Refusal };

/** The rows that imports refused, as CSV text in parts. They are deleted after a day. */
export interface RefusedRows {
  add(businessId: number, file: string, part: number, content: string): Promise<void>;
  /** Null if there is no such part. */
  part(businessId: number, file: string, part: number): Promise<string | null>;
}

/** How one import writes its rows, and how it reports the refused ones. */
interface RowImport<Row, Refusal> {
  /** Rows with the same key are written one after the other. */
  keyOf(row: Row): string;
  /** Writes rows whose keys all differ. Null stands for a row to be retried: another request just took its key. */
  take(rows: readonly Row[]): Promise<readonly (RowOutcome<Refusal> | null)[]>;
  lineOf(refusal: Refusal, cells: readonly string[]): string;
  /** The header line of the file with the refused rows. */
  readonly header: string;
}

const usualBatch = 1_000;
/** A batch ends at this many characters. Every cell adds `charactersOfEmptyCell`, as even an empty one takes memory. */
const charactersAtOnce = 2_000_000;
const charactersOfEmptyCell = 8;
const mostAttempts = 3;
/** The size of a part in characters. */
const partSize = 64 * 1024;
const mostParts = 200;

/** Imports the rows of a file in batches. Batches that were committed stay when a later batch fails. */
export class ImportRows {
  constructor(
    private readonly refusals: Pick<RefusedRows, "add">,
    /** Makes a file name that cannot be guessed. */
    private readonly newName: () => string,
    /** Rows per transaction. */
    private readonly rowsAtOnce = usualBatch,
  ) {}

  /**
   * @param progress - is updated while the import runs
   * @returns the name of the file with the refused rows, or null if no row was refused
   */
  async execute<Row, Refusal>(
    businessId: number,
    rows: AsyncIterable<ImportRow<Row, Refusal>>,
    taken: RowImport<Row, Refusal>,
    progress: ImportProgress,
  ): Promise<string | null> {
    const refused = new RefusedFile(this.refusals, businessId, this.newName(), taken.header);
    const flush = async (batch: readonly ImportRow<Row, Refusal>[]) => {
      const refusals = batch.flatMap((each, place) => ("refusal" in each ? [{ ...each, place }] : []));
      for (const turn of turnsOf(batch, taken.keyOf)) {
        for (const [{ place, cells }, outcome] of await takeAll(taken, turn)) {
          if (typeof outcome === "object") refusals.push({ place, cells, refusal: outcome.refusal });
          else progress[outcome] += 1;
        }
      }
      progress.refused += refusals.length;
      // Refused rows keep the order of the imported file, so that its author finds them again.
      for (const { refusal, cells } of refusals.sort((a, b) => a.place - b.place)) {
        if (refused.isFull) break;
        await refused.add(taken.lineOf(refusal, cells));
        await nextTurn();
      }
    };
    let batch: ImportRow<Row, Refusal>[] = [];
    let characters = 0;
    for await (const each of rows) {
      batch.push(each);
      for (const cell of each.cells) characters += charactersOfEmptyCell + cell.length;
      if (batch.length < this.rowsAtOnce && characters < charactersAtOnce) continue;
      await flush(batch);
      batch = [];
      characters = 0;
    }
    await flush(batch);
    return refused.end();
  }
}

async function takeAll<Row, Refusal>(
  { take }: Pick<RowImport<Row, Refusal>, "take">,
  turn: readonly Waiting<Row>[],
): Promise<ReadonlyMap<Waiting<Row>, RowOutcome<Refusal>>> {
  const outcomes = new Map<Waiting<Row>, RowOutcome<Refusal>>();
  for (let attempt = 1; outcomes.size < turn.length; attempt += 1) {
    if (attempt > mostAttempts) throw new Error("records are made and removed while they are imported");
    const left = turn.filter((waiting) => !outcomes.has(waiting));
    const taken = await take(left.map(({ row }) => row));
    for (const [index, waiting] of left.entries()) {
      const outcome = taken[index];
      if (outcome) outcomes.set(waiting, outcome);
    }
  }
  return outcomes;
}

interface Waiting<Row> {
  /** The row's index in the batch. */
  readonly place: number;
  readonly cells: readonly string[];
  readonly row: Row;
}

/** Splits the readable rows into turns, so that no key occurs twice in a turn. */
function turnsOf<Row>(batch: readonly ImportRow<Row, unknown>[], keyOf: (row: Row) => string): Waiting<Row>[][] {
  const turns: Waiting<Row>[][] = [];
  const times = new Map<string, number>();
  for (const [place, each] of batch.entries()) {
    if ("refusal" in each) continue;
    const key = keyOf(each.row);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    const turn = turns[before];
    if (turn) turn.push({ ...each, place });
    else turns.push([{ ...each, place }]);
  }
  return turns;
}

/** Stores the refused rows in parts. Rows beyond `mostParts` parts are not stored. */
class RefusedFile {
  private text: string;
  private parts = 0;
  private isEmpty = true;

  constructor(
    private readonly refusals: Pick<RefusedRows, "add">,
    private readonly businessId: number,
    private readonly name: string,
    header: string,
  ) {
    this.text = header;
  }

  get isFull(): boolean {
    return this.parts >= mostParts;
  }

  async add(line: string): Promise<void> {
    this.isEmpty = false;
    this.text += line;
    if (this.text.length >= partSize) await this.write();
  }

  async end(): Promise<string | null> {
    if (this.isEmpty) return null;
    if (this.text !== "" && !this.isFull) await this.write();
    return this.name;
  }

  private async write(): Promise<void> {
    await this.refusals.add(this.businessId, this.name, this.parts, this.text);
    this.parts += 1;
    this.text = "";
  }
}
