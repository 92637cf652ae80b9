import { FairGate, type FairGateSettings } from "../../../kernel/fair-gate.ts";

/**
 * Kinds of slow work. Of each kind only so much runs at a time in one process, and of one business less: two cores are
 * filled by four reports, and what is answered in milliseconds has to find them free. `uploads`, `bodies`, `imports` and `exports`
 * are slow because their clients may be, `platform` and `ads` because the platforms may be. Long pages and searches in texts are
 * `longReads`: they take ten times as long as the others. Changes of a business's `records` wait for each other in the
 * database, and are not to wait there with all the connections that the business may have.
 */
const settings = {
  reports: { width: 3, widthOfOne: 1, queueOfOne: 40, queue: 400, waitMs: 15_000 },
  counts: { width: 12, widthOfOne: 6, queueOfOne: 100, queue: 1_000, waitMs: 5_000 },
  longReads: { width: 4, widthOfOne: 1, queueOfOne: 100, queue: 1_000, waitMs: 5_000 },
  exports: { width: 16, widthOfOne: 2, queueOfOne: 20, queue: 200, waitMs: 15_000 },
  campaigns: { width: 4, widthOfOne: 1, queueOfOne: 20, queue: 200, waitMs: 30_000 },
  imports: { width: 4, widthOfOne: 1, queueOfOne: 4, queue: 100, waitMs: 15_000 },
  records: { width: 64, widthOfOne: 6, queueOfOne: 100, queue: 1_000, waitMs: 15_000 },
  bodies: { width: 8, widthOfOne: 2, queueOfOne: 20, queue: 200, waitMs: 30_000 },
  uploads: { width: 128, widthOfOne: 16, queueOfOne: 64, queue: 512, waitMs: 30_000 },
  platform: { width: 256, widthOfOne: 64, queueOfOne: 256, queue: 2_000, waitMs: 10_000 },
  ads: { width: 32, widthOfOne: 4, queueOfOne: 40, queue: 400, waitMs: 15_000 },
} as const satisfies Record<string, Omit<FairGateSettings, "name">>;

export type LaneName = keyof typeof settings;
export type Lanes = Readonly<Record<LaneName, FairGate>>;

/** More rows than these on a page, or before it, make a long read. */
const shortPage = 20;
const skippedRows = 1_000;

/** A short page near the beginning takes no longer than one order, and waits for no turn. */
export const laneOfPage = ({ limit = 0, page = 1 }: Readonly<Record<string, unknown>>): LaneName | undefined =>
  Number(limit) > shortPage || (Number(page) - 1) * shortPage > skippedRows ? "longReads" : undefined;

export const openLanes = (): Lanes =>
  Object.fromEntries(
    Object.entries(settings).map(([name, each]) => [name, new FairGate({ name, ...each })]),
  ) as unknown as Lanes;
