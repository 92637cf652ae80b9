/**
 * Assignments for the row `sender` when a platform reports a change. The change gets a new version, but must not fail a
 * client's write under `If-Match`: versions from `reported_from` to `reported_to` differ only by reports and count as
 * one.
 *
 * @param isOther - the condition that the report changes what clients see
 */
export const countReport = (isOther: string): string => `
  record_version = sender.record_version + (${isOther})::integer,
  reported_from = case when not (${isOther}) or sender.reported_to = sender.record_version then sender.reported_from
                       else sender.record_version end,
  reported_to = case when ${isOther} then sender.record_version + 1 else sender.reported_to end`;
