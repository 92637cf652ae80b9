import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";
import { conversationStates } from "../../src/inbox/domain/conversation.ts";
import { messageStates } from "../../src/inbox/domain/delivery.ts";
import { ticketStates } from "../../src/inbox/domain/ticket.ts";
import { agentCounts } from "../../src/reports/adapters/postgres/figures-sql.ts";
import { startWorld, type World } from "../support/world.ts";

const statesOf: Readonly<Record<string, readonly string[]>> = {
  messages: messageStates,
  conversations: conversationStates,
  tickets: ticketStates,
};

describe("states of the inbox", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  for (const [table, states] of Object.entries(statesOf)) {
    it(`match between the table ${table} and the domain`, async () => {
      const [check] = await world.rowsOfCell<{ text: string }>(
        1,
        "select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and conname = $2",
        [table, `${table}_state_check`],
      );
      const allowed = [...(check?.text.matchAll(/'(\w+)'::text/g) ?? [])].map(([, state]) => state);
      expect(allowed).to.have.members(states);
    });
  }

  it("of tickets are all counted in the report", () => {
    expect(agentCounts).to.include.members([...ticketStates]);
  });

  it("are never literals in SQL, which takes them from the domain", async () => {
    const folder = "src/inbox/adapters/postgres";
    const known = new Set(Object.values(statesOf).flat());
    const spelled: string[] = [];
    for (const file of (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"))) {
      const source = await readFile(`${folder}/${file}`, "utf8");
      // In these files, only SQL contains words in single quotes.
      const names = [...source.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? "");
      spelled.push(...names.filter((name) => known.has(name)).map((name) => `${file}: ${name}`));
    }
    expect(spelled).to.deep.equal([]);
  });
});
