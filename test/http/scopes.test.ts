import { expect } from "chai";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { openShop } from "../orders/shop.ts";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { objectOf, own, schemaOf, type Where } from "./good-requests.ts";
import { dumpOf } from "./matrix.ts";
import { servedRoutes } from "./routes.ts";

/** For each route and scope: whether a key with only this scope may call the route, as the API document says. */

const routes = servedRoutes();
const forKeys = routes.filter(({ auth }) => auth !== "none" && auth !== "session");

/** The rule: a GET route needs `read` unless it names another scope; all other routes must name a scope. */
const statedBy = ({ scope, method }: Route): string | undefined => scope ?? (method === "get" ? "read" : undefined);

describe("Scopes of App Keys", () => {
  let world: World;
  const keys = new Map<string, string>();
  let [expired, revoked] = ["", ""];
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    await openShop(world, own);
    const make = async (body: object): Promise<Answer["json"]> =>
      (await world.post("/admin/app-keys", { label: "one scope", ...body })).json;
    for (const scope of scopes) keys.set(scope, (await make({ scopes: [scope] })).key);
    const all = { scopes: [...scopes] };
    const [over, gone] = [await make({ ...all, expires_at: "2099-01-01T00:00:00Z" }), await make(all)];
    await world.rows("update app_keys set expires_at = now() - interval '1 second' where id = $1", [over.id]);
    await world.rows("update app_keys set revoked_at = now() where id = $1", [gone.id]);
    [expired, revoked] = [over.key, gone.key];
  });
  after(() => world.stop());

  /** Sends a request with all required values if `isWhole`, or else without any values. */
  const send = (route: Route, key: string, isWhole: boolean): Promise<Answer> => {
    const part = (where: Where) => (isWhole ? objectOf(schemaOf(route, where), route.operationId, () => "x") : {});
    const [params, query] = [part("params"), Object.entries(part("query"))];
    const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name] ?? "0")));
    const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]));
    return request(`${world.api}${path}${search.size > 0 ? `?${search}` : ""}`, {
      method: route.method.toUpperCase(),
      headers: { "x-api-key": key },
      ...(typeof route.body === "object" && { body: part("body") }),
    });
  };
  const lacks = (scope: string) => ({ error: `La llave no tiene el alcance ${scope}`, code: "forbidden" });

  it("are stated by every route that takes keys, and documented for each operation", async () => {
    const { paths } = (await request(`${world.api}/openapi.json`)).json;
    expect(forKeys.length).to.be.above(100);
    for (const route of routes) {
      const operation = paths[route.path.replaceAll(/:(\w+)/g, "{$1}")]?.[route.method];
      if (!operation) expect(route.tag, route.operationId).to.equal("documentation");
      const asked: readonly Readonly<Record<string, readonly string[]>>[] = operation?.security ?? [];
      const told = asked.flatMap(({ appKey, appKeyOfReports }) => [appKey, appKeyOfReports].filter(Boolean));
      const wanted = forKeys.includes(route) ? [[statedBy(route)]] : [];
      const schemes = new Set(told.map((each) => JSON.stringify(each)));
      expect([...schemes], route.operationId).to.deep.equal(wanted.map((each) => JSON.stringify(each)));
    }
  });

  for (const scope of scopes) {
    it(`let a key with only ${scope} use the operations that state it, and no others`, async () => {
      const key = keys.get(scope) ?? "";
      // The first use of a key stores its time of last use, so the key is used once before the dump.
      await send(forKeys[0] as Route, key, false);
      const before = await dumpOf(world, own);
      let passed = 0;
      for (const route of forKeys) {
        const needed = statedBy(route) ?? "";
        const where = `${scope} at ${route.operationId}`;
        if (needed === scope) continue;
        for (const isWhole of [true, false]) {
          const answer = await send(route, key, isWhole);
          expect([answer.status, answer.json], where).to.deep.equal([403, lacks(needed)]);
        }
      }
      expect(await dumpOf(world, own)).to.deep.equal(before);
      for (const route of forKeys.filter((each) => statedBy(each) === scope)) {
        const answer = await send(route, key, false);
        expect(answer.status, `${scope} at ${route.operationId}`).not.to.equal(401);
        expect(answer.text, `${scope} at ${route.operationId}`).not.to.include(lacks(scope).error);
        passed += 1;
      }
      expect(passed).to.be.above(5);
    });
  }

  it("do not help an expired or revoked key", async () => {
    const before = await dumpOf(world, own);
    for (const route of forKeys) {
      for (const key of [expired, revoked]) {
        expect((await send(route, key, true)).status, route.operationId).to.equal(401);
      }
    }
    expect(await dumpOf(world, own)).to.deep.equal(before);
  });

  it("never open operations that are only for users", async () => {
    const forUsers = routes.filter(({ auth }) => auth === "session");
    expect(forUsers.length).to.be.above(0);
    const before = await dumpOf(world, own);
    for (const route of forUsers) {
      const answer = await send(route, world.appKey(own), true);
      expect(answer.status, `${route.operationId}: ${answer.text}`).to.be.oneOf([400, 401]);
    }
    expect(await dumpOf(world, own)).to.deep.equal(before);
  });
});
