import type { ImportProgress, ImportRow, ImportRows } from "../../../kernel/row-imports.ts";
import {
  type ContactUnitOfWork,
  type ImportedContact,
  type ImportOutcome,
  type RefusedOutcome,
  refusedOutcomes,
} from "./ports.ts";

/** Imports contacts in batches, each in its own transaction. Rows with the same number are applied in order. */
export class ImportContacts {
  constructor(
    private readonly unitOfWork: ContactUnitOfWork,
    private readonly imports: Pick<ImportRows, "execute">,
  ) {}

  /**
   * @param lineOf - formats a refused row for the file
   * @param progress - its counters rise while rows are imported
   * @returns the name of the file with the refused rows; null if there are none
   */
  execute<Refusal extends string>(
    businessId: number,
    rows: AsyncIterable<ImportRow<ImportedContact, Refusal>>,
    lineOf: (refusal: Refusal | RefusedOutcome, cells: readonly string[]) => string,
    header: string,
    progress: ImportProgress,
  ): Promise<string | null> {
    const take = async (contacts: readonly ImportedContact[]) => {
      const merged = await this.unitOfWork.run(businessId, (edits) => edits.merge(businessId, contacts));
      return merged.map((outcome) => (outcome !== null && isRefusal(outcome) ? { refusal: outcome } : outcome));
    };
    const taken = { keyOf: ({ phone }: ImportedContact) => phone, take, lineOf, header };
    return this.imports.execute<ImportedContact, Refusal | RefusedOutcome>(businessId, rows, taken, progress);
  }
}

const isRefusal = (outcome: ImportOutcome): outcome is RefusedOutcome =>
  (refusedOutcomes as readonly string[]).includes(outcome);
