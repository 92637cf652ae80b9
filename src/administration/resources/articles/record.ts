import type { Matching } from "../../domain/records.ts";

export interface Article {
  readonly name: string;
  /** Major units with two decimals. */
  readonly price: string;
  /** By which the catalogs of the platforms know it. */
  readonly retailerId: string | null;
  /** `delivery` and `free_delivery` are coupons that make a delivery free. */
  readonly type: string;
}

export const articleMatching: Matching<Article> = { by: ["retailerId"], orElseBy: ["name"] };
