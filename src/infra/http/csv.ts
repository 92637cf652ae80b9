import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { Reply } from "./routing/route.ts";

/** Whether the Accept header prefers CSV to JSON, or names CSV and gives both the same quality (RFC 9110). */
export function wantsCsv({ accept = "" }: IncomingHttpHeaders): boolean {
  const ranges = new Map(accept.split(",").map(rangeIn));
  const quality = (...names: readonly string[]): number =>
    names.map((name) => ranges.get(name)).find((each) => each !== undefined) ?? 0;
  const csv = quality("text/csv", "text/*", "*/*");
  const json = quality("application/json", "application/*", "*/*");
  return csv > json || (csv > 0 && csv === json && ranges.has("text/csv"));
}

/** Parses `text/csv;header=present;q=0.5`. */
function rangeIn(written: string): [name: string, quality: number] {
  const [name = "", ...parameters] = written.split(";").map((part) => part.trim().toLowerCase());
  const [, quality = "1"] = parameters.map((each) => /^q=([01](?:\.\d{0,3})?)$/.exec(each)).find(Boolean) ?? [];
  return [name, Number(quality)];
}

const varied = { Vary: "Accept" };

/** JSON of an endpoint that can also answer CSV. */
export const jsonReply = (body: object): Reply => new Reply(200, body, varied);

/** A CSV download that is streamed line by line. */
export const csvReply = (lines: Iterable<string> | AsyncIterable<string>, file: string): Reply =>
  new Reply(
    200,
    Readable.from(lines),
    { ...varied, "Content-Disposition": `attachment; filename="${file}"` },
    "text/csv",
  );

/** A line of RFC 4180. A text that a spreadsheet could run as a formula gets an apostrophe in front. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvField).join(",")}\r\n`;

/**
 * Texts that a spreadsheet could run (OWASP's page on CSV injection). They begin with a tab, a line break or a formula
 * sign of any width. Invisible characters may precede the sign. U+2800 is listed since Unicode classes it as a symbol.
 * Apostrophes before such a text are skipped: `csvLine` adds one more, and `unguarded` removes one.
 */
const formula = /^'*([\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;

/** Removes the apostrophe that `csvLine` added. */
export const unguarded = (written: string): string =>
  written.startsWith("'") && formula.test(written) ? written.slice(1) : written;

function csvField(value: unknown): string {
  if (value === null || value === undefined) return "";
  const written = String(value);
  const safe = typeof value === "string" && formula.test(written) ? `'${written}` : written;
  // A field with spaces at its ends is quoted too, since programs trim unquoted fields.
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
