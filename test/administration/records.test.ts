import { expect } from "chai";
import { servedRoutes } from "../http/routes.ts";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { type Ids, makeIds, type Sample, samples } from "./resources.ts";

const admin = 101;
const agent = 102;
const foreignAdmin = 201;
const missing = 999_999_999;
/** In business 2: the id of a branch, an article, a department, a user, a tag and a step. */
const foreign = 8_888_888;

describe("Records of a business", () => {
  let world: World;
  let ids: Ids;
  const tokens = new Map<number, string>();
  /** A key without the scope `admin`. */
  let plainKey: string;

  const ask = async (
    who: number | "key" | "none",
    method: string,
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const headers: Record<string, string> = { ...more };
    if (who === "key") headers["x-api-key"] = plainKey;
    else if (who !== "none") headers.authorization = `Bearer ${tokens.get(who)}`;
    return request(world.api + path, { method, headers, ...(body !== undefined && { body }) });
  };
  /** Builds a body of the sample, and prepares what this body needs outside of the service. */
  const bodyOf = async (sample: Sample, n: number): Promise<Readonly<Record<string, unknown>>> => {
    const body = sample.body(n, ids);
    await sample.prepare?.(world, body);
    return body;
  };
  /** Creates a record. Returns its fields without those that are shown only once, such as secrets. */
  const make = async (sample: Sample, n: number): Promise<Answer["json"]> => {
    const { path, once = [] } = sample;
    const made = await ask(admin, "POST", `/admin/${path}`, await bodyOf(sample, n));
    expect(made.status, made.text).to.equal(201);
    const told = once.map((name) => made.json[name]?.token ?? made.json[name]);
    expect(told.every((each) => typeof each === "string" && each.length > 20)).to.equal(true);
    return Object.fromEntries(Object.entries(made.json).filter(([name]) => !once.includes(name)));
  };
  /** Creates a record and makes it removable. */
  const makeFree = async (sample: Sample, n: number): Promise<Answer["json"]> => {
    const made = await make(sample, n);
    if (!sample.frees) return made;
    const refused = await ask(admin, "DELETE", `/admin/${sample.path}/${made.id}`);
    expect([refused.status, refused.json.code]).to.deep.equal([409, "in_use"]);
    const body = { ...sample.body(n, ids), ...sample.frees };
    return (await ask(admin, "PUT", `/admin/${sample.path}/${made.id}`, body)).json;
  };

  before(async () => {
    world = await startWorld();
    for (const user of [admin, agent, foreignAdmin]) tokens.set(user, await world.sessionToken(user));
    plainKey = (await ask(admin, "POST", "/admin/app-keys", { label: "plain" })).json.key;
    await world.rows("insert into branches (business_id, id, name) values (2, $1, 'Ajena')", [foreign]);
    await world.rows("insert into articles (business_id, id, name, price) values (2, $1, 'Ajeno', 1)", [foreign]);
    await world.rows("insert into departments (business_id, id, name) values (2, $1, 'Ajeno')", [foreign]);
    await world.rows("insert into users (business_id, id, name, role_id) values (2, $1, 'Ajena', 5)", [foreign]);
    await world.rows("insert into tags (business_id, id, name) values (2, $1, 'Ajena')", [foreign]);
    await world.rows(
      "insert into steps (business_id, id, name, identifier, type) values (2, $1, 'Ajeno', 'ajeno', 'ticket')",
      [foreign],
    );
    ids = await makeIds(world);
  });
  after(() => world.stop());

  it("are all covered here", () => {
    const paths = servedRoutes().flatMap(({ path }) => /^\/admin\/([a-z-]+)\/:id$/.exec(path)?.[1] ?? []);
    // A business has one ad account at most, so ad accounts have tests of their own.
    expect(new Set(paths)).to.deep.equal(new Set(["ad-accounts", ...samples.map(({ path }) => path)]));
  });

  for (const [at, sample] of samples.entries()) {
    const {
      path,
      kind,
      wrong,
      references = [],
      unique,
      uniqueWith = [],
      uses = [],
      archives,
      frees,
      counter = "version",
    } = sample;
    const base = at * 1_000;

    describe(kind === undefined ? path : `${path} of ${kind}`, () => {
      it("can be created, read, listed and searched, page by page", async () => {
        const made = await make(sample, base + 1);
        expect(made).to.deep.include(shownOf(sample, base + 1, ids));
        const read = await ask(admin, "GET", `/admin/${path}/${made.id}`);
        expect(read.json).to.deep.equal(made);
        expect(read.headers.etag).to.equal(`"${made[counter]}"`);
        const others = [await make(sample, base + 2), await make(sample, base + 3)];
        const first = await ask(admin, "GET", `/admin/${path}?limit=2`);
        expect(first.json.data).to.deep.equal(others.toReversed());
        const second = await ask(admin, "GET", `/admin/${path}?limit=2&cursor=${first.json.next}`);
        expect(second.json.data[0]).to.deep.equal(made);
      });

      it("are replaced as a whole, if the caller has the present version", async () => {
        const made = await make(sample, base + 10);
        const { id, [counter]: version } = made;
        const again = await ask(admin, "PUT", `/admin/${path}/${id}`, made);
        expect([again.status, again.json[counter]], again.text).to.deep.equal([200, version]);
        const changed = await ask(admin, "PUT", `/admin/${path}/${id}`, await bodyOf(sample, base + 11), {
          "if-match": `"${version}"`,
        });
        expect(changed.status, changed.text).to.equal(200);
        expect(changed.json).to.deep.include({ id, ...shownOf(sample, base + 11, ids) });
        expect(changed.headers.etag).to.equal(`"${version + 1}"`);
        const late = await ask(admin, "PUT", `/admin/${path}/${id}`, await bodyOf(sample, base + 12), {
          "if-match": `"${version}"`,
        });
        expect([late.status, late.json.code]).to.deep.equal([412, "moved_on"]);
        const same = await ask(admin, "PUT", `/admin/${path}/${id}`, await bodyOf(sample, base + 11));
        expect(same.json).to.deep.equal(changed.json);
      });

      for (const [n, [field, value]] of wrong.entries()) {
        it(`are refused with ${field} ${JSON.stringify(value)?.slice(0, 30)}`, async () => {
          const body = { ...(await bodyOf(sample, base + 20)), [field]: value };
          for (const [method, end] of [
            ["POST", ""],
            ["PUT", `/${(await make(sample, base + 200 + n)).id}`],
          ]) {
            const { status, json } = await ask(admin, String(method), `/admin/${path}${end}`, body);
            expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
            expect(json.error).to.include(field);
          }
        });
      }

      for (const field of references) {
        it(`are refused with an unknown ${field}, and with one of another business`, async () => {
          const texts = new Set<string>();
          for (const id of [missing, foreign]) {
            const given = sample.body(base + 30, ids)[field];
            const value = Array.isArray(given) ? [id] : id;
            const { status, json, text } = await ask(admin, "POST", `/admin/${path}`, {
              ...sample.body(base + 30, ids),
              [field]: value,
            });
            expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
            expect(json.error).to.include(field);
            texts.add(text);
          }
          expect(texts.size).to.equal(1);
        });
      }

      if (unique !== undefined) {
        it(`cannot have the same ${unique} twice`, async () => {
          const taken = await make(sample, base + 40);
          const known = sample.body(base + 40, ids);
          const takenBy = Object.fromEntries([unique, ...uniqueWith].map((name) => [name, known[name]]));
          const other = await make(sample, base + 41);
          const again = await ask(admin, "POST", `/admin/${path}`, {
            ...sample.body(base + 42, ids),
            ...takenBy,
          });
          expect([again.status, again.json.code]).to.deep.equal([409, "taken"]);
          expect(takenBy[unique]).to.equal(taken[unique]);
          const moved = await ask(admin, "PUT", `/admin/${path}/${other.id}`, {
            ...sample.body(base + 41, ids),
            ...takenBy,
          });
          expect([moved.status, moved.json.code]).to.deep.equal([409, "taken"]);
        });
      }

      it("are not found after their removal", async () => {
        const { id, [counter]: version } = await makeFree(sample, base + 50);
        const late = await ask(admin, "DELETE", `/admin/${path}/${id}`, undefined, { "if-match": `"${version + 1}"` });
        expect(late.status).to.equal(412);
        expect((await ask(admin, "DELETE", `/admin/${path}/${id}`)).status).to.equal(204);
        expect((await ask(admin, "GET", `/admin/${path}/${id}`)).status).to.equal(404);
        expect((await ask(admin, "DELETE", `/admin/${path}/${id}`)).status).to.equal(404);
        expect((await ask(admin, "PUT", `/admin/${path}/${id}`, await bodyOf(sample, base + 51))).status).to.equal(404);
      });

      for (const [n, { sql, called }] of (archives ? [] : uses).entries()) {
        it(`cannot be removed while ${called} use them`, async () => {
          const { id } = await makeFree(sample, base + 60 + n);
          await world.rows(sql, [1, id]);
          const refused = await ask(admin, "DELETE", `/admin/${path}/${id}`);
          expect([refused.status, refused.json.code]).to.deep.equal([409, "in_use"]);
          expect(refused.json.usos).to.deep.equal([{ tipo: called, cantidad: 1 }]);
          expect((await ask(admin, "GET", `/admin/${path}/${id}`)).status).to.equal(200);
        });
      }

      if (uses.length > 1) {
        it("list everything that uses them in the error", async () => {
          const { id } = await makeFree(sample, base + 65);
          for (const { sql } of uses) await world.rows(sql, [1, id]);
          const { json } = await ask(admin, "DELETE", `/admin/${path}/${id}`);
          expect(json.usos).to.have.deep.members(uses.map(({ called }) => ({ tipo: called, cantidad: 1 })));
        });
      }

      it("of another business do not exist", async () => {
        const { id } = await make(sample, base + 70);
        const answers = await Promise.all([
          ask(foreignAdmin, "GET", `/admin/${path}/${id}`),
          ask(foreignAdmin, "GET", `/admin/${path}/${missing}`),
          ask(foreignAdmin, "PUT", `/admin/${path}/${id}`, {
            ...(await bodyOf(sample, base + 71)),
            ...nothingNamed(sample, ids),
          }),
          ask(foreignAdmin, "DELETE", `/admin/${path}/${id}`),
        ]);
        expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404]);
        expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
        const listed = await ask(foreignAdmin, "GET", `/admin/${path}?limit=100`);
        expect(listed.json.data.map((each: { id: number }) => each.id)).not.to.include(id);
      });

      it("are for administrators, and for keys with the scope `admin`", async () => {
        expect((await ask(agent, "GET", `/admin/${path}`)).status).to.equal(403);
        expect((await ask("none", "GET", `/admin/${path}`)).json.code).to.equal("unauthorized");
        const byKey = await ask("key", "GET", `/admin/${path}`);
        expect([byKey.status, byKey.json.code]).to.deep.equal([403, "forbidden"]);
      });

      it("have an audit entry for each change", async () => {
        const { id } = await make(sample, base + 80);
        await ask(admin, "PUT", `/admin/${path}/${id}`, { ...(await bodyOf(sample, base + 81)), ...frees });
        await ask(admin, "DELETE", `/admin/${path}/${id}`);
        const { data } = (await ask(admin, "GET", `/admin/audit?resource=${path}&record=${id}`)).json;
        const rows: { change: string; actor: { id: number }; before: object; after: object }[] = data.toReversed();
        expect(rows.map(({ change, actor }) => [change, actor.id])).to.deep.equal([
          ["created", admin],
          ["changed", admin],
          ["removed", admin],
        ]);
        // The audit uses the field names of the resource.
        expect(rows[1]?.after).to.deep.include({ ...shownOf(sample, base + 81, ids), ...frees });
        expect(rows[1]?.before).to.deep.equal(rows[0]?.after);
        expect(rows[2]?.before).to.deep.equal(rows[1]?.after);
      });
    });
  }
});

/** The body without the fields that answers hide. */
const shownOf = ({ body, hidden = [] }: Sample, n: number, ids: Ids): object =>
  Object.fromEntries(Object.entries(body(n, ids)).filter(([name]) => !hidden.includes(name)));

/** Empty values for all references of a body, so that it refers to no record of the first business. */
const nothingNamed = ({ references = [], body }: Sample, ids: Ids): object =>
  Object.fromEntries(references.map((field) => [field, Array.isArray(body(1, ids)[field]) ? [] : null]));
