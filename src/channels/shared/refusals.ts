import type { RefusalClass } from "../../messaging/public.ts";

/** The error in a platform's own JSON, whatever the HTTP status it came with. */
export interface PlatformError {
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  readonly details?: string;
}

/** `unproven`: the platform answers so to messages that it has sent, too. */
type ErrorClass = RefusalClass | "unproven";

/** What is to be done about errors, by code or by code and subcode. */
export type ErrorClasses = ReadonlyMap<string, ErrorClass>;

/** A code stands as a number; with its subcode, which then goes before the code alone, as `"100/33"`. */
export const errorClasses = (
  codes: Readonly<Partial<Record<ErrorClass, readonly (number | `${number}/${number}`)[]>>>,
): ErrorClasses =>
  new Map(Object.entries(codes).flatMap(([name, own]) => own.map((code) => [`${code}`, name as ErrorClass] as const)));

/**
 * What is to be done about an error, by its code and not by the HTTP status, on which platforms vary.
 * `undefined` when it does not prove that the message was refused: an unknown code of a status that does not say so.
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

/** The messaging platform's rates: of the app, the user, the page, the account and the number. Nothing was done. */
export const platformRates: readonly number[] = [4, 17, 32, 613, 80002, 80006, 80007, 80008, 130429];
/** Its brief outages, and numbers that are being upgraded or registered again. Some come as a 400. */
export const platformTrouble: readonly number[] = [1, 2, 131000, 131016, 131057, 133004];

const longestReason = 300;

/** The platform's words without phone numbers, tokens and line breaks: they go to logs and operators. */
export function safeReason(error: PlatformError, accessToken: string): string {
  const text = error.details ? `${error.message}: ${error.details}` : error.message;
  return (accessToken === "" ? text : text.replaceAll(accessToken, "***"))
    .replace(/[A-Za-z0-9]{40,}/g, "***")
    .replace(/\d{7,}/g, "***")
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, longestReason);
}

const longestWaitMs = 24 * 60 * 60 * 1_000;

/** Milliseconds of a `Retry-After` header, in seconds or as a date; `undefined` when it says nothing usable. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestWaitMs);
}

/** One that its column cannot hold is no code of a platform: it is kept as none. */
export const storableCode = (code: number): number => (Math.abs(code) < 2 ** 31 ? code : 0);
