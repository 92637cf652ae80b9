import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import { claimNames, releaseNames } from "../../../../infra/postgres/claimed-names.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type {
  MediaRegister,
  MediaUsage,
  NamedFiles,
  NewFile,
  Reservation,
  SizeBounds,
} from "../../../application/media/ports.ts";
import { mediaTypeOf, type StoredMedia } from "../../../domain/media.ts";

const quota = statement("media_quota")`select media_quota_bytes(feature_flags) as quota from businesses where id = $1`;

/**
 * The lock on the usage row makes parallel uploads wait for each other. A trigger adds the reserved bytes to the usage.
 */
const begin = statement("media_begin")`
  with usage as (
    insert into media_usage (business_id) values ($1)
    on conflict (business_id) do update set business_id = excluded.business_id
    returning $8::bigint - bytes as room
  )
  insert into media_files (business_id, name, file_name, type, uploaded_by, reserved)
  select $1, $2, $3, $4, $5, least($7::bigint, room) from usage where room >= $6::bigint
  returning reserved`;

const reservedNow = statement("media_reserved_now")`
  select usage.bytes - coalesce(
           (select sum(reserved) from media_files where business_id = $1 and size is null), 0)::bigint as stored
  from media_usage as usage where usage.business_id = $1`;

const complete = statement("media_complete")`
  update media_files set size = $3 where business_id = $1 and name = $2 returning name`;

const withdraw = statement("media_withdraw")`
  update media_files set size = null, reserved = size
  where business_id = $1 and name = $2 and size is not null and ($3::bigint is null or uploaded_by = $3)
  returning name`;

const forget = statement("media_forget")`delete from media_files where business_id = $1 and name = $2`;

/** Finds a file of any business, because a reader knows only the name. Names are unique in the installation. */
const find = statement("media_find")`
  select name, file_name as "fileName", type, size from media_files where name = $1 and size is not null`;

const fileNameOf = statement("media_file_name")`
  select file_name as "fileName" from media_files where business_id = $1 and name = $2 and size is not null`;

const lastNamed = "greatest(created_at, named_at)";

/** Updates a file's row at most once a day, because the sweep counts in days. */
const touch = statement("media_touch")`
  update media_files set named_at = now()
  where name = $1 and size is not null and ${lastNamed} < now() - interval '1 day'`;

const usage = statement("media_usage")`select files, bytes from media_usage where business_id = $1`;

const abandoned = statement("media_abandoned")`
  select business_id as "businessId", name from media_files
  where size is null and created_at < now() - make_interval(secs => $1) and ${livesHere("business_id")}
  union all
  select business_id, name from media_files
  where size is not null and not exists (select 1 from businesses where id = business_id)
    and ${livesHere("business_id")}
  limit $2`;

const longUnnamed = statement("media_long_unnamed")`
  select business_id as "businessId", array_agg(name) as names
  from (
    select business_id, name from media_files
    where size is not null and ${lastNamed} < now() - make_interval(days => $1) and business_id <> all($3::bigint[])
      and ${livesHere("business_id")}
    order by ${lastNamed} limit $2) as oldest
  group by business_id`;

const keep = statement("media_keep")`
  update media_files set named_at = now() where business_id = $1 and name = any($2::text[])`;

const withdrawUnnamed = statement("media_unnamed_withdraw")`
  update media_files set size = null, reserved = size
  where business_id = $1 and name = any($2::text[]) and size is not null
    and ${lastNamed} < now() - make_interval(days => $3)`;

type MediaRow = Omit<StoredMedia, "type"> & { readonly type: string };

export class PostgresMediaFiles implements MediaRegister {
  constructor(private readonly cells: Cells) {}

  async begin(file: NewFile, { least, most }: SizeBounds): Promise<Reservation> {
    const { businessId, name, fileName, type, uploadedBy } = file;
    const bytes = await this.quotaOf(businessId);
    const values = [businessId, name, fileName, type.type, uploadedBy, least, most, bytes];
    const cell = this.cells.of(businessId);
    await claimNames(cell, businessId, "media", [name]);
    const [row] = await cell.rows<{ reserved: number }>(begin, values);
    if (row) return { reserved: row.reserved, waits: false, quota: bytes };
    const [now] = await cell.rows<{ stored: number }>(reservedNow, [businessId]);
    return { reserved: null, waits: (now?.stored ?? 0) + least <= bytes, quota: bytes };
  }

  async complete(businessId: number, name: string, size: number): Promise<void> {
    const rows = await this.cells.of(businessId).rows(complete, [businessId, name, size]);
    if (rows.length === 0) throw new Error("the file was swept away while it was stored");
  }

  async withdraw(businessId: number, name: string, uploadedBy: number | null): Promise<boolean> {
    return (await this.cells.of(businessId).rows(withdraw, [businessId, name, uploadedBy])).length > 0;
  }

  async forget(businessId: number, name: string): Promise<void> {
    const cell = this.cells.of(businessId);
    await cell.rows(forget, [businessId, name]);
    await releaseNames(cell, businessId, "media", [name]);
  }

  async find(name: string): Promise<StoredMedia | null> {
    const [row] = await this.cells.ofName("media", name).rows<MediaRow>(find, [name]);
    const type = mediaTypeOf(row?.type ?? null);
    return row && type ? { ...row, type } : null;
  }

  async fileNameOf(businessId: number, name: string): Promise<string | null> {
    const [row] = await this.cells.of(businessId).rows<{ fileName: string }>(fileNameOf, [businessId, name]);
    return row?.fileName ?? null;
  }

  async touch(name: string): Promise<void> {
    await this.cells.ofName("media", name).rows(touch, [name]);
  }

  async usage(businessId: number): Promise<MediaUsage> {
    const bytes = await this.quotaOf(businessId);
    const [row] = await this.cells.of(businessId).rows<Omit<MediaUsage, "quota">>(usage, [businessId]);
    return { files: row?.files ?? 0, bytes: row?.bytes ?? 0, quota: bytes };
  }

  async abandoned(olderThanSeconds: number, most: number): Promise<{ businessId: number; name: string }[]> {
    const values = [olderThanSeconds, most];
    return everywhere(this.cells, (cell) => cell.rows<{ businessId: number; name: string }>(abandoned, values));
  }

  async longUnnamed(days: number, most: number, except: readonly number[]): Promise<readonly NamedFiles[]> {
    return everywhere(this.cells, (cell) => cell.rows<NamedFiles>(longUnnamed, [days, most, except]));
  }

  async keep({ businessId, names }: NamedFiles): Promise<void> {
    await this.cells.of(businessId).rows(keep, [businessId, names]);
  }

  async withdrawUnnamed({ businessId, names }: NamedFiles, days: number): Promise<void> {
    await this.cells.of(businessId).rows(withdrawUnnamed, [businessId, names, days]);
  }

  /** The business's quota in bytes; 0 if there is no such business. */
  private async quotaOf(businessId: number): Promise<number> {
    const [row] = await this.cells.of(businessId).rows<{ quota: number }>(quota, [businessId]);
    return row?.quota ?? 0;
  }
}
