export interface ChartProps {
  /** What the chart shows, for a screen reader. The figures stand in a table beside it. */
  readonly label: string;
  readonly categories: readonly string[];
  /** Longer names of the categories, for the tooltip. */
  readonly titles?: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
  /** Writes the figure of one category, where currencies differ. */
  readonly formatAt?: (index: number) => string;
  readonly short: (value: number) => string;
  /** Draws horizontal bars, the first one on top. Without it the bars are vertical, from left to right. */
  readonly isRanked?: boolean;
}
