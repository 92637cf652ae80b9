import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Article } from "./record.ts";

export const articlesTable: RecordTable<Article> = {
  name: "articles",
  columns: { name: "name", price: "price", retailerId: "retailer_id", type: "type" },
  exact: ["price"],
  searched: ["name", "retailer_id"],
  unique: { articles_by_retailer_id: "retailerId" },
};
