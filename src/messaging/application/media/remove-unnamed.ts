import type { MediaNames, MediaRegister, MediaStorage } from "./ports.ts";
import { removeFile } from "./remove-file.ts";

/** Removes files of a business that nothing of it names any more, for good. */
export class RemoveUnnamed {
  /** @param onFailure - hears why a withdrawn file could not be removed at once; the sweep removes it later */
  constructor(
    private readonly storage: MediaStorage | null,
    private readonly register: MediaRegister,
    private readonly names: MediaNames,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  async execute(businessId: number, names: readonly string[]): Promise<void> {
    const { storage, register } = this;
    if (!storage || names.length === 0) return;
    const named = new Set(await this.names.among({ businessId, names }));
    for (const name of names) {
      if (named.has(name) || !(await register.withdraw(businessId, name, null))) continue;
      await removeFile({ storage, register }, { businessId, name }, this.onFailure);
    }
  }
}
