import { FairQueue, type FairQueueSettings } from "../../../kernel/fair-queue.ts";

/**
 * Limits of slow work in one process, in total and per business, so that fast requests find free cores and connections.
 * `uploads`, `bodies`, `imports` and `exports` wait for clients; `platform` and `ads` wait for platforms. `longReads`
 * are long pages, text searches and pages of cancelled orders. `records` are changes of records. The changes of one
 * business wait for each other in the database, and each change holds a connection meanwhile.
 */
const settings = {
  reports: { width: 3, widthPerKey: 1, queuePerKey: 40, queue: 400, waitMs: 15_000 },
  counts: { width: 12, widthPerKey: 6, queuePerKey: 100, queue: 1_000, waitMs: 5_000 },
  longReads: { width: 4, widthPerKey: 1, queuePerKey: 100, queue: 1_000, waitMs: 5_000 },
  exports: { width: 16, widthPerKey: 2, queuePerKey: 20, queue: 200, waitMs: 15_000 },
  campaigns: { width: 4, widthPerKey: 1, queuePerKey: 20, queue: 200, waitMs: 30_000 },
  imports: { width: 4, widthPerKey: 1, queuePerKey: 4, queue: 100, waitMs: 15_000 },
  records: { width: 64, widthPerKey: 6, queuePerKey: 100, queue: 1_000, waitMs: 15_000 },
  bodies: { width: 8, widthPerKey: 2, queuePerKey: 20, queue: 200, waitMs: 30_000 },
  uploads: { width: 128, widthPerKey: 16, queuePerKey: 64, queue: 512, waitMs: 30_000 },
  platform: { width: 256, widthPerKey: 64, queuePerKey: 256, queue: 2_000, waitMs: 10_000 },
  ads: { width: 32, widthPerKey: 4, queuePerKey: 40, queue: 400, waitMs: 15_000 },
} as const satisfies Record<string, Omit<FairQueueSettings, "name">>;

export type LaneName = keyof typeof settings;
export type Lanes = Readonly<Record<LaneName, FairQueue>>;

/** The most rows of a short page, and the most rows before it. Each page before it counts as `shortPage` rows. */
const shortPage = 20;
const skippedRows = 1_000;

/** Short pages near the beginning are fast and need no lane. */
export const laneOfPage = ({ limit = 0, page = 1 }: Readonly<Record<string, unknown>>): LaneName | undefined =>
  Number(limit) > shortPage || (Number(page) - 1) * shortPage > skippedRows ? "longReads" : undefined;

export const openLanes = (): Lanes =>
  Object.fromEntries(
    Object.entries(settings).map(([name, each]) => [name, new FairQueue({ name, ...each })]),
  ) as unknown as Lanes;
