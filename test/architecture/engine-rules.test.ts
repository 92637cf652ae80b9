import { expect } from "chai";
import pg from "pg";
import { migrate } from "../../src/infra/postgres/migrate.ts";
import { emptyDatabase, freshDatabase } from "../support/database.ts";
import { collectStatements } from "./collected-statements.ts";
import { brokenRules, meaningOf, type Rule } from "./engine-rules.ts";

/** By rule: a statement that breaks this rule and no other rule. */
const planted: Readonly<Record<Rule, string>> = {
  volatile: "update chats set last_message_at = clock_timestamp() where business_id = $1",
  lazy: "update chats set last_message_at = case when id = $2 then now() end where business_id = $1",
  stable: "update chats set provider = last_message_at::text where business_id = $1",
  conflict: `insert into quick_replies (business_id, shortcut, body) values ($1, 'a', 'b')
    on conflict (business_id, shortcut) do update set created_at = now()`,
  compared: "update chats set provider = case state when 'bot' then 'a' else provider end where business_id = $1",
  columns: "select id from chats where exists (select from messages where business_id = $1)",
  returning: "update chats set state = 'bot' where business_id = $1 returning last_message_at::text",
};

/** The commands that all migrations send to the server, without comments and line breaks. */
async function migrationCommands(): Promise<readonly string[]> {
  const { url } = await emptyDatabase();
  const asked: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first] = given as [string | { readonly text?: string }];
    asked.push(typeof first === "string" ? first : (first?.text ?? ""));
    return Reflect.apply(query, this, given);
  } as typeof query;
  try {
    await migrate({ url });
  } finally {
    pg.Client.prototype.query = query;
  }
  return asked.map((text) => text.replace(/--.*/g, "").replace(/\s+/g, " ").trim());
}

/** Whether an `alter table` adds a constraint together with another action, or adds a column that has a check. */
function refusedAlter(command: string): boolean {
  if (!/^alter table /i.test(command)) return false;
  let flat = command;
  // After parentheses and their contents are removed, each comma separates two actions.
  while (/\([^()]*\)/.test(flat)) flat = flat.replace(/\([^()]*\)/g, "");
  const isMixed = flat.includes(",") && /\badd (constraint|primary key|unique|foreign key|check)\b/i.test(flat);
  return isMixed || /\badd column\b[^,]*\bcheck\b/i.test(flat);
}

describe("SQL that Citus refuses in a cell", () => {
  let client: pg.Client;
  before(async () => {
    const { url } = await freshDatabase();
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  after(() => client.end());

  it("is not in any statement", async () => {
    const statements = await collectStatements();
    expect(statements.length).to.be.above(300);
    expect(await brokenRules(client, statements)).to.deep.equal([]);
  });

  for (const [rule, text] of Object.entries(planted)) {
    it(`is reported: ${meaningOf(rule as Rule)}`, async () => {
      const broken = await brokenRules(client, [{ name: "planted", text }]);
      expect(broken).to.have.length(1);
      expect(broken[0]).to.include(`planted: ${meaningOf(rule as Rule)}: `);
    });
  }

  it("is not in any migration", async () => {
    const commands = await migrationCommands();
    expect(commands.length).to.be.above(300);
    expect(commands.filter(refusedAlter)).to.deep.equal([]);
  });

  it("is reported in a migration", () => {
    expect(refusedAlter("alter table a add constraint b check (c > 0), add column d bigint")).to.equal(true);
    expect(refusedAlter("alter table a add column c bigint check (c > 0)")).to.equal(true);
    expect(refusedAlter("alter table a add column c numeric(10, 2), add column d bigint default 0")).to.equal(false);
  });
});
