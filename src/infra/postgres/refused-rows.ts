import type { RefusedRows } from "../../kernel/row-imports.ts";
import { phoneDigits } from "../../kernel/text.ts";
import { type Cells, everywhere } from "./cells.ts";
import { livesHere } from "./lives-here.ts";
import { statement } from "./statement.ts";

const kept = "interval '24 hours'";

const add = statement("refused_contacts_add")`
  insert into refused_contacts (business_id, resource, file, part, content) values ($1, $2, $3, $4, $5)`;

const part = statement("refused_contacts_part")`
  select content from refused_contacts
  where business_id = $1 and resource = $2 and file = $3 and part = $4 and created_at > now() - ${kept}`;

/** The next part that may contain one of the numbers. Other characters between the digits are ignored. */
const next = statement("refused_contacts_next")`
  select file, part, content from refused_contacts
  where business_id = $1 and (file, part) > ($3, $4::integer)
    and exists (select 1 from unnest($2::text[]) as number
                where strpos(regexp_replace(content, '[^0-9]', '', 'g'), number) > 0)
  order by file, part limit 1`;

const replace = statement("refused_contacts_replace")`
  update refused_contacts set content = $5
  where business_id = $1 and file = $2 and part = $3 and content = $4
  returning part`;

const purge = statement("refused_contacts_purge")`
  delete from refused_contacts where (business_id, file, part) in (
    select business_id, file, part from refused_contacts
    where created_at < now() - ${kept} and ${livesHere("business_id")} limit 1000)
  returning part`;

interface Place {
  readonly file: string;
  readonly part: number;
}

export class PostgresRefusedRows implements RefusedRows {
  constructor(
    private readonly cells: Cells,
    private readonly resource: string,
  ) {}

  async add(businessId: number, file: string, place: number, content: string): Promise<void> {
    await this.cells.of(businessId).rows(add, [businessId, this.resource, file, place, content]);
  }

  async part(businessId: number, file: string, place: number): Promise<string | null> {
    const values = [businessId, this.resource, file, place];
    const rows = await this.cells.of(businessId).rows<{ content: string }>(part, values);
    return rows[0]?.content ?? null;
  }

  /** Applies `edit` to each part, of any resource, that may contain one of the numbers. */
  async edit(businessId: number, numbers: readonly string[], edit: (content: string) => string): Promise<void> {
    const digits = numbers.flatMap((number) => phoneDigits(number) ?? []);
    if (digits.length === 0) return;
    const cell = this.cells.of(businessId);
    for (let at: Place = { file: "", part: -1 }; ; ) {
      const [found] = await cell.rows<Place & { content: string }>(next, [businessId, digits, at.file, at.part]);
      if (!found) return;
      const { file, part, content } = found;
      const replaced = await cell.rows(replace, [businessId, file, part, content, edit(content)]);
      // A part that was edited concurrently is read again.
      if (replaced.length > 0) at = { file, part };
    }
  }

  /** Deletes the old parts of all resources. */
  async purge(signal?: AbortSignal): Promise<void> {
    for (let count = 1; count > 0 && !signal?.aborted; ) {
      count = (await everywhere(this.cells, (cell) => cell.rows(purge, []))).length;
    }
  }
}
