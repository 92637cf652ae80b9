export interface Article {
  readonly name: string;
  /** Major units with two decimals. */
  readonly price: string;
  /** The article's id in the platforms' catalogs. */
  readonly retailerId: string | null;
  /** `delivery` and `free_delivery` are coupons for free delivery. */
  readonly type: string;
}
