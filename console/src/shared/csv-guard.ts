/** Matches texts that a spreadsheet could run as formulas. The service writes an apostrophe before them in CSV. */
const formula = /^'*([\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;

/** Removes the apostrophe that the service added. */
export const unguarded = (written: string): string =>
  written.startsWith("'") && formula.test(written) ? written.slice(1) : written;
