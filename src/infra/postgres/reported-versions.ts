/**
 * Sets the version of a row of `senders` to which a platform reported something.
 *
 * Clients see the report, so it needs a new version. But it overwrites nothing that a client writes: the row keeps from
 * which version on there were only reports, so that a write under `If-Match` still passes. The run ends at `reported_to`.
 * A write moves `record_version` on from there, and with that ends the run.
 *
 * @param isOther - whether the report changes what clients see
 */
export const countReport = (row: string, isOther: string): string => `
  record_version = ${row}.record_version + (${isOther})::integer,
  reported_from = case when not (${isOther}) or ${row}.reported_to = ${row}.record_version then ${row}.reported_from
                       else ${row}.record_version end,
  reported_to = case when ${isOther} then ${row}.record_version + 1 else ${row}.reported_to end`;
