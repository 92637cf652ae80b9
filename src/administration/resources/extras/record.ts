export interface Extra {
  readonly name: string;
  /** Major units with two decimals. */
  readonly charge: string;
  /** The articles that it may be added to; if empty, any article. */
  readonly articleIds: readonly number[];
}
