/**
 * The custom prices of an order as they are stored: by order, then by `<extra>:<line>`. Shops write it too, so that any
 * part may be missing.
 */
export interface ExtraData {
  readonly version?: number;
  readonly customExtras?: Readonly<Record<string, Readonly<Record<string, Partial<CustomExtra>>> | null>> | null;
}

export interface CustomExtra {
  /** In units of the currency, at most two decimals. */
  readonly price: number;
  readonly picked: string;
}

export const customExtraKey = (extraId: number, lineId: number): string => `${extraId}:${lineId}`;
