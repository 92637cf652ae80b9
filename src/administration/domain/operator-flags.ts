import { maxId } from "../../kernel/ids.ts";
import { largestGroup } from "../../reports/public.ts";

/** Flags that an operator decides on; the business itself only reads them. Null where a flag says nothing. */
export interface OperatorFlags {
  /** The businesses whose figures stand in this one's report. */
  readonly group_shared_report: readonly number[] | null;
  /** Room for stored files. */
  readonly media_quota_bytes: number | null;
}

export type OperatorFlag = keyof OperatorFlags;

/** As much as the database reads of it. */
const largestQuota = 999_999_999_999_999;

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** What each of them takes, in words and as a check. Each takes null too. */
const takes: Readonly<Record<OperatorFlag, { readonly words: string; readonly check: (value: unknown) => boolean }>> = {
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

export const operatorFlags = Object.keys(takes) as readonly OperatorFlag[];

/** What speaks against a value, in words for an operator; null where nothing does. */
export function complaintAbout(flag: OperatorFlag, value: unknown): string | null {
  const { words, check } = takes[flag];
  return value === null || check(value) ? null : `${flag} takes ${words}; or null, so that its default holds`;
}
