import type { Queries } from "../../../infra/postgres/database.ts";
import { agentSees } from "../../../infra/postgres/seen-chats.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { decimalOf, moneyOf } from "../../../kernel/money.ts";
import type { RegistrationSetting, RegistrationStore, StoredRegistration } from "../../application/ports.ts";

const setting = statement("registration_setting")`
  select feature_flags->'currency' as currency, feature_flags->'currency_conversion' as conversion,
         feature_flags->'timezone' as timezone, chat.id is not null and ${agentSees("$4")} as "hasChat", chat.ad_id as "adId", now(),
         $3::bigint is null
           or exists (select 1 from users where users.business_id = business.id and users.id = $3) as "hasAgent"
  from businesses as business
  left join chats as chat on chat.business_id = business.id and chat.id = $2
  where business.id = $1`;

const add = statement("registration_add")`
  insert into registrations (business_id, type, chat_id, agent_id, amount, currency, base_amount, rate, rate_date,
                             source, closed, at, base_currency, ad_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  returning id`;

const hold = statement("registration_hold")`
  select type, chat_id as "chatId", agent_id as "agentId", amount, currency, base_amount as "baseAmount",
         base_currency as "baseCurrency", rate, rate_date::text as "rateDate", source, closed, at
  from registrations as registration
  where business_id = $1 and id = $2
    and ($3::bigint is null or agent_id = $3 or exists (
      select 1 from chats as chat
      where chat.business_id = $1 and chat.id = registration.chat_id and ${agentSees("$3")}))
  for update of registration`;

const save = statement("registration_save")`
  update registrations
  set agent_id = $3, amount = $4, currency = $5, base_amount = $6, rate = $7, rate_date = $8, source = $9,
      closed = $10, at = $11, base_currency = $12, updated_at = now()
  where business_id = $1 and id = $2`;

const remove = statement("registration_remove")`
  delete from registrations where business_id = $1 and id = $2`;

type StoredRow = Omit<StoredRegistration, "amount" | "baseAmount"> & Record<"amount" | "baseAmount", string>;

export class PostgresRegistrations implements RegistrationStore {
  constructor(private readonly queries: Queries) {}

  async setting(
    businessId: number,
    chatId: number,
    agentId: number | null,
    seenBy: number | null,
  ): Promise<RegistrationSetting> {
    const [found] = await this.queries.rows<RegistrationSetting>(setting, [businessId, chatId, agentId, seenBy]);
    if (!found) throw new Error(`there is no business ${businessId}`);
    return found;
  }

  async add(businessId: number, record: StoredRegistration & { readonly adId: string | null }): Promise<number> {
    const values = [businessId, record.type, record.chatId, ...changeable(record), record.adId];
    const [row] = await this.queries.rows<{ id: number }>(add, values);
    if (!row) throw new Error("a record was not added");
    return row.id;
  }

  async hold(businessId: number, id: number, agent: number | null): Promise<StoredRegistration | null> {
    const [row] = await this.queries.rows<StoredRow>(hold, [businessId, id, agent]);
    return row ? { ...row, amount: moneyOf(row.amount), baseAmount: moneyOf(row.baseAmount) } : null;
  }

  async save(businessId: number, id: number, record: StoredRegistration): Promise<void> {
    await this.queries.rows(save, [businessId, id, ...changeable(record)]);
  }

  async remove(businessId: number, id: number): Promise<void> {
    await this.queries.rows(remove, [businessId, id]);
  }
}

const changeable = (record: StoredRegistration): readonly unknown[] => [
  record.agentId,
  decimalOf(record.amount),
  record.currency,
  decimalOf(record.baseAmount),
  record.rate,
  record.rateDate,
  record.source,
  record.closed,
  record.at,
  record.baseCurrency,
];
