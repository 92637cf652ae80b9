/**
 * True of rows of businesses that live here, for what works off rows of all businesses. The others are being moved to
 * another cell, or were moved and left rows behind. Asked once for a statement, of a table that is empty as a rule.
 *
 * @param business - the column
 */
export const livesHere = (business: string): string =>
  `${business} <> all (array(select business_id from away_businesses))`;
