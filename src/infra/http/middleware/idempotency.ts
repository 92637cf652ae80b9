import { createHash } from "node:crypto";
import type { Context } from "koa";
import { Busy, DatabaseUnavailable, DomainError } from "../../../kernel/errors.ts";
import type { AnswerAbout, IdempotencyStore, KeyClaim, StoredAnswer } from "../../../kernel/idempotency.ts";
import type { KeyCaller, UserCaller } from "../routing/caller.ts";
import {
  type AnyDialect,
  HttpProblem,
  InvalidInput,
  isOfBreakingOff,
  transportProblem,
  wordsFor,
} from "../routing/dialect.ts";
import { Reply } from "../routing/route.ts";
import { StreamedBody } from "../streaming/streamed-body.ts";

/** Bytes of the largest answer that is stored for repetition. */
export const largestKeptBody = 64 * 1024;

/** The description of `Idempotency-Key` in the OpenAPI document. */
export const keyDescription = [
  "Makes the request safe to repeat: under one key it is carried out at most once in 24 hours. Keys are those of one",
  "caller (App Key or user) and one operation. The same request again (method, URL and body) is answered as the first",
  "one was, with `Idempotent-Replay: true`, failures included: to try again what failed, use another key. While the first is still",
  "under way the answer is 409 with `Retry-After`; another request under the same key is a 422. Where the contact of whom the answer speaks was",
  "erased meanwhile, a 409 says so. A request that is",
  "refused before it is carried out (authentication, rate limit, a wrong field, `If-Match`) does not use its key up, nor does one",
  "that sent nothing because the platform was not reached or the business has no sender: repeat it under the same key. Where the",
  "process that carried it out died, it is not carried out again: the answer is then the operation's own 500, with",
  "`Idempotent-Replay: true`, and the outcome is unknown; of a message, its delivery statuses tell it.",
].join(" ");

/** Carries a request out, or repeats the stored answer of its key. */
type Once = (
  ctx: Context,
  carryOut: () => Promise<Reply>,
  /** The contact that the answer is about. */
  aboutOf?: (reply: Reply) => AnswerAbout | null,
) => Promise<Reply>;

interface KeyedOperation {
  readonly operationId: string;
  readonly dialect: AnyDialect;
}

/**
 * Handles the header `Idempotency-Key` after the input is validated. The key is freed if certainly nothing was done:
 * after `InvalidInput`, `HttpProblem`, `Busy`, 412, an error with `mayRepeat`, or `DatabaseUnavailable` before any
 * change. Every other outcome is stored.
 */
export function onceByKey({ operationId, dialect }: KeyedOperation, store: IdempotencyStore): Once {
  return async (ctx, carryOut, aboutOf = () => null) => {
    const key = ctx.req.headers["idempotency-key"];
    if (key === undefined) return carryOut();
    if (typeof key !== "string" || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new InvalidInput("Idempotency-Key no es válido");
    }
    const { businessId } = ctx.state.caller;
    const caller = nameOf(ctx.state.caller);
    const begun = await store.begin({ businessId, caller, operation: operationId, key, digest: digestOf(ctx) });
    switch (begun.kind) {
      case "claimed":
        return keeping({ ctx, dialect, store, aboutOf }, begun.claim, carryOut);
      case "in-flight":
        throw transportProblem("keyInUse", { "Retry-After": "1" });
      case "other-request":
        throw transportProblem("keyOfAnotherRequest");
      case "abandoned":
        return replayed(new Reply(...dialect.unexpected(new Error("a request under this key was never finished"))));
      case "erased":
        throw transportProblem(
          "answerErased",
          {},
          `This request was answered with status ${begun.status}; the answer was erased`,
        );
      case "answered":
        return replayed(repeat(begun.answer));
    }
  };
}

interface Keeping {
  readonly ctx: Context;
  readonly dialect: AnyDialect;
  readonly store: IdempotencyStore;
  readonly aboutOf: (reply: Reply) => AnswerAbout | null;
}

async function keeping(
  { ctx, dialect, store, aboutOf }: Keeping,
  claim: KeyClaim,
  carryOut: () => Promise<Reply>,
): Promise<Reply> {
  // Once the request is carried out, the caller gets the answer even if the key cannot be updated.
  const noted = (writing: Promise<void>) => writing.catch((error: unknown) => ctx.app.emit("error", error, ctx));
  const reply = await carryOut().catch(async (error: unknown) => {
    if (error instanceof InvalidInput || isNothingDone(error)) {
      await noted(store.release(claim));
      throw error;
    }
    // The client may ask again, so the outcome is stored even if the client has left.
    return new Reply(...(isOfBreakingOff(error, ctx) ? dialect.unexpected(error) : wordsFor(dialect, error, ctx)));
  });
  const isRefused = reply.status === 412;
  await noted(isRefused ? store.release(claim) : store.finish(claim, answerOf(reply), aboutOf(reply)));
  return reply;
}

const isNothingDone = (error: unknown): boolean =>
  error instanceof HttpProblem ||
  error instanceof Busy ||
  (error instanceof DomainError && error.mayRepeat) ||
  (error instanceof DatabaseUnavailable && error.isBeforeAll);

const nameOf = (caller: KeyCaller | UserCaller): string =>
  "userId" in caller ? `user ${caller.userId}` : `key ${caller.keyId}`;

/** Hashes the method, the URL and the body. The body is hashed before it is parsed, but after decompression. */
function digestOf(ctx: Context): Uint8Array {
  const { body, rawBody = "" } = ctx.request as { body?: unknown; rawBody?: string };
  const bytes = body instanceof StreamedBody ? body.digest : Buffer.isBuffer(body) ? body : rawBody;
  return createHash("sha256").update(`${ctx.method} ${ctx.url}\n`).update(bytes).digest();
}

function answerOf({ status, headers, type, body }: Reply): StoredAnswer {
  const text = type === undefined ? (JSON.stringify(body) ?? "") : body;
  const isKept = typeof text === "string" && Buffer.byteLength(text) <= largestKeptBody;
  return { status, headers, contentType: type ?? "application/json", body: isKept ? text : null };
}

function repeat({ status, headers, contentType, body }: StoredAnswer): Reply {
  if (body !== null) return new Reply(status, body, headers, contentType);
  const words = `This request was answered with status ${status}; the answer was too large to keep`;
  throw transportProblem("answerNotKept", {}, words);
}

const replayed = ({ status, body, headers, type }: Reply): Reply =>
  new Reply(status, body, { ...headers, "Idempotent-Replay": "true" }, type);
