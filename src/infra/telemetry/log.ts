import { type LevelWithSilent, pino } from "pino";
import type { Log } from "../../kernel/log.ts";
import { describeError, redact } from "./redact.ts";

/** Bytes of unwritten lines; further lines are dropped. */
const mostWaitingBytes = 16 * 1024 * 1024;
/** Lines are gathered up to this many bytes, or for `flushMs`, because each write wakes another thread. */
const gatheredBytes = 16_000;
const flushMs = 100;

/**
 * JSON lines on standard output, written in the background. Fields whose names stand for secrets, phone numbers or
 * texts are hidden. Errors are logged with type, message, stack, code and causes only.
 */
export const createLog = (level: LevelWithSilent): Log =>
  pino(
    {
      level,
      name: "recado",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redact },
      serializers: { err: describeErrorOnce },
    },
    gathering(),
  );

/** pino's own `periodicFlush` would write ten times a second even without lines. */
function gathering() {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    maxLength: mostWaitingBytes,
    minLength: gatheredBytes,
  });
  const write = destination.write.bind(destination);
  let isToFlush = false;
  const flush = (): void => {
    isToFlush = false;
    destination.flush();
  };
  destination.write = (line) => {
    if (!isToFlush) setTimeout(flush, flushMs).unref();
    isToFlush = true;
    return write(line);
  };
  return destination;
}

/** pino calls `redact` first, and `redact` describes errors. Only an `err` that is a string is left to describe. */
const describeErrorOnce = (err: unknown): unknown => (typeof err === "string" ? describeError(err) : err);
