/**
 * The custom prices of an order as they are stored: by order, then by `<extra>:<line>`. Shops write it too, so that any
 * part may be missing, or be something else.
 */
export interface ExtraData {
  readonly version?: number;
  readonly customExtras?: Readonly<Record<string, Readonly<Record<string, CustomExtra | null>> | null>> | null;
}

interface CustomExtra {
  /** In units of the currency, at most two decimals. */
  readonly price?: unknown;
  readonly picked?: unknown;
}

/** What the database holds of an amount, in units of the currency. */
export const highestCustomPrice = 999_999_999_999.99;

export const customExtraKey = (extraId: number, lineId: number): string => `${extraId}:${lineId}`;
