import type { World } from "../support/world.ts";

/** What the generated tests must know of a resource; a new one joins by standing here. */
export interface Sample {
  readonly path: string;
  /** Which of several samples of its resource it is. */
  readonly kind?: string;
  /** Makes what a body names outside of the service. */
  readonly prepare?: (world: World, body: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Valid bodies that differ in every field; `n` makes each its own. */
  body(n: number, ids: Ids): Readonly<Record<string, unknown>>;
  /** A wrong body and the field that its refusal names. */
  readonly wrong: readonly (readonly [field: string, value: unknown])[];
  /** Fields that name records of other resources. */
  readonly references?: readonly string[];
  /** The field that each record may have only once. */
  readonly unique?: string;
  /** Fields that are wrong unless they are the same record's as that one. */
  readonly uniqueWith?: readonly string[];
  /** Each makes something that uses the record with this SQL, where `$1` is the business and `$2` the record; what it is called. */
  readonly uses?: readonly { readonly sql: string; readonly called: string }[];
  readonly archives?: true;
  /** What its body names that keeps it from being removed, taken out of it. */
  readonly frees?: Readonly<Record<string, unknown>>;
  /** What the count of its changes is called; `version` unless given. */
  readonly counter?: string;
  /** By which fields rows of its CSV files are matched; without this it has no files. */
  readonly matchedBy?: readonly string[];
  /** Fields that are taken and never shown. */
  readonly hidden?: readonly string[];
  /** What only the answer that makes it tells: a secret, or an object with the secret in its field `token`. */
  readonly once?: readonly string[];
}

/** Records that every business of the tests has. */
export interface Ids {
  readonly branch: number;
  readonly agents: readonly number[];
  readonly article: number;
  readonly department: number;
  readonly tag: number;
  readonly step: number;
}
