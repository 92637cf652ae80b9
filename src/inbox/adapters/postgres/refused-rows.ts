import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import type { RefusedRows } from "../../application/contacts/ports.ts";

const kept = "interval '24 hours'";

const add: Statement = {
  name: "refused_contacts_add",
  text: "insert into refused_contacts (business_id, file, part, content) values ($1, $2, $3, $4)",
};

const part: Statement = {
  name: "refused_contacts_part",
  text: `
    select content from refused_contacts
    where business_id = $1 and file = $2 and part = $3 and created_at > now() - ${kept}`,
};

const purge: Statement = {
  name: "refused_contacts_purge",
  text: `
    delete from refused_contacts where (business_id, file, part) in (
      select business_id, file, part from refused_contacts where created_at < now() - ${kept} limit 1000)
    returning part`,
};

export class PostgresRefusedRows implements RefusedRows {
  constructor(private readonly cells: Cells) {}

  async add(businessId: number, file: string, place: number, content: string): Promise<void> {
    await this.cells.of(businessId).rows(add, [businessId, file, place, content]);
  }

  async part(businessId: number, file: string, place: number): Promise<string | null> {
    const rows = await this.cells.of(businessId).rows<{ content: string }>(part, [businessId, file, place]);
    return rows[0]?.content ?? null;
  }

  async purge(): Promise<void> {
    for (let count = 1; count > 0; ) {
      count = (await everywhere(this.cells, (cell) => cell.rows(purge, []))).length;
    }
  }
}
