import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { sumsOf } from "../../../../kernel/sums.ts";
import type { ClaimedFile, FileAttempt, FileCounts, FileQueue } from "../../../application/files/ports.ts";

/**
 * Finds the businesses with one index probe each, however many files they have. `due_at` is checked again under the
 * lock, so that two processes do not claim the same file.
 */
const claim = statement("file_claim")`
  with recursive waiting as (
    (select business_id from incoming_files order by business_id limit 1)
    union all
    select (select file.business_id from incoming_files as file
            where file.business_id > waiting.business_id order by file.business_id limit 1)
    from waiting where waiting.business_id is not null
  ),
  busy as (
    select business_id,
           (select count(*) from incoming_files as held
            where held.business_id = waiting.business_id and held.lease_until > now()) as under_way
    from waiting where business_id is not null and ${livesHere("business_id")}
  ),
  due as (
    select oldest.*, busy.under_way + row_number() over (partition by busy.business_id order by oldest.due_at) as turn
    from busy cross join lateral (
      select file.business_id, file.message_id, file.due_at from incoming_files as file
      where file.business_id = busy.business_id and file.due_at <= now()
      order by file.due_at limit greatest($2::bigint - busy.under_way, 0)
    ) as oldest
  ),
  chosen as (
    select file.business_id, file.message_id, file.expires_at <= now() as is_last
    from due join incoming_files as file
      on file.business_id = due.business_id and file.message_id = due.message_id and file.due_at <= now()
    order by due.turn, due.due_at, due.business_id limit $1
    for no key update of file skip locked
  )
  update incoming_files as file
  set attempts = file.attempts + 1, lease_until = now() + make_interval(secs => $3),
      due_at = now() + make_interval(secs => $3)
  from chosen where file.business_id = chosen.business_id and file.message_id = chosen.message_id
  returning file.business_id as "businessId", file.message_id as "messageId", file.attempts as attempt,
            file.provider as channel, file.sender, file.name, file.place, length(file.content) as size,
            file.media_name as "leftBehind", chosen.is_last as "isLast"`;

const ofAttempt = "business_id = $1 and message_id = $2 and attempts = $3";

const part = statement("file_content")`
  select substring(content from $4 for $5) as bytes from incoming_files where ${ofAttempt}`;

const nameIt = statement("file_name_it")`
  update incoming_files set media_name = $4 where ${ofAttempt} returning message_id`;

const postpone = statement("file_postpone")`
  update incoming_files
  set lease_until = null, error = left($5, 300),
      due_at = greatest(now(), least(now() + make_interval(secs => $4::float8 / 1000), expires_at))
  where ${ofAttempt}`;

const counts = statement("file_counts")`
  select count(*) filter (where due_at <= now()) as due,
         count(*) filter (where due_at > now() and lease_until is null) as postponed,
         count(*) filter (where due_at > now() and lease_until is not null) as "underWay"
  from (select due_at, lease_until from incoming_files where ${livesHere("business_id")} limit 100000) as kept`;

const bytesAtOnce = 1024 * 1024;

export class PostgresFileQueue implements FileQueue {
  constructor(private readonly cells: Cells) {}

  async claim(limit: number, bounds: { ofOne: number; leaseSeconds: number }): Promise<ClaimedFile[]> {
    const shareOfEach = Math.ceil(limit / this.cells.parts().length);
    const values = [shareOfEach, bounds.ofOne, bounds.leaseSeconds];
    return everywhere(this.cells, (cell) => cell.rows<ClaimedFile>(claim, values));
  }

  async *content(file: FileAttempt): AsyncGenerator<Uint8Array> {
    const cell = this.cells.of(file.businessId);
    for (let from = 1; ; from += bytesAtOnce) {
      const [row] = await cell.rows<{ bytes: Buffer }>(part, [...valuesOf(file), from, bytesAtOnce]);
      if (!row) throw new Error("the file was erased, or another attempt has begun");
      if (row.bytes.length > 0) yield row.bytes;
      if (row.bytes.length < bytesAtOnce) return;
    }
  }

  async nameIt(file: FileAttempt, mediaName: string): Promise<boolean> {
    return (await this.cells.of(file.businessId).rows(nameIt, [...valuesOf(file), mediaName])).length > 0;
  }

  async postpone(file: FileAttempt, pauseMs: number, error: string): Promise<void> {
    await this.cells.of(file.businessId).rows(postpone, [...valuesOf(file), pauseMs, error]);
  }

  async counts(): Promise<FileCounts> {
    return sumsOf(await everywhere(this.cells, (cell) => cell.rows<FileCounts>(counts, [])));
  }
}

const valuesOf = ({ businessId, messageId, attempt }: FileAttempt): number[] => [businessId, messageId, attempt];
