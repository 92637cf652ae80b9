import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { Reply } from "./route.ts";

export const wantsCsv = ({ accept = "" }: IncomingHttpHeaders): boolean => /\btext\/csv\b/.test(accept);

/** Lines as `csvLine` makes them, sent as they come, to be kept as a file of that name. */
export const csvReply = (lines: Iterable<string> | AsyncIterable<string>, file: string): Reply =>
  new Reply(200, Readable.from(lines), { "Content-Disposition": `attachment; filename="${file}"` }, "text/csv");

/** A line of RFC 4180; what a spreadsheet would take for a formula is quoted with an apostrophe. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvField).join(",")}\r\n`;

function csvField(value: unknown): string {
  if (value === null || value === undefined) return "";
  const written = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(written) ? `'${written}` : written;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
