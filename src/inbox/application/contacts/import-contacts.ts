import {
  type ContactUnitOfWork,
  type ImportedContact,
  type ImportOutcome,
  type RefusedOutcome,
  type RefusedRows,
  refusedOutcomes,
} from "./ports.ts";

/** A row of the file: a contact, or why it is none. */
export type ImportRow<Refusal extends string> = { readonly cells: readonly string[] } & (
  | { readonly contact: ImportedContact }
  | { readonly refusal: Refusal }
);

export interface ImportProgress {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

export const noProgress = (): ImportProgress => ({ created: 0, updated: 0, unchanged: 0, refused: 0 });

const batchSize = 1_000;
const mostAttempts = 3;
/** Characters. */
const partSize = 64 * 1024;
const mostParts = 200;

/**
 * Takes in contacts a batch at a time, in transactions of their own. What breaks it off leaves what was committed. Rows
 * with one number are taken in one after the other, each for what it says.
 */
export class ImportContacts {
  constructor(
    private readonly unitOfWork: ContactUnitOfWork,
    private readonly refusals: RefusedRows,
    /** A name that cannot be guessed. */
    private readonly newName: () => string,
  ) {}

  /**
   * @param lineOf - a refused row as it is kept for the caller
   * @param progress - counts on while rows are taken in
   * @returns the name of the file with the refused rows; null where there are none
   */
  async execute<Refusal extends string>(
    businessId: number,
    rows: AsyncIterable<ImportRow<Refusal>>,
    lineOf: (refusal: Refusal | RefusedOutcome, cells: readonly string[]) => string,
    header: string,
    progress: ImportProgress,
  ): Promise<string | null> {
    const refused = new RefusedFile(this.refusals, businessId, this.newName(), header);
    const refuse = async (reason: Refusal | RefusedOutcome, cells: readonly string[]) => {
      progress.refused += 1;
      await refused.add(lineOf(reason, cells));
    };
    const batch = new Batch();
    const flush = async () => {
      for (const turn of batch.empty()) {
        const outcomes = await this.merge(businessId, turn);
        for (const [index, outcome] of outcomes.entries()) {
          if (isRefusal(outcome)) await refuse(outcome, turn[index]?.cells ?? []);
          else progress[outcome] += 1;
        }
      }
    };
    for await (const row of rows) {
      if ("refusal" in row) {
        await refuse(row.refusal, row.cells);
        continue;
      }
      batch.add(row);
      if (batch.size >= batchSize) await flush();
    }
    await flush();
    return refused.end();
  }

  /** In their order. Those whose number somebody else takes at that moment are tried again. */
  private async merge(businessId: number, turn: readonly Waiting[]): Promise<ImportOutcome[]> {
    const outcomes: (ImportOutcome | null)[] = turn.map(() => null);
    for (let attempt = 1; outcomes.includes(null); attempt += 1) {
      if (attempt > mostAttempts) throw new Error("contacts are made and erased while they are imported");
      const left = [...turn.entries()].filter(([index]) => outcomes[index] === null);
      const given = left.map(([, { contact }]) => contact);
      const merged = await this.unitOfWork.run(businessId, ({ contacts }) => contacts.merge(businessId, given));
      for (const [place, [index]] of left.entries()) outcomes[index] = merged[place] ?? null;
    }
    return outcomes as ImportOutcome[];
  }
}

const isRefusal = (outcome: ImportOutcome): outcome is RefusedOutcome =>
  (refusedOutcomes as readonly string[]).includes(outcome);

interface Waiting {
  readonly contact: ImportedContact;
  readonly cells: readonly string[];
}

/** Rows that wait to be taken in: in turns, in each of which no number comes twice. */
class Batch {
  private turns: Waiting[][] = [];
  private times = new Map<string, number>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(row: Waiting): void {
    const { phone } = row.contact;
    const before = this.times.get(phone) ?? 0;
    this.times.set(phone, before + 1);
    this.count += 1;
    const turn = this.turns[before];
    if (turn) turn.push(row);
    else this.turns.push([row]);
  }

  empty(): readonly (readonly Waiting[])[] {
    const { turns } = this;
    this.turns = [];
    this.times = new Map();
    this.count = 0;
    return turns;
  }
}

/** Rows beyond the most parts are counted and not kept. */
class RefusedFile {
  private text: string;
  private parts = 0;
  private isEmpty = true;

  constructor(
    private readonly refusals: RefusedRows,
    private readonly businessId: number,
    private readonly name: string,
    header: string,
  ) {
    this.text = header;
  }

  async add(line: string): Promise<void> {
    this.isEmpty = false;
    if (this.parts >= mostParts) return;
    this.text += line;
    if (this.text.length >= partSize) await this.write();
  }

  async end(): Promise<string | null> {
    if (this.isEmpty) return null;
    if (this.text !== "" && this.parts < mostParts) await this.write();
    return this.name;
  }

  private async write(): Promise<void> {
    await this.refusals.add(this.businessId, this.name, this.parts, this.text);
    this.parts += 1;
    this.text = "";
  }
}
