import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { PostgresMediaNames } from "../../src/messaging/adapters/postgres/media/media-names.ts";
import { SweepMedia } from "../../src/messaging/application/media/sweep-media.ts";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { formOf, multipart, png } from "./media-files.ts";

const base = "https://media.test/media/";

/** For each table that the test data leaves empty: a statement that inserts a row of business 1. */
const rows: Readonly<Record<string, string>> = {
  quick_replies: "insert into quick_replies (business_id, shortcut, body) values (1, 'carta', 'La carta')",
};

/** The test reads the columns for files from the database's catalog, so it also covers tables that are added later. */
describe("The sweep of stored files", () => {
  let directory: string;
  let world: World;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "recado-columns-"));
    const environment = { ROLE: "api", MEDIA_DIR: directory, MEDIA_BASE_URL: base };
    world = await startWorld({ environment });
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const stored = async (): Promise<string> => {
    const headers = { ...multipart, "x-api-key": world.appKey(1) };
    const answer = await request(`${world.api}/media`, {
      method: "POST",
      rawBody: formOf({ content: png() }),
      headers,
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json.media_url.slice(base.length);
  };
  const isThere = async (name: string) => (await request(`${world.api}/media/${name}`)).status === 200;

  it("keeps files that any column for URLs of files names, in every table", async () => {
    const columns = await world.rows<{ table: string; column: string }>(
      `select columns.table_name as "table", columns.column_name as "column"
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and table_type = 'BASE TABLE' and column_name ~ '(media|image)_url$'
       order by 1, 2`,
    );
    const names = columns.map(({ table, column }) => `${table}.${column}`);
    expect(names).to.include.members(["messages.media_url", "quick_replies.media_url", "steps.media_url"]);

    const named = new Map<string, string>();
    for (const { table, column } of columns) {
      const name = await stored();
      if (rows[table]) await world.rows(rows[table]);
      const written = await world.rows(
        `update ${table} set ${column} = $1
         where ctid = (select ctid from ${table} where ${table === "businesses" ? "id" : "business_id"} = 1 limit 1)
         returning 1`,
        [base + name],
      );
      expect(written, `a row of ${table} is to be made in this test`).to.have.length(1);
      named.set(`${table}.${column}`, name);
    }
    const unnamed = await stored();
    await world.rows("update media_files set created_at = now() - interval '400 days'");
    const storage = resolve(world.container, tokens.mediaStorage);
    if (!storage) throw new Error("no storage");
    const files = resolve(world.container, tokens.mediaFiles);
    const failures: unknown[] = [];
    const ofNames = new PostgresMediaNames(resolve(world.container, tokens.cells));
    expect(await new SweepMedia(storage, files, ofNames, (error) => failures.push(error)).execute()).to.equal(1);
    expect(failures).to.deep.equal([]);
    expect(await isThere(unnamed)).to.equal(false);
    for (const [column, name] of named) expect(await isThere(name), column).to.equal(true);
  });
});
