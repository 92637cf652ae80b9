import type { IncomingHttpHeaders } from "node:http";
import { longNumbers } from "../../kernel/text.ts";
import type { RefusalClass } from "../../messaging/public.ts";

/** The error in a platform's own JSON, with any HTTP status. */
export interface PlatformError {
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  readonly details?: string;
}

/** `unproven`: the platform also gives this error for messages that it did send. */
type ErrorClass = RefusalClass | "unproven";

/** Error classes by code, or by code and subcode. */
export type ErrorClasses = ReadonlyMap<string, ErrorClass>;

/** Each class has a list of codes. A code with a subcode, such as `"100/33"`, takes precedence over the code alone. */
export const errorClasses = (
  codes: Readonly<Partial<Record<ErrorClass, readonly (number | `${number}/${number}`)[]>>>,
): ErrorClasses =>
  new Map(Object.entries(codes).flatMap(([name, own]) => own.map((code) => [`${code}`, name as ErrorClass] as const)));

/**
 * Classifies an error by its code. If the code is unknown, the HTTP status decides; it is less exact, because platforms
 * use it differently. `undefined` if the error does not prove that the message was refused.
 */
export function refusalClass(
  error: PlatformError,
  httpStatus: number,
  classes: ErrorClasses,
): RefusalClass | undefined {
  const known = classes.get(`${error.code}/${error.subcode}`) ?? classes.get(`${error.code}`);
  if (known) return known === "unproven" ? undefined : known;
  if (httpStatus === 429) return "wait-sender";
  return httpStatus >= 400 && httpStatus <= 499 ? "final" : undefined;
}

/** Rate limits of the app, the user, the page, the account and the number. The refused request had no effect. */
export const platformRates: readonly number[] = [4, 17, 32, 613, 80002, 80006, 80007, 80008, 130429];
/** Short outages, and numbers that are being upgraded or registered again. Some of these errors have status 400. */
export const platformTrouble: readonly number[] = [1, 2, 131000, 131016, 131057, 133004];

const longestReason = 300;

/** The platform's text for logs and operators: without phone numbers, tokens and line breaks. */
export function safeReason(error: PlatformError, accessToken: string): string {
  const text = error.details ? `${error.message}: ${error.details}` : error.message;
  return (accessToken === "" ? text : text.replaceAll(accessToken, "***"))
    .replace(/[A-Za-z0-9]{40,}/g, "***")
    .replace(longNumbers, "***")
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, longestReason);
}

const longestWaitMs = 24 * 60 * 60 * 1_000;

/** Reads the requested wait from `Retry-After`, which has seconds or a date; empty if it is missing or invalid. */
export function waitIn({ "retry-after": header }: IncomingHttpHeaders): { readonly retryAfterMs?: number } {
  if (header === undefined) return {};
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? {} : { retryAfterMs: Math.min(Math.max(wait, 0), longestWaitMs) };
}

/** Codes outside the column's range become 0. */
export const storableCode = (code: number): number => (Math.abs(code) < 2 ** 31 ? code : 0);
