import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { FetchedFiles, FileAttempt } from "../../../application/files/ports.ts";
import type { FileTrouble } from "../../../domain/incoming-files.ts";
import { tellOfMessages } from "../told-messages.ts";

/**
 * Removes the file from the queue if the attempt is the latest. Locks the message before the file, in the same order as
 * an erasure.
 *
 * Once the file is stored, the customer's file name is dropped. The stored file's name is shown instead: that name is
 * safe and has the right extension.
 */
const finish = statement("file_finish")`
  with locked as materialized (
    select business_id, id from messages where business_id = $1 and id = $2 for no key update
  ),
  fetched as (
    delete from incoming_files as file using locked
    where file.business_id = locked.business_id and file.message_id = locked.id and file.attempts = $3
    returning file.business_id, file.message_id
  )
  update messages as message
  set media_url = coalesce($4, message.media_url), attachment = (message.attachment - $6::text) || $5::jsonb,
      details = case when message.details ? 'contacts' then message.details || $7::jsonb else message.details end
  from fetched where message.business_id = fetched.business_id and message.id = fetched.message_id
  returning message.id`;

export class PostgresFetchedFiles implements FetchedFiles {
  constructor(private readonly transaction: Queries) {}

  finish(file: FileAttempt, url: string, contacts: readonly object[] = []): Promise<LoggedEvent[] | null> {
    return this.end(file, url, { state: "done" }, "name", contacts.length > 0 ? { contacts } : {});
  }

  giveUp(file: FileAttempt, trouble: FileTrouble): Promise<LoggedEvent[] | null> {
    return this.end(file, null, { state: "gone", reason: trouble }, "");
  }

  private async end(
    { businessId, messageId, attempt }: FileAttempt,
    url: string | null,
    fact: object,
    drop: string,
    details: object = {},
  ) {
    const values = [businessId, messageId, attempt, url, JSON.stringify(fact), drop, JSON.stringify(details)];
    const ended = await this.transaction.rows(finish, values);
    return ended.length === 0 ? null : tellOfMessages(this.transaction, businessId, [messageId], []);
  }
}
