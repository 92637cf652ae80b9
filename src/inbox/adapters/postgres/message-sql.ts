import { type Columns, jsonOf, quoted } from "../../../infra/postgres/sql-text.ts";
import type { AttachmentView, FileView, MessageView } from "../../application/events.ts";

const fileKinds = ["image", "audio", "video", "document", "sticker"] as const;

const hasFile = (row: string): string => `${row}.kind in (${quoted(...fileKinds)})`;

/** A column of the stored file behind `media_url`; null if the file is stored elsewhere. */
const ofStoredFile = (row: string, column: string): string => `
  case when ${row}.media_url like '%/m\\_%' then (
    select file.${column} from media_files as file
    where file.business_id = ${row}.business_id and file.name = media_name(${row}.media_url) and file.size is not null)
  end`;

/** Columns of `messages` that events need; the CTEs `moved` and `news` must have them under these names. */
export const messageColumnNames = [
  ...["id", "direction", "kind", "body", "media_url", "author", "author_name", "state", "error_code", "error_reason"],
  ...["occurred_at", "platform_message_id", "attachment", "details", "reply_to_id", "internal", "reactions"],
  "edited_at",
];

/** Builds a `MessageView` from a row with `business_id` and the columns `messageColumnNames`. */
export const messageFields = (row: string): Columns<MessageView> => ({
  id: `${row}.id`,
  direction: `${row}.direction`,
  kind: `${row}.kind`,
  body: `${row}.body`,
  mediaUrl: `${row}.media_url`,
  author: `${row}.author`,
  authorName: `${row}.author_name`,
  state: `${row}.state`,
  errorCode: `${row}.error_code`,
  errorReason: `${row}.error_reason`,
  occurredAt: `${row}.occurred_at`,
  platformMessageId: `${row}.platform_message_id`,
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
  details: `${row}.details`,
  editedAt: `${row}.edited_at`,
  replyToId: `${row}.reply_to_id`,
  internal: `${row}.internal`,
  // A removed reaction stays stored with an empty emoji.
  reactions: `jsonb_path_query_array(${row}.reactions, '$[*] ? (@.emoji != "")')`,
});
