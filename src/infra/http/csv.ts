/** A line of RFC 4180; what a spreadsheet would take for a formula is quoted with an apostrophe. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvField).join(",")}\r\n`;

function csvField(value: unknown): string {
  if (value === null || value === undefined) return "";
  const written = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(written) ? `'${written}` : written;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
