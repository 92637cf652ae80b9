import type { Context, Middleware } from "koa";
import { Busy, DatabaseAway, DomainError } from "../../../kernel/errors.ts";
import { type TransportFailureName, transportFailures } from "./transport-failures.ts";

/** A request that does not fit its schema; the message is written for the caller. */
export class InvalidInput extends DomainError<"invalid_input"> {
  readonly code = "invalid_input";
}

/** A failure of the transport itself, worded alike on every endpoint of the specification: `{ message }`. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The JSON body where it is another than `{ message }`. */
    readonly body: unknown = { message },
    /** The JSON body for operations whose failures have codes; `body` where there is none. */
    readonly codedBody: unknown = body,
  ) {
    const { stackTraceLimit } = Error;
    // Nobody reads where it was thrown, and thousands a second may be.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** @param message - where it says more than usual */
export function transportProblem(
  name: TransportFailureName,
  headers: Readonly<Record<string, string>> = {},
  message: string = transportFailures[name].message,
): HttpProblem {
  const { status, error, code } = transportFailures[name];
  return new HttpProblem(status, message, headers, { message }, coded(code, error));
}

/** A request that is turned away so that others can be answered: 429 where that is its caller's own doing, else 503. */
export class Refusal extends HttpProblem {
  constructor(
    /** For metrics: few and fixed. */
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

/** After which a client may come again where the database gave no connection. */
const awaySeconds = 5;

/** Only logs and metrics see it: nginx uses it for a client that hung up. */
const clientClosedRequest = 499;

type Answer = readonly [status: number, body: unknown];

/** How one endpoint words its failures: an answer for each that it expects, and one for all the rest. */
export type Dialect<Failure extends DomainError> = {
  readonly [Code in Failure["code"]]: (error: Extract<Failure, { code: Code }>) => Answer;
} & { readonly unexpected: (error: unknown) => Answer };

/** Any endpoint's dialect; only the endpoint itself knows which failures it lists. */
export type AnyDialect = { readonly unexpected: (error: unknown) => Answer };

/** Of routes that no specification gives words of their own. */
export const plainDialect: AnyDialect = { unexpected: () => [500, { message: "Internal server error" }] };

/** The body that many endpoints word a failure with: `failure` is its schema. */
export const failed = (error: string) => ({ success: false, error });

/** The body of failures beyond the specification's endpoints: words for people, a code for programs. */
export const coded = (code: string, error: string) => ({ error, code });

/** What operations with `coded` failures answer alike. */
export const codedDialect = {
  invalid_input: (error) => [400, coded("invalid_input", error.message)],
  unexpected: () => [500, coded("unexpected", "Error interno del servidor")],
} as const satisfies Dialect<InvalidInput>;

/** Stands before everything that may fail in a route, so that it is answered in the endpoint's own words. */
export function answering(dialect: AnyDialect): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendJson(ctx, ...wordsFor(dialect, error, ctx));
    }
  };
}

/** The endpoint's words for a failure; one that it does not expect is reported. Throws what no endpoint words. */
export function wordsFor(dialect: AnyDialect, error: unknown, ctx: Context): Answer {
  const answers = dialect as Partial<Record<string, (error: never) => Answer>>;
  const isWorded = error instanceof DomainError || (error instanceof HttpProblem && "code" in error);
  const answer = isWorded ? answers[String(error.code)] : undefined;
  if (answer && error instanceof HttpProblem) ctx.set(error.headers);
  if (answer) return answer(error as never);
  // The caller's mistake, also where an endpoint has no words for any.
  if (error instanceof InvalidInput) {
    return [400, ctx.state.saysCodes ? coded(error.code, error.message) : { message: error.message }];
  }
  if (error instanceof HttpProblem) throw error;
  if (error instanceof Busy) throw refusalOf(error);
  if (ctx.state.breakingOff?.aborted) throw new HttpProblem(clientClosedRequest, "Client closed request");
  const isAway = error instanceof DatabaseAway && mayRepeat(error, ctx);
  // Shed, which metrics count, and not a failure.
  if (isAway && error.cause instanceof Busy) throw new Refusal(error.cause.what, false, awaySeconds);
  ctx.app.emit("error", error, ctx);
  if (isAway) throw transportProblem("unavailable", { "Retry-After": String(awaySeconds) });
  return dialect.unexpected(error);
}

/** How a handler takes being called again after it failed: like the first time, or with another message sent or record made. */
export type Repeating = "harmless" | "harmful";

/**
 * What is answered with `Retry-After` is sent again. Until its handler runs, a request was only read; one that may have
 * sent or entered something by the time the database went away is answered in the endpoint's words.
 */
function mayRepeat({ mayHaveRun, isBeforeAll }: DatabaseAway, ctx: Context): boolean {
  const repeating: Repeating | undefined = ctx.state.repeating;
  return isBeforeAll || repeating === undefined || (repeating === "harmless" && !mayHaveRun);
}

const refusalOf = ({ what, isOwnDoing, retryAfter }: Busy): Refusal => new Refusal(what, isOwnDoing, retryAfter);

/** Sets the header directly: through `ctx.type` Koa would look the type up for each answer. */
export function sendJson(ctx: Context, status: number, body: unknown): void {
  ctx.status = status;
  ctx.res.setHeader("Content-Type", "application/json; charset=utf-8");
  ctx.body = JSON.stringify(body);
}
