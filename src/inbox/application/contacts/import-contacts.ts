import type { ContactUnitOfWork, ImportedContact, ImportOutcome, RefusedRows } from "./ports.ts";

/** A row of the file: a contact, or why it is none. */
export type ImportRow<Refusal extends string> = { readonly cells: readonly string[] } & (
  | { readonly contact: ImportedContact }
  | { readonly refusal: Refusal }
);

type RefusedOutcome = Extract<ImportOutcome, "unknown_tag" | "too_many_fields">;

export interface ImportProgress {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

export const noProgress = (): ImportProgress => ({ created: 0, updated: 0, unchanged: 0, refused: 0 });

const batchSize = 1_000;
/** Characters. */
const partSize = 64 * 1024;
const mostParts = 200;

/** Takes in contacts a batch at a time, each in a transaction of its own. What breaks it off leaves what was committed. */
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
    let batch = new Map<string, Waiting>();
    const flush = async () => {
      const waiting = [...batch.values()];
      batch = new Map();
      const outcomes = await this.merge(businessId, waiting);
      for (const [index, outcome] of outcomes.entries()) {
        const { cells } = waiting[index] as Waiting;
        if (outcome === "unknown_tag" || outcome === "too_many_fields") await refuse(outcome, cells);
        else progress[outcome] += 1;
      }
    };
    for await (const row of rows) {
      if ("refusal" in row) {
        await refuse(row.refusal, row.cells);
        continue;
      }
      const { contact, cells } = row;
      const earlier = batch.get(contact.phone);
      // What the later row of a number says counts; the earlier one changes nothing by itself.
      if (earlier) progress.unchanged += 1;
      batch.set(contact.phone, { contact: earlier ? joined(earlier.contact, contact) : contact, cells });
      if (batch.size >= batchSize) await flush();
    }
    await flush();
    return refused.end();
  }

  private merge(businessId: number, waiting: readonly Waiting[]): Promise<ImportOutcome[]> {
    if (waiting.length === 0) return Promise.resolve([]);
    const given = waiting.map(({ contact }) => contact);
    return this.unitOfWork.run(businessId, ({ contacts }) => contacts.merge(businessId, given));
  }
}

interface Waiting {
  readonly contact: ImportedContact;
  readonly cells: readonly string[];
}

const joined = (earlier: ImportedContact, later: ImportedContact): ImportedContact => ({
  phone: later.phone,
  name: later.name ?? earlier.name,
  fields: { ...earlier.fields, ...later.fields },
  tagNames: [...new Set([...earlier.tagNames, ...later.tagNames])],
  optedOut: later.optedOut ?? earlier.optedOut,
});

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
