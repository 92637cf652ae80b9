import type { MediaRegister, MediaStorage } from "./ports.ts";
import { removeFile } from "./remove-file.ts";

/** Deletes withdrawn files from the storage and the register. */
export class RemoveWithdrawn {
  constructor(
    private readonly storage: MediaStorage | null,
    private readonly register: Pick<MediaRegister, "forget">,
  ) {}

  /** Tries all files, then rejects if one could not be removed. */
  async execute(businessId: number, names: readonly string[]): Promise<void> {
    const { storage, register } = this;
    if (!storage) return;
    const failures: unknown[] = [];
    for (const name of names) {
      await removeFile({ storage, register }, { businessId, name }, (error) => void failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be removed`);
  }
}
