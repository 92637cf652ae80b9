import { plainArray } from "../../../../infra/postgres/arrays.ts";
import { countReport } from "../../../../infra/postgres/reported-versions.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { bySystem, type NoteInAudit, type SenderPairing, senderPairings } from "../../../../kernel/audit.ts";
import type { IncomingNews } from "../../../domain/incoming.ts";
import type { Intake } from "./news.ts";

const qualityNow =
  "case when held.state = 'FLAGGED' then 'RED' when held.state = 'UNFLAGGED' then null else sender.quality end";

/**
 * A flagged number gets the lowest quality, `RED`. When the flag is removed, the quality is unknown until the
 * platform reports it. News older than the stored news are ignored.
 */
const noteNumbers = statement("incoming_number_news")`
  with told as (
    select distinct on (account, phone) account, phone, state, at
    from rows from (jsonb_to_recordset($1::jsonb) as (account text, phone text, state text, at timestamptz))
      with ordinality as news(account, phone, state, at, place)
    order by account, phone, at desc, place desc
  ),
  held as (
    select sender.business_id, sender.id, told.state, told.at
    from told join senders as sender
      on sender.provider = $2 and sender.account_id = told.account and sender.phone = told.phone
         and sender.business_id <> all($3::bigint[])
    order by sender.business_id, sender.id
    for no key update of sender
  )
  update senders as sender
  set state = held.state, quality_told_at = held.at, quality = ${qualityNow},
      ${countReport(`(sender.state, sender.quality) is distinct from (held.state, ${qualityNow})`)}
  from held
  where sender.business_id = held.business_id and sender.id = held.id
    and coalesce(held.at >= sender.quality_told_at, true)`;

/** Stores the latest event of each account in all senders of the account, which may belong to several businesses. */
const noteAccounts = statement("incoming_account_news")`
  with told as (
    select distinct on (account) account, event, details, at
    from rows from (jsonb_to_recordset($1::jsonb) as (account text, event text, details jsonb, at timestamptz))
      with ordinality as news(account, event, details, at, place)
    order by account, at desc, place desc
  ),
  held as (
    select sender.business_id, sender.id,
           jsonb_build_object('event', told.event, 'details', told.details, 'at', told.at) as news,
           coalesce(told.at >= (sender.account_news->>'at')::timestamptz, true) as is_newer
    from told join senders as sender
      on sender.provider = $2 and sender.account_id = told.account and sender.business_id <> all($3::bigint[])
    order by sender.business_id, sender.id
    for no key update of sender
  )
  update senders as sender
  set account_news = held.news, ${countReport("sender.account_news is distinct from held.news")}
  from held
  where sender.business_id = held.business_id and sender.id = held.id and held.is_newer`;

/**
 * News up to this much older than the stored news are ignored as repeats: the gateway repeats unanswered webhooks for
 * about twenty minutes. Even older news are stored: they mean that the gateway's clock was set back.
 */
const latest = "interval '30 minutes'";

/**
 * Each news item matches only the sender whose instance and owner it names. An item without an owner matches only a
 * sender of its instance that still has the older form of secret, which was derived from the instance's name alone. An
 * item without a time counts as the latest.
 */
const noteConnections = statement("incoming_connection_news")`
  with told as (
    select sender, owner, state, "toldAt", place
    from rows from (jsonb_to_recordset($1::jsonb) as (sender text, owner jsonb, state text, "toldAt" timestamptz))
      with ordinality as news(sender, owner, state, "toldAt", place)
  ),
  meant as (
    select distinct on (sender.business_id, sender.id) sender.business_id, sender.id, told.sender, told.state,
           told."toldAt"
    from told join senders as sender on sender.provider = $2 and sender.platform_id = told.sender
      and case when jsonb_typeof(told.owner) = 'object'
               then sender.business_id = (told.owner->>'businessId')::bigint
                    and sender.id = (told.owner->>'senderId')::bigint
               else sender.has_secret_of_name end
    order by sender.business_id, sender.id, told."toldAt" desc nulls first, told.place desc
  ),
  held as (
    select sender.business_id, sender.id, sender.pairing_since, meant.state, meant."toldAt"
    from meant join senders as sender
      on sender.business_id = meant.business_id and sender.id = meant.id
         -- Checked again under the lock.
         and sender.provider = $2 and sender.platform_id = meant.sender
    order by sender.business_id, sender.id
    for no key update of sender
  )
  update senders as sender
  set state = held.state, connection_told_at = coalesce(held."toldAt", sender.connection_told_at),
      connection_heard_at = now(), pairing_since = case when held.state <> 'open' then sender.pairing_since end,
      ${countReport("sender.state is distinct from held.state")}
  from held
  where sender.business_id = held.business_id and sender.id = held.id
    and coalesce(held."toldAt" > sender.connection_told_at
                 or sender.connection_told_at - held."toldAt" > ${latest}, true)
  returning sender.business_id as "businessId", sender.id as "senderId", sender.platform_id as "platformId",
            held.state = 'open' and held.pairing_since is not null as "isPaired"`;

interface Connected {
  readonly businessId: number;
  readonly senderId: number;
  readonly platformId: string;
  /** True if the connection opened after a pairing code was requested. */
  readonly isPaired: boolean;
}

/**
 * Stores the news about senders, and records paired phones in the audit. Call this function before the transaction
 * takes the other locks for its news.
 *
 * @param elsewhere - businesses that live in another cell. News about numbers and accounts do not change the senders of
 * these businesses.
 */
export async function noteSenders(
  intake: Intake,
  { numbers, accounts, connections }: Pick<IncomingNews, "numbers" | "accounts" | "connections">,
  note: NoteInAudit,
  elsewhere: readonly number[],
): Promise<void> {
  await intake.inChunks(noteNumbers, numbers, plainArray(elsewhere));
  await intake.inChunks(noteAccounts, accounts, plainArray(elsewhere));
  const connected = await intake.inChunks<Connected>(noteConnections, connections);
  for (const { businessId, senderId, platformId, isPaired } of connected) {
    const after: SenderPairing = { platformId, state: "open" };
    const paired = { resource: senderPairings, recordId: senderId, change: "changed", before: null, after } as const;
    if (isPaired) await note(businessId, bySystem, [paired]);
  }
}
