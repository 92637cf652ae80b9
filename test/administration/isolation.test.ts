import { expect } from "chai";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { dumpOf, type Json, record } from "../http/matrix.ts";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { everyRequest, foreign, isObject, own, paramsIn, resourceOf, routes, sampleOf } from "./every-request.ts";
import { samples } from "./resources.ts";

/**
 * A request about a record of another business gets the same answer, byte for byte, as one about a record that does not
 * exist. This covers all requests of administration. They are built from the routes and the samples of the resources,
 * so new routes are included automatically.
 */

const missing = 987_654_321;

/** The body's fields that refer to records. The schema (`x-entity`) or the sample (`references`) tells which ones. */
const referencesIn = (route: Route): string[] => {
  const properties = Object.entries(record(record(route.body).properties));
  const marked = properties.filter(([, schema]) => JSON.stringify(schema).includes('"x-entity"')).map(([name]) => name);
  const { references = [] } = sampleOf(resourceOf(route)) ?? {};
  return [...new Set([...marked, ...(isWhole(route) ? references : [])])];
};
/** Whether the request creates or replaces a whole record. */
const isWhole = ({ path, body, method }: Route): boolean =>
  isObject(body) && (method === "put" || /^\/admin\/[^/]+$/.test(path));

/** A value of the same type, with an id that does not exist. */
const nowhere = (value: unknown): unknown =>
  Array.isArray(value) ? [missing] : typeof value === "string" ? String(missing) : missing;

describe("Administration and records of another business", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    await requests.prepare();
  });
  after(() => world.stop());

  const requests = everyRequest(() => world);
  const { as, below, bodyFor, fileIn, fileOf, goodBody, made, paramsFor, send } = requests;

  /** The answer with `<id>` in place of the given ids. The compared files of refused rows contain different ids. */
  const seen = ({ status, type, text }: Answer, value: unknown) => ({
    status,
    type,
    text: text.replaceAll([value].flat().join("|"), "<id>"),
  });

  it("covers all parameters in the paths of its routes", () => {
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
      it("succeeds for the business's own record", async () => {
        if (route.operationId === "createAdAccess")
          await world.rows("delete from ad_credentials where business_id = 1");
        const answer = await send(route, await paramsFor(route, own));
        expect(answer.status, answer.text).to.be.within(200, 299);
        const documented = Object.keys(route.responses).map(Number);
        expect(documented).to.include(answer.status);
      });

      if (names.length > 0) {
        it("answers as if the other's record did not exist, and changes nothing", async () => {
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
        it(`accepts no ${field} of the other business`, async () => {
          const params = await paramsFor(route, own);
          const good = await goodBody(route);
          const theirs = (await bodyFor(resourceOf(route), foreign))[field];
          expect(theirs, "the sample of the resource has no example").not.to.be.oneOf([undefined, null]);
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
        it("matches no imported row with the other's record by its id", async () => {
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
          it(`accepts no ${field} of the other business in an imported row`, async () => {
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
        it("lists none of the other's records", async () => {
          const [mine, theirs] = [await made(resourceOf(route), own), await made(resourceOf(route), foreign)];
          const { data } = (await as(own, "get", `${route.path}?limit=100`)).json;
          const listed = data.map(({ id }: { id: number }) => id);
          expect(listed).to.include(mine).and.not.include(theirs);
        });
      }
    });
  }

  for (const path of new Set(samples.map((sample) => sample.path))) {
    it(`shows none of the other's ${path} in the audit, filtered by record`, async () => {
      const [mine, theirs] = [await made(path, own), await made(path, foreign)];
      const of = (query: string) => as(own, "get", `/admin/audit?resource=${path}${query}`);
      const mineTold = (await of(`&record=${mine}`)).json;
      expect(mineTold.data).to.have.length(1);
      expect((await of(`&record=${theirs}`)).text).to.equal((await of(`&record=${missing}`)).text);
    });
  }

  it("shows nothing in the audit that the other's users did", async () => {
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
