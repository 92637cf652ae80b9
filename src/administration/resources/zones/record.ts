export interface Zone {
  readonly name: string;
  /** Major units with two decimals. */
  readonly price: string;
  readonly branchId: number | null;
}
