import { Agent } from "node:http";
import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { type Ids, makeIds, type Sample, samples } from "./resources.ts";

const [admin, agent, foreignAdmin] = [101, 102, 201];

interface Matched extends Sample {
  readonly matchedBy: readonly string[];
}

/** A cell as a spreadsheet would write it. */
const cellOf = (value: unknown): string => {
  const text = Array.isArray(value) ? value.join("|") : String(value ?? "");
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

describe("Imports and exports of records", () => {
  let world: World;
  let ids: Ids;
  const tokens = new Map<number, string>();

  const ask = (who: number, method: string, path: string, more: object = {}): Promise<Answer> =>
    request(world.api + path, { method, headers: { authorization: `Bearer ${tokens.get(who)}` }, ...more });
  const send = (path: string, file: string, who = admin): Promise<Answer> =>
    request(`${world.api}/admin/${path}/import`, {
      method: "POST",
      rawBody: file,
      headers: { authorization: `Bearer ${tokens.get(who)}`, "content-type": "text/csv" },
    });
  const lastOf = ({ text }: Answer) => JSON.parse(text.trim().split("\n").at(-1) ?? "");
  const taken = async (path: string, file: string, who = admin) => lastOf(await send(path, file, who));
  const exported = async (path: string, who = admin): Promise<string> => {
    const headers = { authorization: `Bearer ${tokens.get(who)}`, accept: "text/csv" };
    const answer = await request(`${world.api}/admin/${path}`, { headers });
    expect([answer.status, answer.type]).to.deep.equal([200, "text/csv"]);
    return answer.text;
  };
  const countOf = async (path: string) =>
    (await world.rows<{ n: number }>(`select count(*) as n from ${tableOf(path)} where business_id = 1`))[0]?.n;
  const listed = async (path: string, q: string) =>
    (await ask(admin, "GET", `/admin/${path}?limit=100&q=${encodeURIComponent(q)}`)).json.data;
  const rowsOf = (bodies: readonly Readonly<Record<string, unknown>>[]): string => {
    const columns = Object.keys(bodies[0] ?? {});
    return [columns.join(), ...bodies.map((body) => columns.map((name) => cellOf(body[name])).join())].join("\n");
  };
  const none = { created: 0, updated: 0, unchanged: 0, refused: 0, refused_csv: null };

  before(async () => {
    world = await startWorld();
    for (const user of [admin, agent, foreignAdmin]) tokens.set(user, await world.sessionToken(user));
    ids = await makeIds(world);
  });
  after(() => world.stop());

  for (const [at, sample] of samples.entries()) {
    if (!sample.matchedBy) continue;
    const { path, body, matchedBy, wrong, references = [] } = sample as Matched;
    const base = at * 1_000;
    const bodyOf = (n: number) => body(base + n, ids);
    /** The fields in `matchedBy` are from the body for `n`, and all other fields are from the body for `others`. */
    const mixed = (n: number, others: number) => ({
      ...bodyOf(others),
      ...Object.fromEntries(matchedBy.map((field) => [field, bodyOf(n)[field]])),
    });
    const anywhere = { branch: 1, article: 1, agents: [], department: 1, tag: 1, step: 1 };
    const differs = Object.keys(body(1, anywhere)).length > matchedBy.length;

    describe(path, () => {
      it(`create, change and leave records, matched by ${matchedBy.join(" and ")}`, async () => {
        expect(await taken(path, rowsOf([bodyOf(1), bodyOf(2)]))).to.deep.equal({ ...none, created: 2 });
        const answer = await taken(path, rowsOf([mixed(1, 11), bodyOf(2), bodyOf(3)]));
        const counts = differs ? { updated: 1, unchanged: 1 } : { unchanged: 2 };
        expect(answer).to.deep.equal({ ...none, created: 1, ...counts });
        const all = (await ask(admin, "GET", `/admin/${path}?limit=100`)).json.data;
        const found = (wanted: object) =>
          all.filter((each: object) => Object.entries(wanted).every(([name, value]) => same(each, name, value)));
        for (const wanted of [mixed(1, 11), bodyOf(2), bodyOf(3)]) expect(found(wanted)).to.have.length(1);
      });

      it("record each change in the audit", async () => {
        await taken(path, rowsOf([bodyOf(21)]));
        await taken(path, rowsOf([mixed(21, 22)]));
        const { data } = (await ask(admin, "GET", `/admin/audit?resource=${path}&user=${admin}&limit=2`)).json;
        if (differs) expect(data[0]).to.deep.include({ change: "changed" });
        expect(data[differs ? 1 : 0]).to.deep.include({ change: "created", before: null });
        expect(data[differs ? 1 : 0].after).to.deep.include(bodyOf(21));
      });

      it("change nothing if an export is imported again", async () => {
        await taken(path, rowsOf([bodyOf(31), bodyOf(32), bodyOf(33)]));
        const file = await exported(path);
        const written = () =>
          world.rowsOfCell(1, `select id, xmin::text from ${tableOf(path)} where business_id = 1 order by id`);
        const before = await written();
        expect(await taken(path, file)).to.deep.equal({ ...none, unchanged: await countOf(path) });
        expect(await exported(path)).to.equal(file);
        expect(await written()).to.deep.equal(before);
      });

      it("refuse single rows, and return them with reasons to this business and resource only", async () => {
        const bad = wrong
          .filter(([, value]) => value !== undefined && value !== null && cellOf(value).trim() !== "")
          // Every cell is text. So files accept a value that is wrong only by its type, such as `5` in a text field.
          .filter(([, value]) => typeof value === "string" || (typeof value === "number" && !(value > 1)))
          .filter(([field]) => !matchedBy.includes(field) || path === "tags")
          .map(([field, value], n) => ({ field, row: { ...bodyOf(41 + n), [field]: value } }));
        const unnamed = { field: String(matchedBy[0]), row: { ...bodyOf(60), ...emptied(bodyOf(60)) } };
        // With only one column, the unnamed row would be an empty line, and imports skip empty lines.
        const all = differs ? [...bad, unnamed] : bad;
        const { refused_csv: file, ...counts } = await taken(
          path,
          rowsOf([bodyOf(40), ...all.map(({ row }) => row), bodyOf(61)]),
        );
        expect(counts).to.deep.equal({ created: 2, updated: 0, unchanged: 0, refused: all.length });
        const { status, type, text } = await ask(admin, "GET", file);
        expect([status, type]).to.deep.equal([200, "text/csv"]);
        const [header, ...lines] = text.trim().split("\r\n");
        expect(header).to.equal(`motivo,${Object.keys(bodyOf(1)).join()}`);
        expect(lines).to.have.length(all.length);
        for (const { field } of bad) expect(lines.some((line) => line.includes(field))).to.equal(true, field);
        expect((await ask(foreignAdmin, "GET", file)).json.code).to.equal("file_not_found");
        expect((await ask(agent, "GET", file)).status).to.equal(403);
        const elsewhere = path === "tags" ? "zones" : "tags";
        for (const other of [file.replace(path, elsewhere), file.replace(`admin/${path}`, "contacts")]) {
          expect((await ask(admin, "GET", other)).json.code).to.equal("file_not_found");
        }
        await world.rows("update refused_contacts set created_at = now() - interval '25 hours'");
        expect((await ask(admin, "GET", file)).status).to.equal(404);
      });

      for (const [place, field] of references.entries()) {
        it(`refuse a row with an unknown ${field}, and accept the others`, async () => {
          const rows = [{ ...bodyOf(70), [field]: 999_999_999 }, bodyOf(71 + place)];
          const answer = await taken(path, rowsOf(rows));
          expect(answer).to.deep.include({ created: 1, refused: 1 });
          expect((await ask(admin, "GET", answer.refused_csv)).text).to.include(`${field} no existe`);
        });
      }

      it("import rows with the same key one after the other", async () => {
        const again = mixed(80, 81);
        const counts = differs ? { updated: 1, unchanged: 1 } : { unchanged: 2 };
        const answer = await taken(path, rowsOf([bodyOf(80), again, again]));
        expect(answer).to.deep.equal({ ...none, created: 1, ...counts });
      });

      it("refuse rows whose cells would be lost or changed", async () => {
        const [header, row] = rowsOf([bodyOf(95)]).split("\n");
        const file = [`${header},`, `${row},perdida`, `${row},,de más`, `\0${row},`, `${row},,,`].join("\n");
        const answer = await taken(path, file);
        expect(answer).to.deep.include({ created: 1, updated: 0, unchanged: 0, refused: 3 });
        const refused = (await ask(admin, "GET", answer.refused_csv)).text.split("\r\n").slice(1, -1);
        expect(refused.map((line) => line.split(",")[0])).to.deep.equal([
          "una celda no tiene encabezado",
          "la fila tiene más celdas que los encabezados",
          "una celda no es válida",
        ]);
      });

      it("need each matching column exactly once", async () => {
        for (const file of ["telefono,edad\n1,2\n", `${matchedBy[0]},${matchedBy[0]}\nuno,dos\n`, ""]) {
          const { status, json } = await send(path, file);
          expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
        }
      });

      it("are for administrators of the same business only", async () => {
        expect((await send(path, rowsOf([bodyOf(90)]), agent)).status).to.equal(403);
        await taken(path, rowsOf([bodyOf(91)]));
        expect(await exported(path, foreignAdmin)).not.to.include(String(bodyOf(91)[String(matchedBy[0])]));
        expect((await ask(agent, "GET", `/admin/${path}/imports/r_x`)).json.code).to.equal("forbidden");
      });
    });
  }

  it("import 10,000 rows, 100 of them wrong, and import them again with half of them changed", async () => {
    const article = (n: number) => ({
      ...bodyAt("articles", n),
      name: `Muchos ${n}`,
      price: n % 100 === 0 ? "caro" : "1",
    });
    const file = rowsOf(Array.from({ length: 10_000 }, (_, n) => article(n + 500_000)));
    expect(await taken("articles", file)).to.deep.include({ created: 9_900, updated: 0, unchanged: 0, refused: 100 });
    const changed = file.replaceAll(/Muchos (\d*[02468]),/g, "Muchos pares $1,");
    expect(await taken("articles", changed)).to.deep.include({ created: 0, updated: 4_900, refused: 100 });
  });

  it("return refused rows in the order of the file, whatever the reasons", async () => {
    const rows = [
      "Orden 1,1,999999999",
      "Orden 2,caro,",
      "Orden 3,1,",
      "Orden 3,1,999999999",
      "Orden 4,1,999999999",
      "Orden 5,1,,de más",
      "Orden 6,1,999999999",
    ];
    const answer = await taken("extras", ["name,charge,articulos", ...rows].join("\n"));
    expect(answer).to.deep.include({ created: 1, refused: 6 });
    const lines = (await ask(admin, "GET", answer.refused_csv)).text.split("\r\n").slice(1, -1);
    expect(lines.map((line) => /Orden \d/.exec(line)?.[0])).to.deep.equal([1, 2, 3, 4, 5, 6].map((n) => `Orden ${n}`));
  });

  it("leave the connection usable if a file is broken in the middle", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: `Bearer ${tokens.get(admin)}`, "content-type": "text/csv" };
    const broken = `nombre\nAntes\n${"x".repeat(2_000_000)}\n`;
    for (const rawBody of [broken, broken, "nombre\nDespués\n"]) {
      const answer = await request(`${world.api}/admin/tags/import`, { method: "POST", rawBody, headers, agent });
      expect(answer.status).to.equal(200);
      if (rawBody === broken) expect(lastOf(answer).code).to.equal("invalid_input");
      else expect(lastOf(answer).created + lastOf(answer).unchanged).to.equal(1);
      expect((await request(`${world.api}/admin/tags?limit=1`, { headers, agent })).status).to.equal(200);
    }
    agent.destroy();
  });

  it("leave fields that a row does not have as they are", async () => {
    await taken("articles", "retailer_id,name,price\nsolo-precio,Empanada,5\n");
    expect(await taken("articles", "retailer_id,price,name\nsolo-precio,6.5,\n")).to.deep.include({ updated: 1 });
    const [found] = await listed("articles", "solo-precio");
    expect(found).to.deep.include({ name: "Empanada", price: "6.50", retailer_id: "solo-precio", type: "item" });
  });

  it("treat an article with an empty retailer_id as one without", async () => {
    const made = await Promise.all(
      ["Primera vacía", "Segunda vacía"].map((name) =>
        ask(admin, "POST", "/admin/articles", { body: { name, price: "1.00", retailer_id: "" } }),
      ),
    );
    expect(made.map(({ status, json }) => [status, json.retailer_id])).to.deep.equal([
      [201, null],
      [201, null],
    ]);
    const count = await countOf("articles");
    expect(await taken("articles", await exported("articles"))).to.deep.equal({ ...none, unchanged: count });
    expect(await countOf("articles")).to.equal(count);
  });

  it("match articles without a retailer_id by name, and by the id of an export if names are equal", async () => {
    await taken("articles", "name,price\nSin código,1\n");
    expect(await taken("articles", "name,price\nSin código,2\n")).to.deep.include({ created: 0, updated: 1 });
    const twins = await Promise.all(
      ["3.00", "4.00"].map((charge) => ask(admin, "POST", "/admin/extras", { body: { name: "Gemelo", charge } })),
    );
    const file = await exported("extras");
    expect(await taken("extras", file)).to.deep.include({ updated: 0, unchanged: await countOf("extras") });
    const [first, second] = twins.map(({ json }) => json.id);
    await taken("extras", `id,name,charge\n${second},Gemelo,9\n`);
    const found = await listed("extras", "Gemelo");
    const charges = found.map(({ id, charge }: { id: number; charge: string }) => [id, charge]);
    expect(new Map(charges)).to.deep.equal(
      new Map([
        [first, twins[0]?.json.charge],
        [second, "9.00"],
      ]),
    );
  });

  it("keep texts with formulas, line ends and spaces as they are, through an export and an import", async () => {
    const texts = ["=1+1", "-5", "una\r\ndos", '  "con" bordes  ', "a;b,c", "'=x"];
    for (const [n, texto] of texts.entries()) {
      await ask(admin, "POST", "/admin/quick-replies", { body: { nombre: `raro-${n}`, texto } });
    }
    const file = await exported("quick-replies");
    expect(await taken("quick-replies", file)).to.deep.include({ updated: 0, created: 0, refused: 0 });
    await taken("quick-replies", file.replaceAll(/^\d+,/gm, ","), foreignAdmin);
    const copied = (await ask(foreignAdmin, "GET", "/admin/quick-replies?q=raro&limit=100")).json.data;
    const byName = new Map(copied.map((each: { nombre: string; texto: string }) => [each.nombre, each.texto]));
    expect(texts.map((_, n) => byName.get(`raro-${n}`))).to.deep.equal(texts);
  });

  const bodyAt = (path: string, n: number) => samples.find((each) => each.path === path)?.body(n, ids) ?? {};
});

const emptied = (body: object) => Object.fromEntries(Object.keys(body).map((field) => [field, ""]));

const same = (record: object, name: string, value: unknown): boolean =>
  JSON.stringify((record as Record<string, unknown>)[name]) === JSON.stringify(value);

const tables: Readonly<Record<string, string>> = { extras: "article_extras", "quick-replies": "quick_replies" };
const tableOf = (path: string): string => tables[path] ?? path;
