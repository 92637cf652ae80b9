import { type Columns, columnsOfRow, jsonOf, quoted, snakeCase } from "../../../infra/postgres/sql-text.ts";
import type { AttachmentView, FileView, MessageView } from "../../application/events.ts";
import { fileKinds } from "../../domain/incoming.ts";

const hasFile = (row: string): string => `${row}.kind in (${quoted(...fileKinds)})`;

/** A column of the stored file behind `media_url`; null if the file is stored elsewhere. */
const ofStoredFile = (row: string, column: string): string => `
  case when ${row}.media_url like '%/m\\_%' then (
    select file.${column} from media_files as file
    where file.business_id = ${row}.business_id and file.name = media_name(${row}.media_url) and file.size is not null)
  end`;

/** Fields of a `MessageView` that show a column as it is. */
const plainFields = [
  ...(["id", "direction", "kind", "body", "mediaUrl", "author", "authorName", "state", "errorCode"] as const),
  ...(["errorReason", "occurredAt", "platformMessageId", "details", "editedAt", "replyToId", "internal"] as const),
];

/** Columns of `messages` that events need; the CTEs `moved` and `news` must have them under these names. */
export const messageColumnNames = [...plainFields.map(snakeCase), "attachment", "reactions"];

/** Builds a `MessageView` from a row with `business_id` and the columns `messageColumnNames`. */
export const messageFields = (row: string): Columns<MessageView> => ({
  ...columnsOfRow(row, ...plainFields),
  attachment: `
    case when ${row}.media_url is not null
    then ${jsonOf<AttachmentView>({
      url: `${row}.media_url`,
      kind: `coalesce(${row}.attachment->>'kind', case when ${hasFile(row)} then ${row}.kind else 'document' end)`,
      name: `coalesce(${row}.attachment->>'name', ${ofStoredFile(row, "file_name")})`,
      bytes: `coalesce((${row}.attachment->>'bytes')::bigint, ${ofStoredFile(row, "size")})`,
    })} end`,
  file: `
    case when ${row}.attachment->>'state' is not null
    then ${jsonOf<FileView>({
      state: `${row}.attachment->>'state'`,
      kind: `${row}.attachment->>'kind'`,
      name: `${row}.attachment->>'name'`,
      reason: `${row}.attachment->>'reason'`,
    })} end`,
  // A removed reaction stays stored with an empty emoji.
  reactions: `jsonb_path_query_array(${row}.reactions, '$[*] ? (@.emoji != "")')`,
});
