import type { Cells } from "../../../infra/postgres/cells.ts";
import { claimNames } from "../../../infra/postgres/claimed-names.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { BusinessNumbers, BusinessStore, NewBusiness } from "../../application/ports.ts";
import { EmailTaken } from "../../domain/access.ts";

const next = statement("business_next")`select nextval(pg_get_serial_sequence('businesses', 'id')) as id`;

const create = statement("business_found")`
  with free as materialized (select true where not exists (select 1 from credentials where email = lower($2))),
  business as (
    insert into businesses (id, name, plan) select $4, $1, 'pro' from free
    returning id
  ),
  administrator as (
    insert into users (business_id, name, role_id) select id, $2, ${administratorRole} from business
    returning business_id, id
  )
  insert into credentials (email, business_id, user_id, password_hash)
  select lower($2), business_id, id, $3 from administrator
  returning user_id as "userId"`;

/** Gives ids that are unique across all cells. */
export class PostgresBusinessNumbers implements BusinessNumbers {
  constructor(private readonly cells: Cells) {}

  async next(): Promise<number> {
    const [row] = await this.cells.common.rows<{ id: number }>(next, []);
    if (!row) throw new Error("the database gives no id");
    await this.cells.assign(row.id);
    return row.id;
  }
}

export class PostgresBusinesses implements BusinessStore {
  constructor(private readonly transaction: Queries) {}

  async create({ businessId, name, email, passwordHash }: NewBusiness): Promise<number> {
    const values = [name, email, passwordHash, businessId];
    const isFree = (await claimNames(this.transaction, businessId, "email", [email])).length === 0;
    const [row] = isFree ? await this.transaction.rows<{ userId: number }>(create, values) : [];
    if (!row) throw new EmailTaken(`${email} is in use`);
    return row.userId;
  }
}
