import type { World } from "../support/world.ts";

/** What the generated tests need to know about a resource. They test every sample in `samples`. */
export interface Sample {
  readonly path: string;
  /** The name of the sample, if its resource has several samples. */
  readonly kind?: string;
  /** Prepares what a body needs outside of the service, such as the sender at its sandbox platform. */
  readonly prepare?: (world: World, body: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Returns a valid body. Bodies for different `n` differ, also in the unique field. */
  body(n: number, ids: Ids): Readonly<Record<string, unknown>>;
  /** Pairs of a field and a wrong value. The error must name the field. */
  readonly wrong: readonly (readonly [field: string, value: unknown])[];
  /** Fields that refer to records of other resources. */
  readonly references?: readonly string[];
  readonly unique?: string;
  /** Fields that must change together with the unique field. */
  readonly uniqueWith?: readonly string[];
  /**
   * What can use a record. `sql` creates the use: `$1` is the business, and `$2` the record's id. `called` is the name
   * of the use in answers.
   */
  readonly uses?: readonly { readonly sql: string; readonly called: string }[];
  readonly archives?: true;
  /** Values that the record must get before it can be removed. Absent if a new record can be removed at once. */
  readonly frees?: Readonly<Record<string, unknown>>;
  /** The name of the field with the record's version; `version` by default. */
  readonly counter?: string;
  /** The fields by which imported rows find their record. Absent if the resource has no imports. */
  readonly matchedBy?: readonly string[];
  /** Fields that requests accept and answers never show. */
  readonly hidden?: readonly string[];
  /** Fields that only the answer to a creation has: a secret, or an object with the secret in `token`. */
  readonly once?: readonly string[];
}

/** The ids of a business's records to which bodies can refer. */
export interface Ids {
  readonly branch: number;
  readonly agents: readonly number[];
  readonly article: number;
  readonly department: number;
  readonly tag: number;
  readonly step: number;
}
