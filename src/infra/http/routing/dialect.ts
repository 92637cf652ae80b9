import type { Context, Middleware } from "koa";
import { Busy, DatabaseUnavailable, DomainError, domainError } from "../../../kernel/errors.ts";
import { type TransportFailureName, transportFailures } from "./transport-failures.ts";

/** A request that its schema or another check refuses. The caller gets the message. */
export class InvalidInput extends domainError("invalid_input") {}

/** A failure that brings its own answer. A dialect can word another answer only for a subclass with a `code`. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The JSON body, if it is not `{ message }`. */
    readonly body: unknown = { message },
    /** The JSON body for operations that answer failures with codes. */
    readonly codedBody: unknown = body,
  ) {
    const { stackTraceLimit } = Error;
    // A stack trace is costly and unneeded: an overload throws thousands of these errors per second.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** @param message - replaces the usual one */
export function transportProblem(
  name: TransportFailureName,
  headers: Readonly<Record<string, string>> = {},
  message: string = transportFailures[name].message,
): HttpProblem {
  const { status, error, code } = transportFailures[name];
  return new HttpProblem(status, message, headers, { message }, coded(code, error));
}

/** Refuses a request to protect others: 429 if the caller's own requests are the reason, else 503. */
export class Refusal extends HttpProblem {
  constructor(
    /** A metric label: one of a few constants. */
    readonly reason: string,
    isOwnDoing: boolean,
    retryAfter: number,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const { status, message, error, code } = transportFailures[isOwnDoing ? "tooManyRequests" : "unavailable"];
    const left = isOwnDoing ? { RateLimit: `"${reason}";r=0;t=${retryAfter}` } : {};
    const all = { ...left, ...headers, "Retry-After": String(retryAfter) };
    super(status, message, all, { message }, coded(code, error));
  }
}

/** `Retry-After` if the database cannot be reached. */
const awaySeconds = 5;

/** nginx's status for a client that left. Only logs and metrics see it. */
const clientClosedRequest = 499;

type Answer = readonly [status: number, body: unknown];

/** How an endpoint words its failures: one answer for each expected failure, and one for all others. */
export type Dialect<Failure extends DomainError> = {
  readonly [Code in Failure["code"]]: (error: Extract<Failure, { code: Code }>) => Answer;
} & { readonly unexpected: (error: unknown) => Answer };

export type AnyDialect = { readonly unexpected: (error: unknown) => Answer };

/** For routes whose failures have no texts of their own. */
export const plainDialect: AnyDialect = { unexpected: () => [500, { message: "Internal server error" }] };

/** The body whose schema is `failure`. */
export const failed = (error: string) => ({ success: false, error });

/** The body of failures outside the specification: a text for people and a code for programs. */
export const coded = (code: string, error: string) => ({ error, code });

/** The failures that all operations with codes share. */
export const codedDialect = {
  invalid_input: (error) => [400, coded("invalid_input", error.message)],
  unexpected: () => [500, coded("unexpected", "Error interno del servidor")],
} as const satisfies Dialect<InvalidInput>;

/** Answers the errors of the route's later middleware. An `HttpProblem` that `wordsFor` throws passes through. */
export function answering(dialect: AnyDialect): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendJson(ctx, ...wordsFor(dialect, error, ctx));
    }
  };
}

/** Returns the endpoint's answer to an error, or throws an `HttpProblem` if it has none. Logs unexpected errors. */
export function wordsFor(dialect: AnyDialect, error: unknown, ctx: Context): Answer {
  const answers = dialect as Partial<Record<string, (error: never) => Answer>>;
  const isWorded = error instanceof DomainError || (error instanceof HttpProblem && "code" in error);
  const answer = isWorded ? answers[String(error.code)] : undefined;
  if (answer && error instanceof HttpProblem) ctx.set(error.headers);
  if (answer) return answer(error as never);
  // Invalid input is the caller's mistake, even if the endpoint has no words for it.
  if (error instanceof InvalidInput) {
    return [400, ctx.state.saysCodes ? coded(error.code, error.message) : { message: error.message }];
  }
  if (error instanceof HttpProblem) throw error;
  if (error instanceof Busy) throw refusalOf(error);
  if (isOfBreakingOff(error, ctx)) throw new HttpProblem(clientClosedRequest, "Client closed request");
  const isAway = error instanceof DatabaseUnavailable && mayRepeat(error, ctx);
  // `Busy` is a deliberate refusal, not an error to log.
  if (isAway && error.cause instanceof Busy) throw new Refusal(error.cause.what, false, awaySeconds);
  ctx.app.emit("error", error, ctx);
  if (isAway) throw transportProblem("unavailable", { "Retry-After": String(awaySeconds) });
  return dialect.unexpected(error);
}

/** Whether work ended with this error because the client left. Threads and timers give the signal's reason as cause. */
export function isOfBreakingOff(error: unknown, { state }: Context): boolean {
  const signal: AbortSignal | undefined = state.breakingOff;
  if (!signal?.aborted || !(error instanceof Error)) return false;
  return error === signal.reason || error.cause === signal.reason;
}

/** Whether the handler may run again after a failure. A harmful repetition would send or create something twice. */
export type Repeating = "harmless" | "harmful";

/**
 * Whether the answer gets `Retry-After`, so that clients repeat the request: only if certainly nothing was changed or
 * sent. `repeating` is undefined for GET and before the handler runs.
 */
function mayRepeat({ mayHaveRun, isBeforeAll }: DatabaseUnavailable, ctx: Context): boolean {
  const repeating: Repeating | undefined = ctx.state.repeating;
  return isBeforeAll || repeating === undefined || (repeating === "harmless" && !mayHaveRun);
}

const refusalOf = ({ what, isOwnDoing, retryAfter }: Busy): Refusal => new Refusal(what, isOwnDoing, retryAfter);

/** Sets the header directly, since `ctx.type` would look the type up each time. */
export function sendJson(ctx: Context, status: number, body: unknown): void {
  ctx.status = status;
  ctx.res.setHeader("Content-Type", "application/json; charset=utf-8");
  ctx.body = JSON.stringify(body);
}
