import { baseCurrency } from "../../kernel/currency.ts";
import { beforeAll } from "../../kernel/errors.ts";
import { dayMs, dayOf, instantOf, timezoneOf } from "../../kernel/instants.ts";
import type { Money } from "../../kernel/money.ts";
import { convert, largestAmount, rateOf } from "../domain/currency.ts";
import {
  AmountTooLarge,
  BadDate,
  NoRate,
  type RegistrationFailure,
  UnknownAgent,
  UnknownChat,
  UnknownRegistration,
} from "../domain/failures.ts";
import type { RegistrationType } from "../domain/report.ts";
import type { RegistrationSetting, RegistrationUnitOfWork, StoredRegistration } from "./ports.ts";

export interface NewRegistration {
  readonly businessId: number;
  readonly type: RegistrationType;
  readonly chatId: number;
  /** The agent who must be able to see the chat; null where all may be named. */
  readonly seenBy: number | null;
  readonly agentId: number | null;
  readonly amount: Money;
  /** The business's own unless given. */
  readonly currency?: string;
  readonly source: string;
  /** A sale is closed and a quotation open unless given. */
  readonly closed?: boolean;
  /** ISO 8601, in the business's zone; now unless given. */
  readonly date?: string;
}

export type Correction = Partial<
  Pick<NewRegistration, "agentId" | "amount" | "currency" | "source" | "closed" | "date">
>;

export interface ChosenRegistration {
  readonly id: number;
  /** The agent whose record it must be, or it is one that does not exist; null where anybody's will do. */
  readonly ofAgent: number | null;
}

export type { RegistrationFailure };

const earliest = Date.UTC(2000, 0, 1);

/** Sales and quotations, also those that come late, with their corrections. */
export class Registrations {
  constructor(private readonly unitOfWork: RegistrationUnitOfWork) {}

  /** The id of the new record. Rejects with a `RegistrationFailure`. */
  add(record: NewRegistration): Promise<number> {
    const { businessId, type, chatId, agentId, seenBy, amount, source } = record;
    const entering = this.unitOfWork.run(businessId, async ({ registrations }) => {
      const setting = await registrations.setting(businessId, chatId, agentId, seenBy);
      checkPeople(setting, record);
      const at = record.date === undefined ? setting.now : momentOf(record.date, setting);
      const currency = record.currency ?? baseCurrency(setting.currency);
      const closed = record.closed ?? type === "sale";
      const stored = { type, chatId, agentId, source, closed, at, ...valueIn(amount, currency, at, setting) };
      return registrations.add(businessId, { ...stored, adId: setting.adId });
    });
    return beforeAll(entering);
  }

  /** Rejects with a `RegistrationFailure`. The ad stays that of the beginning, the rate while day and currency stay. */
  correct(businessId: number, { id, ofAgent }: ChosenRegistration, correction: Correction): Promise<void> {
    return this.unitOfWork.run(businessId, async ({ registrations }) => {
      const stored = await registrations.hold(businessId, id, ofAgent);
      if (!stored) throw new UnknownRegistration(`registration ${id}`);
      const { agentId = stored.agentId, source = stored.source, closed = stored.closed } = correction;
      const setting = await registrations.setting(businessId, stored.chatId, correction.agentId ?? null, null);
      if (!setting.hasAgent) throw new UnknownAgent(`agent ${agentId}`);
      const at = correction.date === undefined ? stored.at : momentOf(correction.date, setting);
      const value = correctedValue(stored, correction, at, setting);
      await registrations.save(businessId, id, { ...stored, agentId, source, closed, at, ...value });
    });
  }

  /** Rejects with `UnknownRegistration`. */
  remove(businessId: number, { id, ofAgent }: ChosenRegistration): Promise<void> {
    return this.unitOfWork.run(businessId, async ({ registrations }) => {
      if (!(await registrations.remove(businessId, id, ofAgent))) throw new UnknownRegistration(`registration ${id}`);
    });
  }
}

function checkPeople({ hasChat, hasAgent }: RegistrationSetting, { chatId, agentId }: NewRegistration): void {
  if (!hasChat) throw new UnknownChat(`chat ${chatId}`);
  if (!hasAgent) throw new UnknownAgent(`agent ${agentId}`);
}

/** A typing error of a century is not a late record. */
function momentOf(date: string, { timezone, now }: RegistrationSetting): Date {
  const at = instantOf(date, timezoneOf(timezone));
  if (!at || at.getTime() < earliest || at.getTime() > now.getTime() + dayMs) throw new BadDate(date);
  return at;
}

type Value = Pick<StoredRegistration, "amount" | "currency" | "baseAmount" | "baseCurrency" | "rate" | "rateDate">;

function valueIn(amount: Money, currency: string, at: Date, setting: RegistrationSetting): Value {
  const rateDate = dayOf(at, timezoneOf(setting.timezone));
  const rate = rateOf(setting, currency, rateDate);
  if (rate === null) throw new NoRate(currency);
  const base = baseCurrency(setting.currency);
  return { amount, currency, rate, rateDate, baseAmount: inBase(amount, rate), baseCurrency: base };
}

/** A rate that changed since says nothing about the day of the record. */
function correctedValue(
  stored: StoredRegistration,
  correction: Correction,
  at: Date,
  setting: RegistrationSetting,
): Value {
  const { amount = stored.amount, currency = stored.currency } = correction;
  const { rate, rateDate, baseAmount, baseCurrency: base } = stored;
  const isSame = amount === stored.amount && currency === stored.currency && at.getTime() === stored.at.getTime();
  if (isSame) return { amount, currency, rate, rateDate, baseAmount, baseCurrency: base };
  const isSameRate =
    currency === stored.currency &&
    base === baseCurrency(setting.currency) &&
    dayOf(at, timezoneOf(setting.timezone)) === rateDate;
  if (!isSameRate) return valueIn(amount, currency, at, setting);
  return { amount, currency, rate, rateDate, baseAmount: inBase(amount, rate), baseCurrency: base };
}

function inBase(amount: Money, rate: string): Money {
  const baseAmount = convert(amount, rate);
  if (baseAmount > largestAmount) throw new AmountTooLarge(`${baseAmount} hundredths`);
  return baseAmount;
}
