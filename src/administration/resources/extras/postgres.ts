import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Extra } from "./record.ts";

export const extrasTable: RecordTable<Extra> = {
  name: "article_extras",
  columns: { name: "name", charge: "charge" },
  sets: { articleIds: { table: "extra_articles", own: "extra_id", other: "article_id" } },
  exact: ["charge"],
  searched: ["name"],
};
