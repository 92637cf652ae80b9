import type { DoneBy } from "../../kernel/audit.ts";
import { domainError } from "../../kernel/errors.ts";

/** Every change increments `version`, which `ETag` shows. */
export interface StoredRecord<Fields> {
  readonly id: number;
  readonly version: number;
  /** The oldest version that differs from this one only in what a platform reported; absent if there is none. */
  readonly since?: number;
  readonly fields: Fields;
  /** Shown in the answer to the record's creation and never again: an App Key, a webhook's secret, an invitation. */
  readonly shownOnce?: Readonly<Record<string, unknown>>;
}

/** The fields by which an imported row finds the record that it changes. */
export interface Matching<Fields> {
  readonly by: readonly (keyof Fields & string)[];
  /** Used instead when all fields of `by` are empty. */
  readonly orElseBy?: readonly (keyof Fields & string)[];
}

/** One imported row. A field that is absent leaves the record's value as it is. */
export interface RowInput<Fields> {
  /** The `id` column of an export: it picks one of several records with the same match key. */
  readonly id: number | null;
  readonly fields: Partial<Fields>;
}

/** The key of a record or an imported row. A row changes the record with the same key. */
export function matchKeyOf<Fields>({ by, orElseBy = [] }: Matching<Fields>, fields: Partial<Fields>): string {
  const valuesOf = (names: readonly (keyof Fields)[]) => names.map((name) => fields[name] ?? null);
  const values = valuesOf(by);
  const isEmpty = orElseBy.length > 0 && values.every((value) => value === null);
  return JSON.stringify(isEmpty ? [null, ...valuesOf(orElseBy)] : values);
}

/** Who changes something, and from where. */
export interface Actor extends DoneBy {
  readonly businessId: number;
}

export class RecordNotFound extends domainError("not_found") {}

/** The record no longer has the version that `If-Match` names. */
export class RecordMovedOn extends domainError("moved_on") {}

export class DuplicateValue extends domainError("taken") {
  constructor(readonly field: string) {
    super(`another record has the same ${field}`);
  }
}

/** A field holds the id of a record that the business does not have or has archived. */
export class UnknownReference extends domainError("unknown_reference") {
  constructor(readonly field: string) {
    super(`${field} refers to a record that does not exist`);
  }
}

export class CyclicReference extends domainError("cyclic_reference") {
  constructor(readonly field: string) {
    super(`${field} forms a cycle`);
  }
}

/** Counting stops at this number, because counting millions of rows would delay the request. */
export const mostUses = 10_000;

/** What uses a record, and how often; a count of `mostUses` means that many or more. */
export interface Use {
  readonly what: string;
  readonly count: number;
}

export class RecordInUse extends domainError("in_use") {
  constructor(readonly uses: readonly Use[]) {
    super(`used by ${uses.map(({ what, count }) => `${count} ${what}`).join(", ")}`);
  }
}

/** A required field is missing, or the platform does not confirm the field's value. */
export class WrongField extends domainError("wrong_field") {
  constructor(
    readonly field: string,
    readonly problem: "missing" | "refused",
  ) {
    super(`${field} is ${problem}`);
  }
}

/** The change would leave the business without an active administrator, and only an administrator can make another. */
export class LastAdministrator extends domainError("last_administrator") {}

/** A phone is already connected to the instance, so there is no code to show. */
export class PhoneConnected extends domainError("connected") {}

/** The record breaks a rule of its resource. A message for clients is in Spanish, one for operators in English. */
export class RuleBroken extends domainError("rule_broken") {}

/** `from` or `to` is not a date, or `from` is later than `to`. */
export class WrongPeriod extends domainError("wrong_period") {
  constructor(readonly bound: "from" | "to") {
    super(`${bound} of a period`);
  }
}
