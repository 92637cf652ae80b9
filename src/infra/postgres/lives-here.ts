/**
 * The condition that a row's business lives in this cell, for statements over all businesses. A business that was moved
 * leaves rows behind. The subquery runs once per statement, on a table that is usually empty.
 */
export const livesHere = (business: string): string =>
  `${business} <> all (array(select business_id from away_businesses))`;
