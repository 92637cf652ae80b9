import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Tag } from "./record.ts";

export const tagsTable: RecordTable<Tag> = {
  name: "tags",
  columns: { name: "name" },
  searched: ["name"],
  unique: { tags_business_id_name_key: "name" },
};
