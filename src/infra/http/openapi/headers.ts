import type { Route } from "../routing/route.ts";

/** Descriptions of response headers for the document. */

export const retryAfter = "Seconds until it is worth asking again";
export const rateHeaders = {
  "RateLimit-Policy": "What may be asked, as draft-ietf-httpapi-ratelimit-headers has it",
  RateLimit: "What is left of it",
} as const;
const replayHeader = {
  "Idempotent-Replay": "`true` where the answer is the one of an earlier request with the same key",
};
/** Further headers that pages may read. Operations may send these without listing them in `responses`. */
const unsaid = ["X-Request-Id", "ETag"];

/** Headers that the document defines once. */
export const sharedHeaders: ReadonlySet<string> = new Set([
  "Retry-After",
  ...Object.keys(rateHeaders),
  ...Object.keys(replayHeader),
]);

export const headersOfSuccess = (route: Route): Readonly<Record<string, string>> => ({
  ...(route.rateLimit !== "none" && rateHeaders),
  ...(route.idempotent && replayHeader),
});

/** The response headers that pages may read. Browsers never show `Set-Cookie` to pages. */
export const headersOf = (routes: readonly Route[]): string[] => {
  const own = routes.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const common = [rateHeaders, replayHeader, { "Retry-After": retryAfter }].flatMap(Object.keys);
  return [...new Set([...unsaid, ...common, ...own])].filter((name) => name !== "Set-Cookie");
};
