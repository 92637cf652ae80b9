import { insertBusiness } from "../../src/fixtures/businesses/insert.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import { Database } from "../../src/infra/postgres/database.ts";
import { aBusiness, aThread } from "../support/world.ts";
import type { Stage } from "./stage.ts";

/** Inserts businesses into cell c1, each with this many chats. */
export async function fill(stage: Stage, businessIds: readonly number[], threads: number): Promise<void> {
  const database = Database.open(
    { url: stage.places.c1, poolSize: 1, statementTimeoutMs: 60_000, connectTimeoutMs: 5_000 },
    () => {},
  );
  try {
    for (const id of businessIds) {
      const business = aBusiness(id, { threads: Array.from({ length: threads }, (_, at) => aThread(id * 1_000 + at)) });
      await database.transaction((transaction) =>
        insertBusiness(transaction, business, new Secrets("a secret of the tests, long enough for it")),
      );
    }
  } finally {
    await database.close();
  }
  await stage.rows("c1", "insert into realtime_counters select id, 10 from businesses on conflict do nothing");
  for (const table of [
    "businesses",
    "contacts",
    "chats",
    "conversations",
    "users",
    "templates",
    "departments",
    "steps",
  ])
    await stage.rows("c1", `select setval(pg_get_serial_sequence('${table}', 'id'), 10000000)`);
}
