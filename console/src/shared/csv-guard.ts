/** Texts in front of which the service writes an apostrophe in CSV, since a spreadsheet could run them as formulas. */
const formula = /^'*([\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;

/** Removes the apostrophe that the service added. */
export const unguarded = (written: string): string =>
  written.startsWith("'") && formula.test(written) ? written.slice(1) : written;
