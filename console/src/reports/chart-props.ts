export interface ChartProps {
  /** What it shows, for those who do not see it; the figures stand in a table beside it. */
  readonly label: string;
  readonly categories: readonly string[];
  /** Of the categories where one points at them, when they are longer there. */
  readonly titles?: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
  /** The figure of a category, where not all are written alike. */
  readonly formatAt?: (index: number) => string;
  readonly short: (value: number) => string;
  /** Bars that lie, the first one on top; else they stand, from left to right. */
  readonly isRanked?: boolean;
}
