import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import type { BusinessStore, NewBusiness } from "../../application/ports.ts";
import { EmailTaken } from "../../domain/access.ts";

const found: Statement = {
  name: "business_found",
  text: `
    with business as (
      insert into businesses (name, plan)
      select $1, 'pro' where not exists (select from credentials where email = lower($2))
      returning id
    ),
    administrator as (
      insert into users (business_id, name, role_id) select id, $2, $4 from business
      returning business_id, id
    )
    insert into credentials (email, business_id, user_id, password_hash)
    select lower($2), business_id, id, $3 from administrator
    returning business_id as "businessId", user_id as "userId"`,
};

export class PostgresBusinesses implements BusinessStore {
  constructor(private readonly cells: Cells) {}

  async found({ name, email, passwordHash, roleId }: NewBusiness) {
    const values = [name, email, passwordHash, roleId];
    const [row] = await this.cells.directory.rows<{ businessId: number; userId: number }>(found, values);
    if (!row) throw new EmailTaken(`${email} is somebody's already`);
    return row;
  }
}
