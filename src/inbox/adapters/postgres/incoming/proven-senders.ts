import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ChatChannelName } from "../../../../kernel/channels.ts";
import type { ProvenSenders } from "../../../application/incoming/ports.ts";
import type { ProvenSender } from "../../../domain/incoming.ts";

const find = statement("webhook_proven_senders")`
  select sender.business_id as "businessId", sender.id as "senderId", sender.platform_id as "platformId"
  from unnest($2::bigint[], $3::bigint[], $4::text[]) as proven(business_id, id, platform_id)
  join senders as sender on sender.business_id = proven.business_id and sender.id = proven.id
    and sender.platform_id = proven.platform_id and sender.provider = $1`;

interface FoundRow {
  readonly businessId: number;
  readonly senderId: number;
  readonly platformId: string;
}

export class PostgresProvenSenders implements ProvenSenders {
  constructor(private readonly transaction: Queries) {}

  async stillThere(channel: ChatChannelName, proven: readonly ProvenSender[]) {
    const named = proven.flatMap(({ platformId, owner }) => (owner ? [{ ...owner, platformId }] : []));
    const once = [...new Map(named.map((each) => [keyOf(each), each])).values()];
    if (once.length === 0) return () => true;
    const values = [
      channel,
      once.map(({ businessId }) => businessId),
      once.map(({ senderId }) => senderId),
      once.map(({ platformId }) => platformId),
    ];
    const found = new Set((await this.transaction.rows<FoundRow>(find, values)).map(keyOf));
    return ({ platformId, owner }: ProvenSender) => owner === null || found.has(keyOf({ ...owner, platformId }));
  }
}

const keyOf = ({ businessId, senderId, platformId }: FoundRow): string => `${businessId} ${senderId} ${platformId}`;
