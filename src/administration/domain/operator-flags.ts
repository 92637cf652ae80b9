import { maxId } from "../../kernel/ids.ts";
import { largestGroup } from "../../reports/public.ts";

/** Flags that only an operator sets. Null means that the default applies. */
export interface OperatorFlags {
  /** The businesses whose figures are included in this one's report. */
  readonly group_shared_report: readonly number[] | null;
  /** The limit for the size of all stored files together. */
  readonly media_quota_bytes: number | null;
}

export type OperatorFlag = keyof OperatorFlags;

/** The database's function for the quota accepts at most 15 digits. */
const largestQuota = 999_999_999_999_999;

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** The values that each flag accepts besides null, in words and as a check. */
const accepted: Readonly<
  Record<OperatorFlag, { readonly words: string; readonly check: (value: unknown) => boolean }>
> = {
  group_shared_report: {
    words: `a list of 1 to ${largestGroup} ids of businesses, each once, such as [1,2]`,
    check: (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= largestGroup &&
      new Set(value).size === value.length &&
      value.every((id) => isWhole(id, 1, maxId)),
  },
  media_quota_bytes: {
    words: `a whole number of bytes from 0 to ${largestQuota}`,
    check: (value) => isWhole(value, 0, largestQuota),
  },
};

export const operatorFlags = Object.keys(accepted) as readonly OperatorFlag[];

/** Tells an operator in words which values the flag accepts. Returns null if the flag accepts this value. */
export function refusalOf(flag: OperatorFlag, value: unknown): string | null {
  const { words, check } = accepted[flag];
  return value === null || check(value) ? null : `${flag} accepts ${words}, or null for its default`;
}
