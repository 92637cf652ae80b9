import type { MediaNames, MediaRegister, MediaStorage } from "./ports.ts";
import { removeFile } from "./remove-file.ts";

/** No upload takes this long, so an older unfinished file is abandoned. */
const abandonedAfterSeconds = 3_600;
const unnamedAfterDays = 30;
const mostAtOnce = 100;
const mostNamesAtOnce = 500;

/** Ends a sweep before its next file, or before the files of the next business. */
type Stop = { readonly aborted: boolean } | undefined;

/**
 * Removes files that nothing has referred to for a long time, remains of uploads whose process died, and files of
 * deleted businesses.
 */
export class SweepMedia {
  constructor(
    private readonly storage: MediaStorage,
    private readonly register: MediaRegister,
    private readonly names: MediaNames,
    /** Called if a file could not be removed or a business's files could not be checked; the next sweep tries again. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** @returns how many files it removed */
  async execute(signal?: Stop): Promise<number> {
    const { storage, register } = this;
    await this.withdrawUnnamed(signal);
    for (let swept = 0; ; ) {
      const sweptBefore = swept;
      const abandoned = await register.abandoned(abandonedAfterSeconds, mostAtOnce);
      for (const file of abandoned) {
        if (signal?.aborted) return swept;
        if (await removeFile({ storage, register }, file, this.onFailure)) swept += 1;
      }
      if (abandoned.length < mostAtOnce || swept === sweptBefore) return swept;
    }
  }

  /** Withdraws old files without references. A file with references is next checked after `unnamedAfterDays` days. */
  private async withdrawUnnamed(signal: Stop): Promise<void> {
    const failing: number[] = [];
    for (;;) {
      const found = await this.register.longUnnamed(unnamedAfterDays, mostNamesAtOnce, failing);
      if (found.length === 0) return;
      for (const { businessId, names } of found) {
        if (signal?.aborted) return;
        try {
          const named = await this.names.among({ businessId, names });
          await this.register.keep({ businessId, names: named });
          const unnamed = names.filter((name) => !named.includes(name));
          await this.register.withdrawUnnamed({ businessId, names: unnamed }, unnamedAfterDays);
        } catch (error) {
          this.onFailure(error);
          failing.push(businessId);
        }
      }
    }
  }
}
