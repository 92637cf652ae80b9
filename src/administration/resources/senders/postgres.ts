import { claimNames, releaseNames, senderName } from "../../../infra/postgres/claimed-names.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { countReport } from "../../../infra/postgres/reported-versions.ts";
import { cloudChannel, providerBChannel } from "../../../kernel/channels.ts";
import type { TokenVault } from "../../../kernel/token-vault.ts";
import type { Row } from "../../adapters/postgres/knex-records.ts";
import { type Query, run, sql } from "../../adapters/postgres/query.ts";
import { columnsOf, type RecordTable } from "../../adapters/postgres/record-table.ts";
import { countsOf } from "../../adapters/postgres/references.ts";
import { SealedRecords } from "../../adapters/postgres/sealed-records.ts";
import {
  type ConnectionReport,
  type InstanceReads,
  type InstanceStore,
  unfinished,
} from "../../application/manage-senders.ts";
import { DuplicateValue, mostUses, RecordInUse, type StoredRecord, type Use } from "../../domain/records.ts";
import type { ManagedSender } from "../../domain/sender.ts";

const sendersTable: RecordTable<ManagedSender> = {
  name: "senders",
  columns: {
    ...columnsOf<ManagedSender>("name", "provider", "platformId", "accountId", "phone"),
    ...columnsOf<ManagedSender>("messagesPerSecond", "state", "quality"),
    accountReport: "account_news",
  },
  searched: ["name", "phone", "platform_id"],
  unique: { senders_provider_platform_id_key: "platformId" },
};

/** Clears what was learned about the old sender, when its record is changed to another sender. */
const noReports = {
  state: null,
  quality: null,
  quality_told_at: null,
  connection_told_at: null,
  connection_heard_at: null,
  pairing_since: null,
  rests_until: null,
  has_secret_of_name: false,
  account_news: null,
};

/**
 * The channels that have templates. `provider` is the channel's value in `templates.provider`. `column` names a column
 * of `templates` that is null until the account has the template.
 */
const templatesOf: Readonly<Partial<Record<string, { readonly provider: string; readonly column: string }>>> = {
  [cloudChannel]: { provider: "Cloud", column: "platform_status" },
  [providerBChannel]: { provider: "ProviderB", column: "provider_b_id" },
};

/**
 * The id that identifies a sender at its platform. At provider-b it is the account's id, but older senders have another
 * `platform_id`. Correcting their `platform_id` must not count as a change to another sender.
 */
const idAtPlatform = ({ provider, platformId, accountId }: ManagedSender): string =>
  provider === providerBChannel ? accountId || platformId : platformId;

export class PostgresSenderRecords extends SealedRecords<ManagedSender> implements InstanceReads, InstanceStore {
  constructor(transaction: Queries, vault: TokenVault) {
    super(transaction, vault, sendersTable);
  }

  /**
   * A record that becomes another sender keeps its id, so everything that refers to the id passes to the new sender.
   * The change is refused while unfinished campaigns, open chats or templates depend on the old sender.
   */
  override async change(businessId: number, id: number, sender: ManagedSender): Promise<StoredRecord<ManagedSender>> {
    const before = (await this.held(businessId, id)).fields;
    await this.rename(businessId, before, sender);
    if (before.provider !== sender.provider || idAtPlatform(before) !== idAtPlatform(sender)) {
      const uses = await this.usesOfOther(businessId, id, before, sender);
      if (uses.length > 0) throw new RecordInUse(uses);
      await run(this.transaction, sql("senders").where({ business_id: businessId, id }).update(noReports));
    }
    if (before.accountId !== sender.accountId) {
      await run(this.transaction, sql("senders").where({ business_id: businessId, id }).update({ account_news: null }));
    }
    return super.change(businessId, id, sender);
  }

  override async create(businessId: number, sender: ManagedSender): Promise<StoredRecord<ManagedSender>> {
    await this.claim(businessId, sender);
    return super.create(businessId, sender);
  }

  /** Finished campaigns send nothing more, so they do not prevent the removal. They stay, but lose their sender. */
  override async remove(businessId: number, id: number): Promise<void> {
    const before = (await this.held(businessId, id)).fields;
    const over = sql("campaigns")
      .where({ business_id: businessId, sender_id: id })
      .whereNotIn("state", unfinished.campaigns)
      .whereNotExists(
        sql("campaign_recipients as recipient")
          .whereRaw("recipient.business_id = campaigns.business_id and recipient.campaign_id = campaigns.id")
          .whereNotNull("recipient.lease_until"),
      );
    await run(this.transaction, over.update({ sender_id: null, sender_channel: before.provider }));
    await super.remove(businessId, id);
    await releaseNames(this.transaction, businessId, "sender", [nameOf(before)]);
  }

