import { type LevelWithSilent, pino } from "pino";
import type { Log } from "../../kernel/log.ts";
import { describeError, redact } from "./redact.ts";

export interface LogSettings {
  readonly level: LevelWithSilent;
  /** Which program speaks, such as `recado-worker`. */
  readonly name?: string;
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean;
}

/** What waits to be written when nobody reads; more is dropped rather than kept in memory. */
const mostWaitingBytes = 16 * 1024 * 1024;

/**
 * JSON lines on standard output: `level` (name), `time` (ISO 8601), `pid`, `hostname`, `name`, the fields, `msg`.
 * Written in the background, and whatever still waits when the process exits. Secrets, phone numbers and texts are
 * hidden by the names of their fields; errors lose everything but type, message, stack, code and causes.
 */
export function createLog({ level, name = "recado", pretty = false }: LogSettings): Log {
  const output = pino.destination({ dest: 1, sync: pretty, maxLength: mostWaitingBytes });
  return pino(
    {
      level,
      name,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redact },
      serializers: { err: describeErrorOnce },
    },
    pretty ? { write: (line) => output.write(forPeople(line)) } : output,
  );
}

/** `redact` has described it already, unless it was no error. */
const describeErrorOnce = (err: unknown): unknown => (typeof err === "string" ? describeError(err) : err);

function forPeople(line: string): string {
  const { level, time, pid: _, hostname: __, name: ___, msg, err, ...fields } = JSON.parse(line);
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  const stack = err === undefined ? "" : `\n${err.stack ?? JSON.stringify(err)}`;
  return `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${msg}${rest.join("")}${stack}\n`;
}
