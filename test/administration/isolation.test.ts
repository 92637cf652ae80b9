import { expect } from "chai";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { dumpOf, type Json, record } from "../http/matrix.ts";
import { servedRoutes } from "../http/routes.ts";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { type Ids, makeIds, samples } from "./resources.ts";

/**
 * Another business's records answer like records that exist nowhere, byte for byte, in every request of administration.
 * The requests are made from the routes and the samples of the resources: a new one takes part by itself.
 */

const [own, foreign] = [1, 2];
const missing = 987_654_321;

/** By resource: what its records need so that all requests below them can succeed. */
const able: Readonly<Record<string, Json>> = {
  webhooks: { disabled: false },
  users: { activo: true },
  templates: { type: "TEXT", tipo: "Cloud" },
};

/** By operation: a body that no sample of a resource gives. */
const bodies: Readonly<Record<string, () => Json>> = {
  changeBusiness: () => ({ nombre: "Negocio" }),
  changeFlags: () => ({}),
  replayWebhook: () => ({ since: new Date().toISOString() }),
};

const routes = servedRoutes().filter(({ path }) => path.startsWith("/admin/"));
const resourceOf = ({ path }: Route): string => path.split("/")[2] ?? "";
const sampleOf = (resource: string) => samples.find(({ path }) => path === resource);
const paramsIn = ({ path }: Route): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
const isObject = (schema: Route["body"]): boolean => typeof schema === "object";

/** Fields of a body that name records, by their schema or by the sample. */
const referencesIn = (route: Route): string[] => {
  const properties = Object.entries(record(record(route.body).properties));
  const marked = properties.filter(([, schema]) => JSON.stringify(schema).includes('"x-entity"')).map(([name]) => name);
  const { references = [] } = sampleOf(resourceOf(route)) ?? {};
  return [...new Set([...marked, ...(isWhole(route) ? references : [])])];
};
/** Writes a whole record. */
const isWhole = ({ path, body, method }: Route): boolean =>
  isObject(body) && (method === "put" || /^\/admin\/[^/]+$/.test(path));

/** The same with ids that exist nowhere. */
const nowhere = (value: unknown): unknown =>
  Array.isArray(value) ? [missing] : typeof value === "string" ? String(missing) : missing;

