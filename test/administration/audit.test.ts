import { expect } from "chai";
import { resolveAll } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

const [admin, agent, foreignAdmin] = [101, 102, 201];

describe("The audit", () => {
  let world: World;
  let keys: Map<number, string>;
  before(async () => {
    world = await startWorld();
    await world.rows("insert into users (business_id, id, name, role_id) values (1, 150, 'Otra Admin', 1)");
    keys = new Map(
      await Promise.all(
        [admin, agent, foreignAdmin, 150].map(
          async (user): Promise<[number, string]> => [user, await world.sessionToken(user)],
        ),
      ),
    );
  });
  after(() => world.stop());

  const ask = (who: number, method: string, path: string, body?: unknown): Promise<Answer> =>
    request(world.api + path, {
      method,
      headers: { authorization: `Bearer ${keys.get(who)}` },
      ...(body !== undefined && { body }),
    });
  const audit = async (query = "", who = admin) => (await ask(who, "GET", `/admin/audit${query}`)).json;
  const made = async (path: string, body: object, who = admin) => (await ask(who, "POST", `/admin/${path}`, body)).json;

  it("shows who changed which record from where, with the record before and after in its wire format", async () => {
    const { id } = await made("zones", { nombre: "Norte", precio: "5" });
    await ask(admin, "PUT", `/admin/zones/${id}`, { nombre: "Norte", precio: "6.50" });
    await ask(admin, "DELETE", `/admin/zones/${id}`);
    const { data, next } = await audit(`?resource=zones&record=${id}`);
    const [five, six] = ["5.00", "6.50"].map((precio) => ({ nombre: "Norte", precio, sucursal_id: null }));
    expect(next).to.equal(null);
    const changes = data.map(({ change, before, after }: Record<string, unknown>) => [change, before, after]);
    expect(changes).to.deep.equal([
      ["removed", six, null],
      ["changed", five, six],
      ["created", null, five],
    ]);
    for (const entry of data) {
      expect(entry).to.deep.include({ actor: { type: "user", id: admin, nombre: "Ada Admin" }, record_id: id });
      expect(entry.ip).to.match(/127\.0\.0\.1|::1/);
      expect(Math.abs(Date.parse(entry.at) - Date.now())).to.be.below(60_000);
    }
  });

  it("shows the label of a key, and no secret", async () => {
    const { id, key } = await made("app-keys", { label: "CRM", scopes: ["admin"] });
    const byKey = await request(`${world.api}/admin/tags`, {
      method: "POST",
      headers: { "x-api-key": key },
      body: { nombre: "Por llave" },
    });
    const { data } = await audit(`?resource=tags&record=${byKey.json.id}`);
    expect(data[0].actor).to.deep.equal({ type: "key", id, nombre: "CRM" });
    const { text } = await ask(admin, "GET", "/admin/audit?resource=app-keys");
    expect(text).to.include("CRM").and.not.include(key);
  });

  it("is read page by page, also for entries with the same time", async () => {
    await world.rows(
      `insert into audit (business_id, at, actor_kind, actor_id, address, resource, record_id, change)
       select 1, '2026-01-05T00:00:00.000001Z', 'system', null, '', 'drivers', n, 'created' from generate_series(1, 7) n`,
    );
    const seen: number[] = [];
    let query = "?resource=drivers&limit=3";
    for (let pages = 0; query !== "" && pages < 5; pages += 1) {
      const { data, next } = await audit(query);
      seen.push(...data.map((entry: { record_id: number }) => entry.record_id));
      query = next ? `?resource=drivers&limit=3&cursor=${next}` : "";
    }
    expect(seen).to.deep.equal([7, 6, 5, 4, 3, 2, 1]);
  });

  it("can be filtered by user and by whole days in the business's zone", async () => {
    await made("branches", { nombre: "De otra" }, 150);
    const own = await audit("?user=150");
    expect(own.data.map((entry: { after: object }) => entry.after)).to.deep.equal([{ nombre: "De otra" }]);
    await world.rows(
      `insert into audit (business_id, at, actor_kind, actor_id, address, resource, record_id, change)
       select 1, at::timestamptz, 'user', 102, '', 'extras', row_number() over (), 'created'
       from unnest(array['2026-02-10T03:59:59.999Z', '2026-02-10T04:00:00Z', '2026-02-11T03:59:59.9995Z',
                         '2026-02-11T04:00:00Z']) as at`,
    );
    const days = async (query: string) =>
      (await audit(`?resource=extras&${query}`)).data.map((entry: { record_id: number }) => entry.record_id);
    expect(await days("from=2026-02-10&to=2026-02-10")).to.deep.equal([3, 2]);
    expect(await days("from=2026-02-10")).to.deep.equal([4, 3, 2]);
    expect(await days("to=2026-02-10T03:59:59.999Z")).to.deep.equal([1]);
  });

  for (const [query, field] of [
    ["from=2026-02-30", "from"],
    ["to=ayer", "to"],
    ["from=2026-03-02&to=2026-03-01", "from"],
    ["record=x", "record"],
    ["record=7", "resource"],
    ["record=7&user=101", "resource"],
    ["resource=nada", "resource"],
    ["resource=", "resource"],
    ["cursor=x", "cursor"],
    ["limit=0", "limit"],
  ]) {
    it(`refuses ${query}, and names ${field}`, async () => {
      const { status, json } = await ask(admin, "GET", `/admin/audit?${query}`);
      expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include(field);
    });
  }

  it("is for administrators of the same business only", async () => {
    await made("tags", { nombre: "Propia" });
    expect((await ask(agent, "GET", "/admin/audit")).status).to.equal(403);
    const { key } = await made("app-keys", { label: "Sin admin" });
    const byKey = await request(`${world.api}/admin/audit`, { headers: { "x-api-key": key } });
    expect([byKey.status, byKey.json.code]).to.deep.equal([403, "forbidden"]);
    expect((await audit("", foreignAdmin)).data).to.deep.equal([]);
    expect((await ask(admin, "DELETE", "/admin/audit/1")).status).to.be.oneOf([404, 405]);
  });

  it("is kept for 400 days", async () => {
    await world.rows(
      `insert into audit (business_id, at, actor_kind, actor_id, address, resource, record_id, change)
       select 1, now() - days * interval '1 day', 'system', null, '', 'articles', days, 'created'
       from unnest(array[399, 401]) as days`,
    );
    const purge = resolveAll(world.container, tokens.tick).find(({ name }) => name === "audit.purge");
    await purge?.run(new AbortController().signal);
    const left = await audit("?resource=articles");
    expect(left.data.map((entry: { record_id: number }) => entry.record_id)).to.deep.equal([399]);
  });
});
