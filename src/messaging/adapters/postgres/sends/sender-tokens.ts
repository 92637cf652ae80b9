import type { Cells } from "../../../../infra/postgres/cells.ts";
import { senderName } from "../../../../infra/postgres/claimed-names.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ChannelName } from "../../../../kernel/channels.ts";
import type { TokenVault } from "../../../../kernel/token-vault.ts";

const find = statement("sender_token")`
  select business_id as "businessId", id as "senderId", phone, sealed_token as sealed
  from senders where provider = $1 and platform_id = $2`;

interface FoundRow {
  readonly businessId: number;
  readonly senderId: number;
  readonly phone: string;
  readonly sealed: Buffer;
}

/** Reads tokens by the sender's id on the platform, when the business is not known yet. */
export class PostgresSenderTokens {
  constructor(
    private readonly cells: Cells,
    private readonly vault: TokenVault,
  ) {}

  /** The owner, token and number of the sender; null if no business has it. */
  async find(channel: ChannelName, platformId: string) {
    const [row] = await this.cells
      .ofName("sender", senderName(channel, platformId))
      .rows<FoundRow>(find, [channel, platformId]);
    if (!row) return null;
    const { businessId, senderId, phone } = row;
    return { owner: { businessId, senderId }, token: this.vault.open(row.sealed, businessId), phone };
  }
}
