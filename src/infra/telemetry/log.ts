import { type LevelWithSilent, pino } from "pino";
import type { Log } from "../../kernel/log.ts";
import { describeError, redact } from "./redact.ts";

/** What waits to be written when nobody reads; more is dropped rather than kept in memory. */
const mostWaitingBytes = 16 * 1024 * 1024;
/** Lines are written so many bytes at a time, or after so many ms: each write wakes another thread. */
const gatheredBytes = 16_000;
const flushMs = 100;

/**
 * JSON lines on standard output: `level` (name), `time` (ISO 8601), `pid`, `hostname`, `name`, the fields, `msg`.
 * Written in the background, and whatever still waits when the process exits. Secrets, phone numbers and texts are
 * hidden by the names of their fields; errors lose everything but type, message, stack, code and causes.
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

/** With its own `periodicFlush` it would write ten times a second, lines or not, which costs 1 ms of CPU each second. */
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

/** `redact` has described it already, unless it was no error. */
const describeErrorOnce = (err: unknown): unknown => (typeof err === "string" ? describeError(err) : err);
