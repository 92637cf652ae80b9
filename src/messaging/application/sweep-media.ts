import type { MediaRegister, MediaStorage } from "./media-ports.ts";

/** Longer than any request may take. */
const abandonedAfterSeconds = 3_600;
const mostAtOnce = 100;

/** Removes what is left of uploads whose process died, and of businesses that were deleted. */
export class SweepMedia {
  constructor(
    private readonly storage: MediaStorage,
    private readonly register: MediaRegister,
  ) {}

  /** @returns how many there were */
  async execute(signal?: { readonly aborted: boolean }): Promise<number> {
    for (let swept = 0; ; ) {
      const abandoned = await this.register.abandoned(abandonedAfterSeconds, mostAtOnce);
      for (const { businessId, name } of abandoned) {
        if (signal?.aborted) return swept;
        await this.storage.remove(name);
        await this.register.forget(businessId, name);
        swept += 1;
      }
      if (abandoned.length < mostAtOnce) return swept;
    }
  }
}
