import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";
import { reportedStates } from "../../src/kernel/delivery.ts";
import {
  campaignMoves,
  campaignStates,
  type Move,
  recipientMoves,
  recipientStates,
  sendingStates,
} from "../../src/messaging/domain/campaign.ts";
import { settledStates } from "../../src/messaging/domain/platform.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";

const folder = "src/messaging/adapters/postgres/campaigns";
const files = async (): Promise<string[]> => (await readdir(folder)).map((file) => `${folder}/${file}`).sort();

/** Words in single quotes, as in SQL and in the catalog's definitions. */
const quotedWords = (text: string): string[] => [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word ?? "").sort();

/** Quoted states anywhere in a source, and any other quoted words that are compared with or assigned to `state`. */
const literalStates = (source: string): string[] => {
  const states: readonly string[] = [...campaignStates, ...recipientStates];
  const compared = [...source.matchAll(/\bstate\b\s*(?:=|<>|!=|(?:not\s+)?in\s*\()([^)\n]*)/g)];
  return [
    ...quotedWords(source).filter((word) => states.includes(word)),
    ...compared.flatMap(([, rest]) => quotedWords(rest ?? "").filter((word) => !states.includes(word))),
  ];
};

/** `src/messaging/domain/campaign.ts` defines all states and their transitions. The database must match it. */
describe("the states of campaigns and their recipients", () => {
  let opened: OpenDatabase;
  before(async () => {
    opened = await openDatabase();
  });
  after(() => opened.close());

  const definition = async (sql: string): Promise<string[]> => {
    const rows = await opened.database.rows<{ definition: string }>({ name: "", text: sql }, []);
    expect(rows, sql).to.have.length(1);
    return quotedWords(rows[0]?.definition ?? "");
  };
  const check = (table: string, about: string) =>
    definition(
      `select pg_get_constraintdef(oid) as definition from pg_constraint
       where conrelid = '${table}'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%${about}%'`,
    );
  const index = (name: string) =>
    definition(`select indexdef as definition from pg_indexes where indexname = '${name}'`);
  const sorted = (states: readonly string[]) => [...states].sort();

  it("are not literals in SQL", async () => {
    for (const file of await files()) expect(literalStates(await readFile(file, "utf8")), file).to.deep.equal([]);
  });

  it("would be found in SQL", () => {
    const sql = "update campaigns set state = 'nowhere' where state not in ('running') and name = 'x' or s = 'sent'";
    expect(literalStates(sql)).to.deep.equal(["running", "sent", "nowhere"]);
  });

  it("match the tables' constraints", async () => {
    expect(await check("campaigns", "ANY (ARRAY[")).to.deep.equal(sorted(campaignStates));
    expect(await check("campaigns", "pause_reason")).to.deep.equal([campaignMoves.pause.to]);
    expect(await check("campaign_recipients", "ANY (ARRAY[")).to.deep.equal(sorted(recipientStates));
    expect(await check("campaign_recipients", "lease_until")).to.deep.equal([recipientMoves.claim.to]);
    const begin = `select pg_get_expr(adbin, adrelid) as definition
                   from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
                   where adrelid = 'campaign_recipients'::regclass and attname = 'state'`;
    expect(await definition(begin)).to.deep.equal([recipientMoves.add.to]);
  });

  it("can each be reached by a move, an outcome or a delivery status", () => {
    const reached = (moves: Record<string, Move<string>>) => Object.values(moves).map(({ to }) => to);
    expect(reached(campaignMoves)).to.include.members([...campaignStates]);
    const settled = [...reached(recipientMoves), ...Object.values(settledStates), ...reportedStates];
    expect(settled).to.include.members([...recipientStates]);
  });

  it("match the indexes for sending", async () => {
    expect(await index("campaigns_of_sender")).to.deep.equal(sorted(sendingStates));
    expect(await index("campaign_queue")).to.deep.equal(sorted(recipientMoves.claim.from));
  });
});
