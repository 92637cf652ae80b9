export interface ChartProps {
  /** A description for screen readers. It needs no figures, since the table next to the chart has them. */
  readonly label: string;
  readonly categories: readonly string[];
  /** Full names for the tooltip. */
  readonly titles?: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
  /** Replaces `format` in the tooltip, if given. It gets the index of the value instead of the value itself. */
  readonly formatAt?: (index: number) => string;
  readonly short: (value: number) => string;
  /** Draws horizontal bars with the first category on top, instead of vertical bars. */
  readonly isRanked?: boolean;
}
