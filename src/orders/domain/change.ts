/** Who changed an order. */
export type Actor = { readonly kind: "key" | "user"; readonly id: number };

/** A change requires that the order has one of these versions, or only that it exists (`any`), or nothing (null). */
export type ExpectedVersion = readonly number[] | "any" | null;

/** An entry of an order's history. */
export interface OrderChange {
  readonly id: number;
  /** The version that the change made. */
  readonly version: number;
  readonly action: string;
  readonly actor: {
    readonly kind: "key" | "user" | "bot" | "contact";
    readonly id: number | null;
    /** The key's label, or the user's or contact's name; null for the bot, or if there is no such record any more. */
    readonly name: string | null;
  };
  /** The value before and after the change, by field. */
  readonly changes: Readonly<Record<string, unknown>>;
  readonly at: Date;
}
