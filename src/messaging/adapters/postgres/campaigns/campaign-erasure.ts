import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { recipientMove } from "./campaign-sql.ts";

/**
 * A recipient that is being sent to becomes `unknown`. Its attempt number changes, so that the worker's outcome matches
 * no row. A queued recipient is skipped later, because an erased contact counts as opted out.
 */
const erase = statement("campaign_erase")`
  with locked as (
    select recipient.campaign_id, recipient.position, gen_random_uuid() as reference
    from campaigns as campaign
    join campaign_recipients as recipient
      on recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id
    where campaign.business_id = $1 and recipient.contact_id = $2
    order by recipient.campaign_id, recipient.position
    for no key update of recipient
  )
  update campaign_recipients as recipient
  set phone = '', parameters = '{}', platform_message_id = null, error_reason = null, reference = locked.reference,
      attempt = attempt + (state ${recipientMove.lose.from})::integer, lease_until = null,
      state = case when state ${recipientMove.lose.from} then ${recipientMove.lose.to} else state end
  from locked
  where recipient.business_id = $1 and recipient.campaign_id = locked.campaign_id
    and recipient.position = locked.position`;

/** Erases a contact's data in campaigns. The recipients and the states of their messages stay, for the counts. */
export class PostgresCampaignErasure {
  constructor(private readonly transaction: Queries) {}

  async erase(businessId: number, { id }: { readonly id: number }): Promise<void> {
    await this.transaction.rows(erase, [businessId, id]);
  }
}
