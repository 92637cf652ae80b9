import type { Cells } from "../../../../infra/postgres/cells.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { MediaNames, NamedFiles } from "../../../application/media/ports.ts";
import { recipientMoves } from "../../../domain/campaign.ts";
import { isIn } from "../campaigns/campaign-sql.ts";

/** The states of recipients to which a message may still be sent. */
const unsent = isIn([
  ...recipientMoves.claim.from,
  recipientMoves.claim.to,
  ...recipientMoves["retry-failed"].from,
  ...recipientMoves["resend-unknown"].from,
]);

/**
 * Searches the whole rows of small tables as text, so that no column is forgotten. Finds messages by an index, because
 * they are many. Searches a recipient's parameters only as long as a message may still be sent: once it is sent, the
 * stored message contains the same names.
 */
const among = statement("media_named")`
  with few as (
    select business::text as written from businesses as business where id = $1
    union all select template::text from templates as template where business_id = $1
    union all select step::text from steps as step where business_id = $1
    union all select reply::text from quick_replies as reply where business_id = $1
    union all select department::text from departments as department where business_id = $1
    union all select campaign::text from campaigns as campaign where business_id = $1
    union all
    select recipient.parameters::text
    from campaigns as campaign
    join campaign_recipients as recipient
      on recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id
    where campaign.business_id = $1 and recipient.state ${unsent}
  ), named as (
    select unnest(media_names(written)) as name from few where written like '%m\\_%'
  )
  select file.name from unnest($2::text[]) as file (name)
  where exists (select 1 from named where named.name = file.name)
    or exists (
      select 1 from messages
      where business_id = $1 and media_url like '%/m\\_%' and media_name(media_url) = file.name)
    or exists (
      select 1 from messages
      where business_id = $1 and body like '%/m\\_%' and media_names(body) @> array[file.name])`;

export class PostgresMediaNames implements MediaNames {
  constructor(private readonly cells: Cells) {}

  async among({ businessId, names }: NamedFiles): Promise<readonly string[]> {
    const rows = await this.cells.of(businessId).rows<{ name: string }>(among, [businessId, names]);
    return rows.map(({ name }) => name);
  }
}
