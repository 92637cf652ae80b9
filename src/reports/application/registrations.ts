import { baseCurrency } from "../../kernel/currency.ts";
import { beforeAll } from "../../kernel/errors.ts";
import { dayMs, dayOf, instantOf, timezoneOf } from "../../kernel/instants.ts";
import type { Money } from "../../kernel/money.ts";
import { convert, largestAmount, rateOf } from "../domain/currency.ts";
import {
  AmountTooLarge,
  BadDate,
  ForeignRegistration,
  NoRate,
  UnknownAgent,
  UnknownChat,
  UnknownRegistration,
} from "../domain/failures.ts";
import type { RegistrationType } from "../domain/report.ts";
import type { RegistrationSetting, RegistrationStore, RegistrationUnitOfWork, StoredRegistration } from "./ports.ts";

interface NewRegistration {
  readonly businessId: number;
  readonly type: RegistrationType;
  readonly chatId: number;
  /** The agent who must be able to see the chat; null if every chat is allowed. */
  readonly seenBy: number | null;
  readonly agentId: number | null;
  readonly amount: Money;
  /** By default the business's own currency. */
  readonly currency?: string;
  readonly source: string;
  /** By default a sale is closed and a quotation open. */
  readonly closed?: boolean;
  /** ISO 8601, in the business's zone if the text names none; now by default. */
  readonly date?: string;
}

type Correction = Partial<Pick<NewRegistration, "agentId" | "amount" | "currency" | "source" | "closed" | "date">>;

interface ChosenRegistration {
  readonly id: number;
  /** The agent to whom the record must belong; null if every agent's record is allowed. */
  readonly ofAgent: number | null;
}

const earliest = Date.UTC(2000, 0, 1);

/** Adds, corrects and removes sales and quotations, also those of past days. */
export class Registrations {
  constructor(private readonly unitOfWork: RegistrationUnitOfWork) {}

  /** Returns the id of the new record. Rejects with a `RegistrationFailure`. */
  add(record: NewRegistration): Promise<number> {
    const { businessId, type, chatId, agentId, seenBy, amount, source } = record;
    const entering = this.unitOfWork.run(businessId, async ({ registrations }) => {
      const setting = await registrations.setting(businessId, chatId, agentId, seenBy);
      if (!setting.hasChat) throw new UnknownChat(`chat ${chatId}`);
      if (!setting.hasAgent) throw new UnknownAgent(`agent ${agentId}`);
      const at = record.date === undefined ? setting.now : momentOf(record.date, setting);
      const currency = record.currency ?? baseCurrency(setting.currency);
      const closed = record.closed ?? type === "sale";
      const stored = { type, chatId, agentId, source, closed, at, ...valueIn(amount, currency, at, setting) };
      return registrations.add(businessId, { ...stored, adId: setting.adId });
    });
    return beforeAll(entering);
  }

  /** Rejects with a `RegistrationFailure`. The record keeps its ad. */
  correct(businessId: number, { id, ofAgent }: ChosenRegistration, correction: Correction): Promise<void> {
    return this.unitOfWork.run(businessId, async ({ registrations }) => {
      const stored = await holdOwn(registrations, businessId, { id, ofAgent });
      const { agentId = stored.agentId, source = stored.source, closed = stored.closed } = correction;
      const setting = await registrations.setting(businessId, stored.chatId, correction.agentId ?? null, null);
      if (!setting.hasAgent) throw new UnknownAgent(`agent ${agentId}`);
      const at = correction.date === undefined ? stored.at : momentOf(correction.date, setting);
      const value = correctedValue(stored, correction, at, setting);
      await registrations.save(businessId, id, { ...stored, agentId, source, closed, at, ...value });
    });
  }

  /** Rejects with `UnknownRegistration` and `ForeignRegistration`. */
  remove(businessId: number, chosen: ChosenRegistration): Promise<void> {
    return this.unitOfWork.run(businessId, async ({ registrations }) => {
      await holdOwn(registrations, businessId, chosen);
      await registrations.remove(businessId, chosen.id);
    });
  }
}

async function holdOwn(
  registrations: Pick<RegistrationStore, "hold">,
  businessId: number,
  { id, ofAgent }: ChosenRegistration,
): Promise<StoredRegistration> {
  const stored = await registrations.hold(businessId, id, ofAgent);
  if (!stored) throw new UnknownRegistration(`registration ${id}`);
  if (ofAgent !== null && stored.agentId !== ofAgent) throw new ForeignRegistration(`registration ${id}`);
  return stored;
}

/** Refuses dates before 2000 or more than a day in the future, which are probably typing errors. */
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

/**
 * Keeps the whole conversion if the amount, the currency and the time stay the same. Keeps the stored rate if the day,
 * the currency and the business's own currency stay the same. Otherwise the present flags decide the rate.
 */
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
