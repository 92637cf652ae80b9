import type { Matching } from "../../domain/records.ts";

export interface Zone {
  readonly name: string;
  /** Major units with two decimals. */
  readonly price: string;
  readonly branchId: number | null;
}

export const zoneMatching: Matching<Zone> = { by: ["name", "branchId"] };
