import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { Reply } from "./routing/route.ts";

/** RFC 9110: CSV where the caller prefers it to JSON, or names it and likes both the same. */
export function wantsCsv({ accept = "" }: IncomingHttpHeaders): boolean {
  const ranges = new Map(accept.split(",").map(rangeIn));
  const quality = (...names: readonly string[]): number =>
    names.map((name) => ranges.get(name)).find((each) => each !== undefined) ?? 0;
  const csv = quality("text/csv", "text/*", "*/*");
  const json = quality("application/json", "application/*", "*/*");
  return csv > json || (csv > 0 && csv === json && ranges.has("text/csv"));
}

/** `text/csv;header=present;q=0.5` is CSV that is liked by half. */
function rangeIn(written: string): [name: string, quality: number] {
  const [name = "", ...parameters] = written.split(";").map((part) => part.trim().toLowerCase());
  const [, quality = "1"] = parameters.map((each) => /^q=([01](?:\.\d{0,3})?)$/.exec(each)).find(Boolean) ?? [];
  return [name, Number(quality)];
}

const varied = { Vary: "Accept" };

/** The JSON of an endpoint that answers CSV as well. */
export const jsonReply = (body: object): Reply => new Reply(200, body, varied);

/** Lines as `csvLine` makes them, sent as they come, to be kept as a file of that name. */
export const csvReply = (lines: Iterable<string> | AsyncIterable<string>, file: string): Reply =>
  new Reply(
    200,
    Readable.from(lines),
    { ...varied, "Content-Disposition": `attachment; filename="${file}"` },
    "text/csv",
  );

/** A line of RFC 4180; a text that a spreadsheet would take for a formula gets an apostrophe before it. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvField).join(",")}\r\n`;

/**
 * After OWASP's page on CSV injection: a sign that begins a formula, of full or small width too, behind any characters
 * that are not seen; and a tab or line break, which some programs cut off. U+2800 is a blank that Unicode does not call
 * one. What has apostrophes before that gets one more, so that the one which was put there can be told.
 */
const formula = /^'*([\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;

/** The text that `csvLine` wrote as this one: without the apostrophe that it put before a formula. */
export const unguarded = (written: string): string =>
  written.startsWith("'") && formula.test(written) ? written.slice(1) : written;

function csvField(value: unknown): string {
  if (value === null || value === undefined) return "";
  const written = String(value);
  const safe = typeof value === "string" && formula.test(written) ? `'${written}` : written;
  // Spaces around a field are cut off by programs that read it, unless it is quoted.
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
