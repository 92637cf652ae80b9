/** The custom prices of an order as they are stored: by order, then by `<extra>:<line>`. Prices in whole units. */
export interface ExtraData {
  readonly version: 1;
  readonly customExtras: Readonly<Record<string, Readonly<Record<string, CustomExtra>>>>;
}

export interface CustomExtra {
  /** In units of the currency, at most two decimals. */
  readonly price: number;
  readonly picked: string;
}

export const customExtraKey = (extraId: number, lineId: number): string => `${extraId}:${lineId}`;