  private async claim(businessId: number, sender: ManagedSender): Promise<void> {
    const taken = await claimNames(this.transaction, businessId, "sender", [nameOf(sender)]);
    if (taken.length > 0) throw new DuplicateValue("platformId");
  }

  private async rename(businessId: number, before: ManagedSender, after: ManagedSender): Promise<void> {
    if (nameOf(before) === nameOf(after)) return;
    await this.claim(businessId, after);
    await releaseNames(this.transaction, businessId, "sender", [nameOf(before)]);
  }

  async saveConnection(
    businessId: number,
    id: number,
    { platformId, state, askedAt }: ConnectionReport,
  ): Promise<void> {
    const now = `case when coalesce(connection_heard_at > :askedAt::timestamptz, false) then state else :state end`;
    await run(
      this.transaction,
      sql.raw(
        `update senders as sender
         set state = ${now}, pairing_since = case when ${now} <> 'open' then :askedAt::timestamptz end,
             has_secret_of_name = false, ${countReport(`sender.state is distinct from ${now}`)}
         where business_id = :businessId and id = :id and platform_id = :platformId`,
        { businessId, id, platformId, state, askedAt },
      ),
    );
  }

  protected override of(businessId: number): Query {
    return super.of(businessId).select("record.reported_from", "record.reported_to");
  }

  protected override recordFrom({ reported_from: from, reported_to: to, ...row }: Row): StoredRecord<ManagedSender> {
    const record = super.recordFrom(row);
    return to === record.version ? { ...record, since: from as number } : record;
  }

  /** Counts the campaigns that name the sender, and the chats and templates of `usesInChannel`. */
  protected override async usesOf(businessId: number, id: number): Promise<readonly Use[]> {
    const before = (await this.held(businessId, id)).fields;
    const [first, second = null] = await this.firstTwo(businessId, before.provider);
    const next = first?.id === id ? second : null;
    const uses = await this.usesInChannel(businessId, id, before, next);
    return [...(await super.usesOf(businessId, id)), ...(await this.counted(uses))];
  }

  /** What another sender would take over: unfinished campaigns, open chats and templates. */
  private async usesOfOther(
    businessId: number,
    id: number,
    before: ManagedSender,
    after: ManagedSender,
  ): Promise<Use[]> {
    const campaigns = sql("campaigns").where({ business_id: businessId, sender_id: id });
    const sendFrom = using("campaigns", campaigns.whereIn("state", unfinished.campaigns));
    return this.counted([sendFrom, ...(await this.usesInChannel(businessId, id, before, after))]);
  }

  private counted(uses: readonly Query[]): Promise<Use[]> {
    return run<Use>(this.transaction, countsOf(uses));
  }

  /**
   * A chat is answered from the sender that the customer wrote to last or, if that sender does not exist, from the
   * business's first sender of the channel. The templates belong to the account of the first sender.
   *
   * @param after - the sender that would become the first instead; null if there is none
   */
  private async usesInChannel(
    businessId: number,
    id: number,
    before: ManagedSender,
    after: SenderAccount | null,
  ): Promise<Query[]> {
    const [first] = await this.firstTwo(businessId, before.provider);
    const isFirst = first?.id === id;
    const own = { business_id: businessId };
    const chats = sql("chats")
      .where({ ...own, provider: before.provider })
      .whereIn("state", unfinished.chats);
    const answered = using("chats", chats.whereRaw(answeredFrom, [id, isFirst]));
    if (!isFirst) return [answered];
    const templates = templatesOf[before.provider];
    const isOtherAccount = before.provider !== after?.provider || before.accountId !== after.accountId;
    if (!templates || !isOtherAccount) return [answered];
    const { provider, column } = templates;
    const approved = sql("templates")
      .where({ ...own, provider, deleted_at: null })
      .whereNotNull(column);
    return [answered, using("templates", approved)];
  }

  private firstTwo(businessId: number, provider: string): Promise<(SenderAccount & { readonly id: number })[]> {
    const asked = sql("senders").where({ business_id: businessId, provider }).orderBy("id").limit(2);
    return run(this.transaction, asked.select("id", "provider", { accountId: "account_id" }));
  }
}

/** Whether a chat is answered from a sender. Bindings: the sender's id, and whether it is the channel's first. */
const answeredFrom = `
  coalesce((
    select sender.id = ? from senders as sender
    where sender.business_id = chats.business_id and sender.provider = chats.provider
      and sender.platform_id = chats.sender), ?)`;

const nameOf = ({ provider, platformId }: ManagedSender): string => senderName(provider, platformId);

type SenderAccount = Pick<ManagedSender, "provider" | "accountId">;

const using = (what: string, rows: Query): Query => rows.select(sql.raw("?::text as what", [what])).limit(mostUses);
