/** Who changed an order. */
export type Actor = { readonly kind: "key" | "user"; readonly id: number };

/**
 * What an order has to be at for a change to be made: at one of these versions, at `any` (it exists), or whatever
 * it is (`null`).
 */
export type ExpectedVersion = readonly number[] | "any" | null;

/** One change of an order, as its history tells it. */
export interface OrderChange {
  readonly id: number;
  /** The version that the change made. */
  readonly version: number;
  readonly action: string;
  readonly actor: {
    readonly kind: "key" | "user" | "bot" | "contact";
    readonly id: number | null;
    /** The label of the App Key, or the name of the user or the contact; null for the bot and where it is gone. */
    readonly name: string | null;
  };
  /** By field: what it was and what it became. */
  readonly changes: Readonly<Record<string, unknown>>;
  readonly at: Date;
}
