/**
 * Assignments for the row `sender` when a platform reports a change. If clients see the change, the version rises, but
 * a client's write with `If-Match` must not fail for that reason. So the versions from `reported_from` to
 * `reported_to`, which differ only by reports, count as the same version.
 *
 * @param isOther - an SQL condition: the report changes something that clients see
 */
export const countReport = (isOther: string): string => `
  record_version = sender.record_version + (${isOther})::integer,
  reported_from = case when not (${isOther}) or sender.reported_to = sender.record_version then sender.reported_from
                       else sender.record_version end,
  reported_to = case when ${isOther} then sender.record_version + 1 else sender.reported_to end`;
