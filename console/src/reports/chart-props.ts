export interface ChartProps {
  /** A description for screen readers. The numbers are in the table. */
  readonly label: string;
  readonly categories: readonly string[];
  /** Full names for the tooltip. */
  readonly titles?: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
  /** Formats one category, if currencies differ. */
  readonly formatAt?: (index: number) => string;
  readonly short: (value: number) => string;
  /** Draws horizontal bars with the first category on top, instead of vertical ones. */
  readonly isRanked?: boolean;
}
