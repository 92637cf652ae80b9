import { expect } from "chai";
import fc from "fast-check";
import { withoutAccents } from "../../migrations/20260101001195_searched_names.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { PostgresContactReads } from "../../src/inbox/adapters/postgres/contacts/contact-reads.ts";
import type { Cells } from "../../src/infra/postgres/cells.ts";
import { valuesOf } from "../postgres/query.ts";
import { freshDatabase } from "../support/database.ts";
import { request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

describe("the contacts of a business with very many contacts", () => {
  let world: World;
  const others = 6_000;
  const many = 26_000;
  const first = 5_000_000;
  const business = 2;
  const key = () => ({ "x-api-key": world.appKey(business) });
  /** The contacts called Otro are the newest, so a walk from the newest reaches Masivo and Raro late. */
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2, { tags: [{ id: 201, name: "Lejos" }] })] });
    await world.rows(
      `insert into contacts (business_id, id, name, phone, platform_id, opted_out_at)
       select $1, $2::bigint + n,
              case when n > $4::bigint then 'Otro' when n % 1000 = 0 then 'Raro Muy' else 'Masivo' end || ' ' || n,
              (59166000000 + n)::text, (59166000000 + n)::text, case when n % 10 = 0 then now() end
       from generate_series(1, $3::bigint) as n`,
      [business, first, many + others, many],
    );
    await world.rows(
      `insert into contact_tags (business_id, contact_id, tag_id)
       select $1, id, 201 from contacts where business_id = $1 and id % 100 = 1 and id > $2`,
      [business, first],
    );
    await world.rows("analyze contacts, contact_tags");
  });
  after(() => world.stop());

  const idsOf = (nth: (n: number) => boolean) =>
    Array.from({ length: many + others }, (_, index) => many + others - index)
      .filter(nth)
      .map((n) => first + n);
  const isRare = (n: number) => n <= many && n % 1_000 === 0;
  const isMass = (n: number) => n <= many && !isRare(n);
  const searches: [what: string, query: string, matches: (n: number) => boolean][] = [
    ["many older than many others", "q=masivo", isMass],
    ["many with one tag", "q=masivo&tag=201", (n) => isMass(n) && n % 100 === 1],
    ["many among those who opted out", "q=masivo&opted_out=true", (n) => isMass(n) && n % 10 === 0],
    ["few among all", "q=raro", isRare],
    ["none among few who did not opt out", "q=raro&opted_out=false", () => false],
    ["many among the newest", "q=otro", (n) => n > many],
    ["parts of numbers", "q=5916600012", (n) => String(59_166_000_000 + n).includes("5916600012")],
    ["no match", "q=nadie", () => false],
  ];
  for (const [what, query, matches] of searches) {
    it(`are found and exported once each, newest first: ${what}`, async () => {
      const expected = idsOf(matches);
      const paged: number[] = [];
      for (let cursor = "", page = 0; page < 4; page += 1) {
        const { json } = await world.get(`/contacts?${query}&limit=50${cursor}`, business);
        paged.push(...json.data.map(({ id }: { id: number }) => id));
        if (json.next === null) break;
        cursor = `&cursor=${json.next}`;
      }
      expect(paged).to.deep.equal(expected.slice(0, 200));
      const exported = await request(`${world.api}/contacts?${query}`, { headers: { ...key(), accept: "text/csv" } });
      const lines = exported.text.trimEnd().split("\r\n").slice(1);
      expect(lines.map((line) => Number(line.split(",")[0]))).to.deep.equal(expected);
    });
  }

  describe("with chats", () => {
    const hasChat = (n: number) => n > many + others - 1_500 || n <= 260 || isRare(n);
    let agent: Record<string, string>;
    before(async () => {
      agent = { authorization: `Bearer ${await world.sessionToken(202)}` };
      await world.rows(
        `insert into chats (business_id, id, contact_id, provider, last_message_at, state, support_user_id)
         select $1, id, id, 'platform-apicloud', timestamptz '2026-01-01' + id * interval '1 second', 'in_progress', 202
         from contacts where business_id = $1 and id - $2 = any($3::bigint[])`,
        [business, first, Array.from({ length: many + others }, (_, index) => index + 1).filter(hasChat)],
      );
      await world.rows("analyze chats");
    });

    for (const [what, query, matches] of searches) {
      if (/tag|opted_out/.test(query)) continue;
      it(`are found once each in the inbox, newest first, by administrators and agents: ${what}`, async () => {
        for (const headers of [key(), agent]) {
          const paged: number[] = [];
          for (let cursor = "", page = 0; page < 4; page += 1) {
            const { json, text } = await request(`${world.api}/chats?${query}&limit=50${cursor}`, { headers });
            expect(json.data, text).to.be.an("array");
            paged.push(...json.data.map(({ chat_id: id }: { chat_id: number }) => id));
            if (json.next === null) break;
            cursor = `&cursor=${json.next}`;
          }
          expect(paged).to.deep.equal(idsOf((n) => matches(n) && hasChat(n)).slice(0, 200));
        }
      });
    }
  });

  it("are exported with one search for all pages", async () => {
    const statements = new Map<string, number>();
    const cells = resolve(world.container, tokens.slowCells);
    const counting: Cells = {
      ...cells,
      of: (id) => ({
        rows: (statement, values, signal) => {
          statements.set(statement.name, (statements.get(statement.name) ?? 0) + 1);
          return cells.of(id).rows(statement, values, signal);
        },
      }),
    } as Cells;
    const filter = { text: "masivo", tagId: null, optedOut: null };
    const all = new PostgresContactReads(counting).all(business, filter, new AbortController().signal);
    let count = 0;
    for await (const page of all) count += page.length;
    expect(count).to.equal(idsOf(isMass).length);
    // The two walks find 13,986 and 11,988 contacts. A statement exports up to 1,000, which makes 14 + 12 statements.
    expect(Object.fromEntries(statements)).to.deep.equal({
      contacts_found_name: 1,
      contacts_walked_name: 1,
      contacts_walked_next_name: 1,
      contacts_exported: 26,
    });
  });
});

describe("the database's function for searching names", () => {
  it("removes accents as it did when the indexes were built", async () => {
    const { url } = await freshDatabase();
    const every = Array.from({ length: 0x3000 }, (_, code) => code + 1)
      .filter((code) => code !== 0xad)
      .map((code) => `a${String.fromCodePoint(code)}N`);
    const unit = fc.constantFrom(
      ..."aAzZ 09_%\\~\u007f\t\náÁéÉíÍóÓúÚüÜñÑçÇàÀåÅıİſßẞøØłŁđĐΣςσǅ\u0301\u0303\u0308\u0327\u212a\u212b漢😀ﬁ¡",
    );
    const names = fc.sample(fc.string({ unit, maxLength: 12 }), { numRuns: 4_000, seed: 20_261_125 });
    const others = fc.sample(fc.string({ unit: "binary", maxLength: 8 }), { numRuns: 2_000, seed: 20_261_125 });
    const long = ["a", "Ñ", "é", "e\u0301", "漢"].map((text) => text.repeat(50_000));
    const texts = ["", ...every, ...names, ...others.filter((text) => !text.includes("\0")), ...long];
    const different = await valuesOf(
      url,
      `select written from unnest($1::text[]) as given(written)
       where searched_text(written) is distinct from ${withoutAccents}`,
      [texts],
    );
    expect(different).to.deep.equal([]);
  });
});
