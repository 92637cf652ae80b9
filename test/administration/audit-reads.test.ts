import { expect } from "chai";
import { PostgresAuditReads } from "../../src/administration/adapters/postgres/audit-log.ts";
import type { Cells } from "../../src/infra/postgres/cells.ts";
import type { Statement } from "../../src/infra/postgres/database.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";

const business = 1;
/** Half of the entries are changes of tags by one user; the others are changes of articles by another user. */
const entries = 20_000;
const [ofTags, ofArticles] = [1, 2];

interface Plan {
  readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number };
}

describe("reading a large audit", () => {
  let opened: OpenDatabase;
  before(async () => {
    opened = await openDatabase();
    await run("insert into businesses (id, name) values ($1, 'Negocio')", [business]);
    await run(
      `insert into audit (business_id, at, actor_kind, actor_id, address, resource, record_id, change)
       select $1, now() - n * interval '1 minute', 'user', case n % 2 when 0 then $3::int else $4::int end, '::1',
              case n % 2 when 0 then 'tags' else 'articles' end, n, 'changed'
       from generate_series(1, $2::int) as n`,
      [business, entries, ofTags, ofArticles],
    );
    await run("analyze audit");
  });
  after(() => opened.close());

  const run = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    opened.database.rows<Row>({ name: "", text }, values);

  /** The number of the database's pages that a list reads. */
  const pagesOf = async (resource: string, userId: number): Promise<number> => {
    let plan: Plan | undefined;
    const queries = {
      rows: async ({ text }: Statement, values: readonly unknown[]) => {
        const [row] = await run<{ "QUERY PLAN": Plan[] }>(`explain (analyze, buffers, format json) ${text}`, values);
        plan = row?.["QUERY PLAN"][0];
        return [];
      },
    };
    const reads = new PostgresAuditReads({ of: () => queries } as unknown as Cells);
    await reads.list(business, { resource, recordId: null, userId, from: null, until: null, after: null, limit: 50 });
    if (!plan) throw new Error("nothing was read");
    return plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"];
  };

  it("reads few pages for a user and a resource, even if no entry matches both", async () => {
    expect(await pagesOf("tags", ofArticles)).to.be.below(50);
    expect(await pagesOf("articles", ofTags)).to.be.below(50);
    expect(await pagesOf("tags", ofTags)).to.be.below(200);
  });
});
