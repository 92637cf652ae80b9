/**
 * Assignments for a row of `senders` when a platform reports a change. The change gets a new version, but must not fail a
 * client's write under `If-Match`: versions from `reported_from` to `reported_to` differ only by reports and count as one.
 *
 * @param isOther - the condition that the report changes what clients see
 */
export const countReport = (row: string, isOther: string): string => `
  record_version = ${row}.record_version + (${isOther})::integer,
  reported_from = case when not (${isOther}) or ${row}.reported_to = ${row}.record_version then ${row}.reported_from
                       else ${row}.record_version end,
  reported_to = case when ${isOther} then ${row}.record_version + 1 else ${row}.reported_to end`;
