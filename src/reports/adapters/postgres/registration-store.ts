import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { decimalOf, moneyOf } from "../../../kernel/money.ts";
import type { RegistrationSetting, RegistrationStore, StoredRegistration } from "../../application/ports.ts";
import type { RegistrationType } from "../../domain/report.ts";

const setting: Statement = {
  name: "registration_setting",
  text: `
    select feature_flags->'currency' as currency, feature_flags->'currency_conversion' as conversion,
           feature_flags->'timezone' as timezone, chat.id is not null as has_chat, chat.ad_id, now(),
           $3::bigint is null
             or exists (select from users where users.business_id = business.id and users.id = $3) as has_agent
    from businesses as business
    left join chats as chat on chat.business_id = business.id and chat.id = $2
    where business.id = $1`,
};

const add: Statement = {
  name: "registration_add",
  text: `
    insert into registrations (business_id, type, chat_id, agent_id, amount, currency, base_amount, rate, rate_date,
                               source, closed, at, base_currency, ad_id)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    returning id`,
};

const hold: Statement = {
  name: "registration_hold",
  text: `
    select type, chat_id, agent_id, amount, currency, base_amount, base_currency, rate, rate_date::text, source, closed,
           at
    from registrations where business_id = $1 and id = $2
    for update`,
};

const save: Statement = {
  name: "registration_save",
  text: `
    update registrations
    set agent_id = $3, amount = $4, currency = $5, base_amount = $6, rate = $7, rate_date = $8, source = $9,
        closed = $10, at = $11, base_currency = $12, updated_at = now()
    where business_id = $1 and id = $2`,
};

const remove: Statement = {
  name: "registration_remove",
  text: "delete from registrations where business_id = $1 and id = $2 returning id",
};

interface SettingRow {
  readonly currency: unknown;
  readonly conversion: unknown;
  readonly timezone: unknown;
  readonly has_chat: boolean;
  readonly ad_id: string | null;
  readonly has_agent: boolean;
  readonly now: Date;
}

interface StoredRow {
  readonly type: RegistrationType;
  readonly chat_id: number;
  readonly agent_id: number | null;
  readonly amount: string;
  readonly currency: string;
  readonly base_amount: string;
  readonly base_currency: string;
  readonly rate: string;
  readonly rate_date: string;
  readonly source: string;
  readonly closed: boolean;
  readonly at: Date;
}

export class PostgresRegistrations implements RegistrationStore {
  constructor(private readonly queries: Queries) {}

  async setting(businessId: number, chatId: number, agentId: number | null): Promise<RegistrationSetting> {
    const [row] = await this.queries.rows<SettingRow>(setting, [businessId, chatId, agentId]);
    if (!row) throw new Error(`there is no business ${businessId}`);
    const { currency, conversion, timezone, now } = row;
    return {
      currencies: { currency, conversion },
      timezone,
      hasChat: row.has_chat,
      adId: row.ad_id,
      hasAgent: row.has_agent,
      now,
    };
  }

  async add(businessId: number, record: StoredRegistration & { readonly adId: string | null }): Promise<number> {
    const values = [businessId, record.type, record.chatId, ...changeable(record), record.adId];
    const [row] = await this.queries.rows<{ id: number }>(add, values);
    if (!row) throw new Error("a record was not added");
    return row.id;
  }

  async hold(businessId: number, id: number): Promise<StoredRegistration | null> {
    const [row] = await this.queries.rows<StoredRow>(hold, [businessId, id]);
    if (!row) return null;
    const { type, currency, rate, source, closed, at } = row;
    return {
      type,
      chatId: row.chat_id,
      agentId: row.agent_id,
      amount: moneyOf(row.amount),
      currency,
      baseAmount: moneyOf(row.base_amount),
      baseCurrency: row.base_currency,
      rate,
      rateDate: row.rate_date,
      source,
      closed,
      at,
    };
  }

  async save(businessId: number, id: number, record: StoredRegistration): Promise<void> {
    await this.queries.rows(save, [businessId, id, ...changeable(record)]);
  }

  async remove(businessId: number, id: number): Promise<boolean> {
    return (await this.queries.rows(remove, [businessId, id])).length > 0;
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
