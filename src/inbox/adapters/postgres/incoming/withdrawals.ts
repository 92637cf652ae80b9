import { statement } from "../../../../infra/postgres/statement.ts";
import { groupBy } from "../../../../kernel/group-by.ts";
import type { FileErasure } from "../../../application/contacts/ports.ts";
import type { StoredFiles } from "../../../application/incoming/ports.ts";
import type { Withdrawal } from "../../../domain/incoming.ts";
import { messageOfCustomer } from "./message-of-customer-sql.ts";
import { type Intake, type NamedMessage, newsOfSenders } from "./news.ts";

/**
 * Empties messages that customers withdraw from their own chats. Messages that were emptied before are returned too,
 * with `shows` false.
 */
const withdraw = statement("incoming_withdrawals")`
  with given as (
    select distinct sender.business_id, news.sender, news.customer, news.message_id
    from ${newsOfSenders("sender text, customer text, message_id text")}
  ),
  found as (
    select message.business_id, message.id, message.chat_id, message.state, given.message_id, given.sender,
           message.details @> '{"withdrawn": true}' is true as is_withdrawn,
           concat_ws(' ', message.media_url, message.attachment::text) as files
    from given ${messageOfCustomer({ direction: "'in'" })}
  ),
  emptied as (
    update messages as message
    set body = '', media_url = null, attachment = null, details = '{"withdrawn": true}'
    from found
    where message.business_id = found.business_id and message.id = found.id and not found.is_withdrawn
    returning message.business_id, message.id
  ),
  unfetched as (
    delete from incoming_files as file using emptied
    where file.business_id = emptied.business_id and file.message_id = emptied.id
    returning file.business_id, file.message_id as id, file.media_name
  )
  select found.business_id, found.id, found.chat_id, found.state, found.message_id, found.sender,
         emptied.id is not null as shows,
         array(select name from unnest(media_names(concat_ws(' ', found.files, unfetched.media_name))) as name
               group by name) as files
  from found left join emptied using (business_id, id) left join unfetched using (business_id, id)`;

export interface WithdrawnMessage extends NamedMessage {
  /** Names of the message's stored files. */
  readonly files: readonly string[];
}

/** Withdrawals of unknown messages, or by another customer, are left out of the result. */
export const withdrawMessages = (intake: Intake, withdrawals: readonly Withdrawal[]): Promise<WithdrawnMessage[]> => {
  const rows = withdrawals.map(({ sender, from, messageId }) => ({ sender, customer: from, message_id: messageId }));
  return intake.inChunks<WithdrawnMessage>(withdraw, rows);
};

/** Returns files that nothing else uses. They are not served after the commit, and the caller must then delete them. */
export async function withdrawFiles(files: FileErasure, messages: readonly WithdrawnMessage[]): Promise<StoredFiles[]> {
  const byBusiness = groupBy(
    messages.filter(({ shows, files: named }) => shows && named.length > 0),
    ({ business_id }) => business_id,
  );
  const withdrawn: StoredFiles[] = [];
  for (const [businessId, ofBusiness] of [...byBusiness].sort(([one], [other]) => one - other)) {
    const named = new Set(ofBusiness.flatMap(({ files: each }) => each));
    const names = await files.withdraw(businessId, [...named]);
    if (names.length > 0) withdrawn.push({ businessId, names });
  }
  return withdrawn;
}
