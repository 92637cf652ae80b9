import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import type { MediaRegister } from "../../../application/media/ports.ts";
import { mediaTypeOf, type StoredMedia } from "../../../domain/media.ts";

const begin: Statement = {
  name: "media_begin",
  text: "insert into media_files (business_id, name, file_name, type) values ($1, $2, $3, $4)",
};

const complete: Statement = {
  name: "media_complete",
  text: "update media_files set size = $3 where business_id = $1 and name = $2 returning name",
};

const forget: Statement = {
  name: "media_forget",
  text: "delete from media_files where business_id = $1 and name = $2",
};

/** The name is the only key to a file that anybody outside has; it opens one file. */
const find: Statement = {
  name: "media_find",
  text: `select name, file_name as "fileName", type, size from media_files where name = $1 and size is not null`,
};

const abandoned: Statement = {
  name: "media_abandoned",
  text: `
    select business_id as "businessId", name from media_files
    where size is null and created_at < now() - make_interval(secs => $1)
    union all
    select business_id, name from media_files
    where size is not null and not exists (select from businesses where id = business_id)
    limit $2`,
};

type MediaRow = Omit<StoredMedia, "type"> & { readonly type: string };

export class PostgresMediaFiles implements MediaRegister {
  constructor(private readonly directory: Queries) {}

  async begin(file: Parameters<MediaRegister["begin"]>[0]): Promise<void> {
    await this.directory.rows(begin, [file.businessId, file.name, file.fileName, file.type.type]);
  }

  async complete(businessId: number, name: string, size: number): Promise<void> {
    const rows = await this.directory.rows(complete, [businessId, name, size]);
    if (rows.length === 0) throw new Error("the file was swept away while it was stored");
  }

  async forget(businessId: number, name: string): Promise<void> {
    await this.directory.rows(forget, [businessId, name]);
  }

  async find(name: string): Promise<StoredMedia | null> {
    const [row] = await this.directory.rows<MediaRow>(find, [name]);
    const type = mediaTypeOf(row?.type ?? null);
    return row && type ? { ...row, type } : null;
  }

  async abandoned(olderThanSeconds: number, most: number): Promise<{ businessId: number; name: string }[]> {
    const values = [olderThanSeconds, most];
    return await this.directory.rows<{ businessId: number; name: string }>(abandoned, values);
  }
}
