import { statement } from "../../../../infra/postgres/statement.ts";
import { beginning } from "../../../../kernel/text.ts";
import type { IncomingFile } from "../../../domain/incoming.ts";
import type { Intake, MessageNews } from "./news.ts";

const store = statement("incoming_files")`
  insert into incoming_files (business_id, message_id, provider, sender, kind, name, place)
  select business_id, message_id, $2, sender, kind, left(name, 255), place
  from jsonb_to_recordset($1::jsonb) as file(
    business_id bigint, message_id bigint, sender text, kind text, name text, place jsonb)
  order by business_id, message_id`;

/** Each file has its own statement, because it may be large. */
const storeWithContent = statement("incoming_files_with_content")`
  insert into incoming_files (business_id, message_id, provider, sender, kind, name, content)
  values ($1, $2, $3, $4, $5, left($6, 255), $7)`;

/** The value of `messages.attachment` until the file is downloaded. */
export const awaited = (file: IncomingFile | undefined): object | undefined =>
  file && { kind: file.kind, ...(file.name !== undefined && { name: beginning(file.name, 255) }), state: "waiting" };

/** Queues the files of messages that this transaction stored. Returns true if there are any. */
export async function storeFiles(intake: Intake, stored: readonly MessageNews[]): Promise<boolean> {
  const withFiles = stored.flatMap(({ business_id, id, message, echo }) => {
    const source = message ?? echo;
    return source?.file ? [{ business_id, id, sender: source.sender, file: source.file }] : [];
  });
  const rows: object[] = [];
  for (const { business_id, id, sender, file } of withFiles) {
    const { kind, name, place } = file;
    if (place.at === "here") {
      const content = Buffer.from(place.base64, "base64");
      await intake.transaction.rows(storeWithContent, [business_id, id, intake.provider, sender, kind, name, content]);
    } else rows.push({ business_id, message_id: id, sender, kind, name, place });
  }
  await intake.inChunks(store, rows);
  return withFiles.length > 0;
}