describe("Administration, of another business's records", () => {
  let world: World;
  const ids = new Map<number, Ids>();
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    // Long ids, which no other number in an answer is.
    for (const table of ["branches", "articles", "tags"]) {
      await world.rows("select setval(pg_get_serial_sequence($1, 'id'), 5000000)", [table]);
    }
    for (const each of [own, foreign]) ids.set(each, await makeIds(world, each));
  });
  after(() => world.stop());

  let count = 0;
  const next = (): number => {
    count += 2;
    return count;
  };
  const as = (businessId: number, method: string, path: string, more: object = {}): Promise<Answer> =>
    request(world.api + path, {
      method: method.toUpperCase(),
      ...more,
      headers: { "x-api-key": world.appKey(businessId), ...("headers" in more && (more.headers as object)) },
    });

  const bodyFor = async (resource: string, businessId: number): Promise<Json> => {
    if (resource === "ad-accounts")
      return { token: `ads-token-${businessId}`, default_account_id: `act_${businessId}` };
    const sample = sampleOf(resource);
    if (!sample) throw new Error(`${resource}: say in \`bodies\` what its body is`);
    const body = { ...sample.body(next(), ids.get(businessId) as Ids), ...able[resource] };
    await sample.prepare?.(world, body);
    return body;
  };
  const made = async (resource: string, businessId: number): Promise<number> => {
    const { status, json, text } = await as(businessId, "post", `/admin/${resource}`, {
      body: await bodyFor(resource, businessId),
    });
    if (status === 409 && resource === "ad-accounts")
      return (await as(businessId, "get", `/admin/${resource}`)).json.data[0].id;
    expect(status, text).to.equal(201);
    return json.id;
  };
  const instance = async (businessId: number): Promise<number> => {
    const name = `tienda-${businessId}-${next()}`;
    await world.control("POST", "/qr-instances", { instance: name, apiKey: `key-of-${name}`, connected: false });
    const body = { provider: "qr", platform_id: name, phone: "59170000000", token: `key-of-${name}` };
    return (await as(businessId, "post", "/admin/senders", { body })).json.id;
  };
  const fileIn = async (resource: string, businessId: number, file: string): Promise<Answer["json"]> => {
    const { text } = await as(businessId, "post", `/admin/${resource}/import`, {
      rawBody: file,
      headers: { "content-type": "text/csv" },
    });
    return JSON.parse(text.trim().split("\n").at(-1) ?? "");
  };
  const fileOf = (rows: readonly Json[]): string => {
    const columns = Object.keys(rows[0] ?? {});
    return [columns, ...rows.map((row) => columns.map((name) => [row[name]].flat().join("|")))].map(String).join("\n");
  };

  /** By name: what stands in a path beside the id of a record. */
  const below: Readonly<Record<string, (id: number, businessId: number, resource: string) => Promise<unknown>>> = {
    session: async (id, businessId) => {
      await world.sessionToken(id);
      return (await as(businessId, "get", `/admin/users/${id}/sessions`)).json.data[0].id;
    },
    deliveryId: async (id, businessId) => (await as(businessId, "post", `/admin/webhooks/${id}/test`)).json.id,
    file: async (_, businessId, resource) => {
      const columns = Object.keys(await bodyFor(resource, businessId));
      const row = `${",".repeat(columns.length)}de más`;
      return (await fileIn(resource, businessId, `${columns}\n${row}`)).refused_csv.split("/").at(-1);
    },
  };
  /** All that a path names, of records that were made for it. */
  const paramsFor = async (route: Route, businessId: number): Promise<Record<string, unknown>> => {
    const names = paramsIn(route);
    const resource = resourceOf(route);
    const ofRecord = route.operationId === "getSenderCode" ? instance : (each: number) => made(resource, each);
    const id = names.includes("id") ? await ofRecord(businessId) : 0;
    const pairs: [string, unknown][] = [];
    for (const name of names) pairs.push([name, name === "id" ? id : await below[name]?.(id, businessId, resource)]);
    const { frees } = sampleOf(resource) ?? {};
    if (route.method === "delete" && frees) {
      const body = { ...bodyFor(resource, businessId), ...frees };
      await as(businessId, "put", `/admin/${resource}/${id}`, { body });
    }
    return Object.fromEntries(pairs);
  };
  const send = async (route: Route, params: Json, { body }: { body?: unknown } = {}) => {
    const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])));
    const sent =
      route.body === "csv"
        ? { rawBody: fileOf([await bodyFor(resourceOf(route), own)]), headers: { "content-type": "text/csv" } }
        : isObject(route.body) && { body: body ?? (await goodBody(route)) };
    return as(own, route.method, path, sent || {});
  };
  const goodBody = async (route: Route): Promise<Json> =>
    bodies[route.operationId]?.() ?? (await bodyFor(resourceOf(route), own));
  /** Without the ids themselves, which a refused row repeats. */
  const seen = ({ status, type, text }: Answer, value: unknown) => ({
    status,
    type,
    text: text.replaceAll([value].flat().join("|"), "<id>"),
  });

  it("knows all that stands in the paths of its routes", () => {
    const names = new Set(routes.flatMap(paramsIn));
    expect(names).to.deep.equal(new Set(["id", ...Object.keys(below)]));
    expect(routes.length).to.be.above(80);
    const queried = routes.flatMap(({ operationId, query }) =>
      Object.entries(record(record(query).properties))
        .filter(([, schema]) => record(schema)["x-entity"] !== undefined)
        .map(([name, schema]) => `${operationId} ${name} ${record(schema)["x-entity"]}`),
    );
    expect(queried).to.deep.equal(["listAudit user user"]);
  });

  for (const route of routes) {
    const names = paramsIn(route);
    describe(route.operationId, () => {
      it("succeeds for the business's own", async () => {
        if (route.operationId === "createAdAccess")
          await world.rows("delete from ad_credentials where business_id = 1");
        const answer = await send(route, await paramsFor(route, own));
        expect(answer.status, answer.text).to.be.within(200, 299);
        const documented = Object.keys(route.responses).map(Number);
        expect(documented).to.include(answer.status);
      });

      if (names.length > 0) {
        it("knows nothing of theirs, and changes nothing", async () => {
          const [mine, theirs] = [await paramsFor(route, own), await paramsFor(route, foreign)];
          const none = Object.fromEntries(names.map((name) => [name, name === "file" ? "r_nothing" : missing]));
          const before = await dumpOf(world, foreign);
          const body = isObject(route.body) ? await goodBody(route) : undefined;
          for (const replaced of new Set([...names.map((name) => [name]), names])) {
            const of = (others: Json) => ({
              ...mine,
              ...Object.fromEntries(replaced.map((name) => [name, others[name]])),
            });
            const [answer, wanted] = [await send(route, of(theirs), { body }), await send(route, of(none), { body })];
            expect(wanted.status, wanted.text).to.equal(404);
            expect(answer.text).to.equal(wanted.text);
            expect([answer.status, answer.type]).to.deep.equal([wanted.status, wanted.type]);
          }
          expect(await dumpOf(world, foreign)).to.deep.equal(before);
        });
      }

      for (const field of referencesIn(route)) {
        it(`takes no ${field} of theirs`, async () => {
          const params = await paramsFor(route, own);
          const good = await goodBody(route);
          const theirs = (await bodyFor(resourceOf(route), foreign))[field];
          expect(theirs, "the sample of the resource gives no example").not.to.be.oneOf([undefined, null]);
          const before = await dumpOf(world, foreign);
          const [answer, wanted] = [
            await send(route, params, { body: { ...good, [field]: theirs } }),
            await send(route, params, { body: { ...good, [field]: nowhere(theirs) } }),
          ];
          expect([wanted.status, wanted.json.code], wanted.text).to.deep.equal([400, "invalid_input"]);
          expect(answer.text).to.equal(wanted.text);
          expect([answer.status, answer.type]).to.deep.equal([wanted.status, wanted.type]);
          expect(await dumpOf(world, foreign)).to.deep.equal(before);
        });
      }

      if (route.body === "csv") {
        const resource = resourceOf(route);
        const { references = [] } = sampleOf(resource) ?? {};
        it("matches no row with theirs by its id", async () => {
          const id = await made(resource, foreign);
          const before = await dumpOf(world, foreign);
          const answers = [];
          for (const each of [id, missing]) {
            answers.push(await fileIn(resource, own, fileOf([{ id: each, ...(await bodyFor(resource, own)) }])));
          }
          expect(answers[0]).to.deep.equal(answers[1]);
          expect(answers[0]).to.deep.include({ created: 1, refused: 0 });
          expect(await dumpOf(world, foreign)).to.deep.equal(before);
        });

        for (const field of references) {
          it(`takes no ${field} of theirs in a row`, async () => {
            const good = await bodyFor(resource, own);
            const theirs = (await bodyFor(resource, foreign))[field];
            const before = await dumpOf(world, foreign);
            const told = [];
            for (const value of [theirs, nowhere(theirs)]) {
              const { refused_csv: file, ...counts } = await fileIn(
                resource,
                own,
                fileOf([{ ...good, [field]: value }]),
              );
              expect(counts).to.deep.equal({ created: 0, updated: 0, unchanged: 0, refused: 1 });
              told.push(seen(await as(own, "get", file), value));
            }
            expect(told[0]).to.deep.equal(told[1]);
            expect(await dumpOf(world, foreign)).to.deep.equal(before);
          });
        }
      }

      if (route.method === "get" && sampleOf(resourceOf(route)) && route.path === `/admin/${resourceOf(route)}`) {
        it("lists none of theirs", async () => {
          const [mine, theirs] = [await made(resourceOf(route), own), await made(resourceOf(route), foreign)];
          const { data } = (await as(own, "get", `${route.path}?limit=100`)).json;
          const listed = data.map(({ id }: { id: number }) => id);
          expect(listed).to.include(mine).and.not.include(theirs);
        });
      }
    });
  }

  for (const path of new Set(samples.map((sample) => sample.path))) {
    it(`tells nothing of their ${path} in the audit, by record`, async () => {
      const [mine, theirs] = [await made(path, own), await made(path, foreign)];
      const of = (query: string) => as(own, "get", `/admin/audit?resource=${path}${query}`);
      const mineTold = (await of(`&record=${mine}`)).json;
      expect(mineTold.data).to.have.length(1);
      expect((await of(`&record=${theirs}`)).text).to.equal((await of(`&record=${missing}`)).text);
    });
  }

  it("tells nothing in the audit of what their users did", async () => {
    const theirUser = Number(`${foreign}01`);
    const authorization = `Bearer ${await world.sessionToken(theirUser)}`;
    const body = await bodyFor("tags", foreign);
    expect(
      (await request(`${world.api}/admin/tags`, { method: "POST", headers: { authorization }, body })).status,
    ).to.equal(201);
    const of = (businessId: number, user: number) => as(businessId, "get", `/admin/audit?user=${user}`);
    expect((await of(foreign, theirUser)).json.data).to.have.length(1);
    expect((await of(own, theirUser)).text).to.equal((await of(own, missing)).text);
  });
});
