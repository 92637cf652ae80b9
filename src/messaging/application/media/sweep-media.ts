import type { MediaRegister, MediaStorage } from "./ports.ts";

/** Longer than any request may take. */
const abandonedAfterSeconds = 3_600;
const mostAtOnce = 100;

/** Removes what is left of uploads whose process died, and of businesses that were deleted. */
export class SweepMedia {
  constructor(
    private readonly storage: MediaStorage,
    private readonly register: MediaRegister,
    /** Hears why a file could not be removed; the next sweep tries again. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** @returns how many it removed */
  async execute(signal?: { readonly aborted: boolean }): Promise<number> {
    for (let swept = 0; ; ) {
      const sweptBefore = swept;
      const abandoned = await this.register.abandoned(abandonedAfterSeconds, mostAtOnce);
      for (const { businessId, name } of abandoned) {
        if (signal?.aborted) return swept;
        if (await this.remove(businessId, name)) swept += 1;
      }
      if (abandoned.length < mostAtOnce || swept === sweptBefore) return swept;
    }
  }

  private async remove(businessId: number, name: string): Promise<boolean> {
    try {
      await this.storage.remove(name);
      await this.register.forget(businessId, name);
      return true;
    } catch (error) {
      this.onFailure(error);
      return false;
    }
  }
}
