import type { AuthKind } from "../routing/caller.ts";
import { type ResponseSpec, type Route, saysCodes, scopeOf } from "../routing/route.ts";
import {
  codedFailure,
  keyRefused,
  objectWith,
  problem,
  type Schema,
  text,
  tokenRefused,
  unauthorized,
} from "../routing/schema.ts";
import { type TransportFailureName, transportFailures } from "../routing/transport-failures.ts";
import { rateHeaders, retryAfter } from "./headers.ts";

export interface CommonResponse extends ResponseSpec {
  readonly schema: Schema;
  /** The possible codes of a `codedFailure`. */
  readonly codes?: readonly string[];
}

const described = {
  notJson: { description: "The body is not valid JSON" },
  keyInUse: {
    description:
      "A request with this `Idempotency-Key` is under way, or (without `Retry-After`) its answer was not kept",
    headers: { "Retry-After": retryAfter },
  },
  tooLarge: { description: "The body is too large" },
  keyOfAnotherRequest: { description: "This `Idempotency-Key` was used for another request" },
  tooManyRequests: {
    description:
      "The caller's own requests leave no room for this one: above the rate limit, too many at a time, or wrong credentials again",
    headers: { "Retry-After": retryAfter, ...rateHeaders },
  },
  unavailable: {
    description: "Nothing was done: the process has no room now, or its database cannot be reached",
    headers: { "Retry-After": retryAfter },
  },
} as const;

const withCodes = (response: ResponseSpec, ...names: TransportFailureName[]): CommonResponse => ({
  ...response,
  schema: codedFailure,
  codes: [...new Set(names.map((name) => transportFailures[name].code))],
});

export const commonResponses = {
  Unauthorized: { description: "Nobody is known by this key or token", schema: unauthorized },
  KeyRefused: {
    description: "Nobody is known by this key or token, or the business has no administrator",
    schema: keyRefused,
  },
  TokenRefused: { description: "Nobody is known by this token", schema: tokenRefused },
  Forbidden: {
    description: "The key lacks the scope that this takes, or the user is no administrator where only those may",
    schema: objectWith({ error: text, code: { const: "forbidden" } }),
  },
  NotJson: { ...described.notJson, schema: problem },
  KeyInUse: { ...described.keyInUse, schema: problem },
  TooLarge: { ...described.tooLarge, schema: problem },
  KeyOfAnotherRequest: { ...described.keyOfAnotherRequest, schema: problem },
  TooManyRequests: { ...described.tooManyRequests, schema: problem },
  Unavailable: { ...described.unavailable, schema: problem },
  // The failures below are for operations that answer failures with codes.
  InvalidJson: withCodes(described.notJson, "notJson"),
  BodyTooSlow: withCodes({ description: "The body took longer than it may" }, "tooSlow"),
  RequestUnderWay: withCodes(described.keyInUse, "keyInUse", "answerNotKept", "answerErased"),
  BodyTooLarge: withCodes(described.tooLarge, "tooLarge"),
  UnsupportedMediaType: withCodes(
    { description: "The body says that it is of another type than is asked for, or has an unknown compression" },
    "notLabelledJson",
    "badEncoding",
  ),
  IdempotencyKeyReused: withCodes(described.keyOfAnotherRequest, "keyOfAnotherRequest"),
  RateExceeded: withCodes(described.tooManyRequests, "tooManyRequests"),
  ServiceUnavailable: withCodes(described.unavailable, "unavailable"),
} as const satisfies Readonly<Record<string, CommonResponse>>;
export type CommonName = keyof typeof commonResponses;

const refusals: Readonly<Record<Exclude<AuthKind, "none">, CommonName>> = {
  "key-or-token": "KeyRefused",
  session: "TokenRefused",
  "key-or-session": "Unauthorized",
  "key-or-body-token": "KeyRefused",
};

/** The failures that may happen before a route's handler, by status. */
export function commonFailures(route: Route): Readonly<Record<number, CommonName>> {
  return {
    ...(route.auth !== "none" && { 401: saysCodes(route) ? "Unauthorized" : refusals[route.auth] }),
    ...((route.forAdministrators || scopeOf(route) !== undefined) && { 403: "Forbidden" as const }),
    ...(saysCodes(route) ? codedFailures(route) : plainFailures(route)),
  };
}

function plainFailures({ auth, body, idempotent, rateLimit }: Route): Readonly<Record<number, CommonName>> {
  return {
    ...(typeof body === "object" && { 400: "NotJson" }),
    ...(idempotent && { 409: "KeyInUse", 422: "KeyOfAnotherRequest" }),
    ...(body !== undefined && { 413: "TooLarge" }),
    ...(rateLimit !== "none" && { 429: "TooManyRequests" }),
    ...(auth !== "none" && { 503: "Unavailable" }),
  };
}

function codedFailures({ body, idempotent, rateLimit }: Route): Readonly<Record<number, CommonName>> {
  const isJson = typeof body === "object";
  return {
    ...(isJson && { 400: "InvalidJson", 408: "BodyTooSlow" }),
    ...(idempotent && { 409: "RequestUnderWay", 422: "IdempotencyKeyReused" }),
    ...(body !== undefined && { 413: "BodyTooLarge" }),
    ...((isJson || body === "csv") && { 415: "UnsupportedMediaType" }),
    ...(rateLimit !== "none" && { 429: "RateExceeded" }),
    503: "ServiceUnavailable",
  };
}

/** Whether the document adds this common failure to an operation's own answer with the same status. */
export const isSaidBesideOwn = (name: CommonName): boolean =>
  "codes" in commonResponses[name] ||
  ["KeyInUse", "KeyOfAnotherRequest", "TooLarge", "TooManyRequests", "Unavailable"].includes(name);
