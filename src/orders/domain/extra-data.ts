/** Custom prices by order id, then by `customExtraKey`. Shops write `extra_data`, too: any part may be malformed. */
export interface ExtraData {
  readonly version?: number;
  readonly customExtras?: Readonly<Record<string, Readonly<Record<string, CustomExtra | null>> | null>> | null;
}

interface CustomExtra {
  /** In units of the currency, at most two decimals. */
  readonly price?: unknown;
  readonly picked?: unknown;
}

/** The largest amount that the database stores, in major units. */
export const highestCustomPrice = 999_999_999_999.99;

export const customExtraKey = (extraId: number, lineId: number): string => `${extraId}:${lineId}`;
