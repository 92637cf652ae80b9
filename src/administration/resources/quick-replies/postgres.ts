import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { QuickReply } from "./record.ts";

export const quickRepliesTable: RecordTable<QuickReply> = {
  name: "quick_replies",
  columns: { name: "shortcut", text: "body", mediaUrl: "media_url" },
  searched: ["shortcut", "body"],
  unique: { quick_replies_business_id_shortcut_key: "name" },
};
