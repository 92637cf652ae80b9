import { expect } from "chai";
import fc from "fast-check";
import pg from "pg";
import { migrate } from "../../src/infra/postgres/migrate.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { triggerForms } from "../support/trigger-forms.ts";

/** A statement that writes conversations of up to three chats. */
const write = fc.oneof(
  fc.record({ kind: fc.constant("open" as const), chats: fc.uniqueArray(fc.integer({ min: 1, max: 3 })) }),
  fc.record({ kind: fc.constant("close" as const), chats: fc.uniqueArray(fc.integer({ min: 1, max: 3 })) }),
  fc.record({
    kind: fc.constant("change" as const),
    chats: fc.uniqueArray(fc.integer({ min: 1, max: 3 })),
    state: fc.constantFrom("bot", "pending"),
  }),
);

const texts = {
  open: `
    insert into conversations (business_id, chat_id, state)
    select 1, chat, 'bot' from unnest($1::bigint[]) as chat
    where not exists (select from conversations where business_id = 1 and chat_id = chat and closed_at is null)`,
  close: "update conversations set closed_at = now() where business_id = 1 and closed_at is null and chat_id = any($1)",
  change: "update conversations set state = $2 where business_id = 1 and closed_at is null and chat_id = any($1)",
};

async function connect({ url }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

for (const { name, functions } of triggerForms) {
  describe(`triggers on conversations, ${name}`, () => {
    let client: pg.Client;
    before(async () => {
      client = await connect(await freshDatabase());
      for (const text of functions) await client.query(text);
      await client.query(`
        insert into businesses (id, name) values (1, 'x');
        insert into contacts (business_id, id, name, phone, platform_id)
          select 1, n, 'Ana', n::text, n::text from generate_series(1, 3) as n;
        insert into chats (business_id, id, contact_id, provider)
          select 1, n, n, 'platform-apicloud' from generate_series(1, 3) as n`);
    });
    after(() => client.end());

    it("set each chat's state to that of its open conversation, or to closed", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 8 }), async (writes) => {
          for (const each of writes) {
            await client.query(texts[each.kind], "state" in each ? [each.chats, each.state] : [each.chats]);
            const { rows } = await client.query(`
              select chat.id, chat.state, coalesce(open.state, 'closed') as expected
              from chats as chat left join conversations as open
                on open.business_id = chat.business_id and open.chat_id = chat.id and open.closed_at is null
              where chat.state <> coalesce(open.state, 'closed')`);
            expect(rows).to.deep.equal([]);
          }
        }),
        { numRuns: 30 },
      );
    });
  });
}

describe("migrating with Citus installed", () => {
  const bodyOf = async (client: pg.Client): Promise<string> =>
    (await client.query("select prosrc from pg_proc where proname = 'keep_chat_state'")).rows[0].prosrc;

  it("gives functions of triggers their form for Citus, and leaves others unchanged", async () => {
    const database = await freshDatabase();
    const client = await connect(database);
    try {
      const asMigrated = await bodyOf(client);
      await migrate({ url: database.url });
      expect(await bodyOf(client)).to.equal(asMigrated);
      // Imitates an installed Citus: its table of distributed schemas (here empty), and its row in `pg_extension`.
      await client.query("create table pg_dist_schema (schemaid oid)");
      await client.query("set allow_system_table_mods = on");
      await client.query(`
        insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
        values (999999, 'citus', 10, 'public'::regnamespace, false, '13')`);
      await migrate({ url: database.url });
      expect(await bodyOf(client)).not.to.equal(asMigrated);
    } finally {
      await client.end();
    }
  });
});
