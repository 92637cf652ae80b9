import type { Refusal, RefusalClass } from "../../domain/platform.ts";

/** The error object of the platform's own JSON, whatever the HTTP status it came with. */
export interface PlatformError {
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  readonly details?: string;
}

const classes: ReadonlyMap<number, RefusalClass> = new Map(
  Object.entries({
    // Throughput, account or app rate, number being upgraded or registered anew, brief outages.
    "wait-sender": [130429, 80007, 4, 131057, 131000, 131016, 133004, 1, 2],
    "wait-recipient": [131056],
    stop: [
      // The template: parameters, name and language, texts, policy, format, paused, disabled, a part missing.
      ...[132000, 132001, 132005, 132007, 132012, 132015, 132016, 131008],
      // The account: payment, locked, spam limit, policy, display name, number not registered or deleted.
      ...[131042, 131031, 131048, 368, 131037, 131045, 133010, 33],
      // Token and permissions; 200 to 299 are below.
      ...[190, 0, 3, 10, 131005],
    ],
    final: [131026, 131030, 131047, 130472, 131053, 100, 131021, 131051],
    "opted-out": [131050],
    later: [131049],
  } satisfies Record<RefusalClass, number[]>).flatMap(([name, codes]) =>
    codes.map((code) => [code, name as RefusalClass] as const),
  ),
);

/** "Object does not exist or permission is missing": the sending number, not the recipient. */
const unknownObject = { code: 100, subcode: 33 };

/**
 * What is to be done about an error, by its code and not by the HTTP status, on which the platform varies.
 * `undefined`: an unknown code of a status that does not say the request was refused.
 */
export function refusalClass(error: PlatformError, httpStatus: number): RefusalClass | undefined {
  if (error.code === unknownObject.code && error.subcode === unknownObject.subcode) return "stop";
  if (error.code >= 200 && error.code <= 299) return "stop";
  const known = classes.get(error.code);
  if (known) return known;
  if (httpStatus === 429) return "wait-sender";
  return httpStatus >= 400 && httpStatus <= 499 ? "final" : undefined;
}

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

export function refusal(
  error: PlatformError,
  as: { class: RefusalClass; accessToken: string; retryAfter: string | undefined },
): Refusal {
  const wait = retryAfterMs(as.retryAfter);
  return {
    class: as.class,
    code: error.code,
    reason: safeReason(error, as.accessToken),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}
