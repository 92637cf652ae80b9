import type { DoneBy } from "../../kernel/audit.ts";
import { DomainError } from "../../kernel/errors.ts";

/** A record as it is kept; every change counts its version up. */
export interface StoredRecord<Fields> {
  readonly id: number;
  readonly version: number;
  readonly fields: Fields;
  /** What only the answer that made it tells: a key, a secret. */
  readonly shownOnce?: Readonly<Record<string, unknown>>;
}

/** By which fields a row of a file is matched with a record. */
export interface Matching<Fields> {
  readonly by: readonly (keyof Fields & string)[];
  /** For rows, and records, in which all of those are empty. */
  readonly orElseBy?: readonly (keyof Fields & string)[];
}

/** What a row of a file says of a record; what is not there it says nothing about. */
export interface RowInput<Fields> {
  /** Of a file that was exported: tells records apart that are matched alike. */
  readonly id: number | null;
  readonly fields: Partial<Fields>;
}

/** Rows and records that are matched have the same key. */
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

export class RecordNotFound extends DomainError<"not_found"> {
  readonly code = "not_found";
}

/** The record is not at the version that the caller expects. */
export class RecordMovedOn extends DomainError<"moved_on"> {
  readonly code = "moved_on";
}

/** Another record has this value, and each may have it only once. */
export class DuplicateValue extends DomainError<"taken"> {
  readonly code = "taken";
  constructor(readonly field: string) {
    super(`the value of ${field} is taken`);
  }
}

/** A field names a record of another kind that does not exist. */
export class UnknownReference extends DomainError<"unknown_reference"> {
  readonly code = "unknown_reference";
  constructor(readonly field: string) {
    super(`${field} names what does not exist`);
  }
}

/** By this field records would lead to each other in a circle. */
export class CircleClosed extends DomainError<"circle_closed"> {
  readonly code = "circle_closed";
  constructor(readonly field: string) {
    super(`${field} closes a circle`);
  }
}

/** Of more uses than these it is not told how many they are: counting them all could take long. */
export const mostUses = 10_000;

/** What uses a record, and how often: `mostUses` for as many and more. */
export interface Use {
  readonly what: string;
  readonly count: number;
}

export class RecordInUse extends DomainError<"in_use"> {
  readonly code = "in_use";
  constructor(readonly uses: readonly Use[]) {
    super(`used by ${uses.map(({ what, count }) => `${count} ${what}`).join(", ")}`);
  }
}

/** A field that cannot be left out here, or whose value others do not accept. */
export class WrongField extends DomainError<"wrong_field"> {
  readonly code = "wrong_field";
  constructor(
    readonly field: string,
    readonly problem: "missing" | "refused",
  ) {
    super(`${field} is ${problem}`);
  }
}

/** The instance needs no code: a phone is connected. */
export class PhoneConnected extends DomainError<"connected"> {
  readonly code = "connected";
}

/** A rule of the resource itself that a record breaks, in words for the caller. */
export class RuleBroken extends DomainError<"rule_broken"> {
  readonly code = "rule_broken";
}

/** A bound of a period that is no date, or one that is after the other. */
export class WrongPeriod extends DomainError<"wrong_period"> {
  readonly code = "wrong_period";
  constructor(readonly bound: "from" | "to") {
    super(`${bound} of a period`);
  }
}
