import { expect } from "chai";
import type { Container } from "inversify";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { startService } from "../../src/bootstrap/service.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Route, saysCodes } from "../../src/infra/http/routing/route.ts";
import { everyRequest, isObject, paramsIn } from "../administration/every-request.ts";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { forUsers, goodRequest, own, urlOf } from "./good-requests.ts";
import { dumpOf } from "./matrix.ts";
import { servedRoutes } from "./routes.ts";

/**
 * While a business gets no connection to the database, the test calls the operations that take a key or a session.
 * They must write nothing. Their answers must say when to try again, unless a GET request needs no such connection.
 * New routes are included automatically.
 */

const poolSize = 2;

/** By operation: the reason why it is not tested. */
const exceptions: Readonly<Record<string, string>> = {
  closeSession: "sessions are in the directory, which has connections of its own",
  endOwnSession: "sessions are in the directory",
  endOtherSessions: "sessions are in the directory",
  changePassword: "passwords are in the directory",
  deleteMedia: "it needs a media store",
};

/** Operations that are called with an agent's session. */
const forAgents: readonly string[] = ["setAvailable", "takeChat"];

const isOfRecords = ({ path }: Route): boolean => path.startsWith("/admin/");
/**
 * CSV imports and uploads are not tested: the answer to an import may begin before the file is complete, and an upload
 * is read before any query.
 */
const takesJson = ({ body }: Route): boolean => body === undefined || isObject(body);
const guarded = servedRoutes().filter((route) => route.auth !== "none" && takesJson(route));
const routes = guarded.filter(({ operationId }) => exceptions[operationId] === undefined);
/** The number of simultaneous requests. */
const atOnce = 4;

/** Tables with the time when a key or a session was last used. */
const used = ["app_keys", "sessions"];

/** Takes all connections that the business may have. Resolves with a function that releases them. */
async function holdAll(container: Container): Promise<() => Promise<void>> {
  const [{ gate }] = resolve(container, tokens.openedCells);
  const leaves = await Promise.all(Array.from({ length: poolSize }, () => gate.acquire(own)));
  let end = () => {};
  const ended = new Promise<void>((done) => {
    end = done;
  });
  const slow = resolve(container, tokens.slowCells).of(own);
  const held: Promise<void>[] = [];
  for (let count = 0; count < poolSize; count += 1) {
    await new Promise<void>((begun, failed) => {
      const holding = slow.transaction(() => {
        begun();
        return ended;
      });
      holding.catch(failed);
      held.push(holding);
    });
  }
  return async () => {
    end();
    for (const leave of leaves) leave();
    await Promise.all(held);
  };
}

describe("An operation whose business gets no connection", () => {
  let world: World;
  const answers = new Map<Route, Answer>();
  let dumpBefore: object;
  let dumpAfter: object;

  const requests = everyRequest(() => world);
  /** Builds a request. Some bodies need new records, so all requests are built before the connections are taken. */
  const madeFor = async (route: Route) =>
    isOfRecords(route)
      ? {
          params: Object.fromEntries(paramsIn(route).map((name) => [name, 1])),
          query: {},
          body: isObject(route.body) ? await requests.goodBody(route) : {},
        }
      : goodRequest(route);

  before(async () => {
    const flags = { timezone: "America/La_Paz", "payments-url": "https://pay.example", group_shared_report: [own] };
    world = await startWorld({ businesses: [aBusiness(own, { flags }), aBusiness(2)], environment: { ROLE: "api" } });
    await requests.prepare();
    const administrator = await world.sessionToken(own * 100 + 1);
    const agent = await world.sessionToken(own * 100 + 2);
    const limits = { poolSize, slowPoolSize: poolSize, connectTimeoutMs: 400 };
    const config = { ...world.config, database: { ...world.config.database, ...limits } };
    const container = createContainer(config);
    const service = await startService(config, { container });
    const ask = (route: Route, made: Awaited<ReturnType<typeof madeFor>>): Promise<Answer> => {
      const isForAgents = forAgents.includes(route.operationId);
      const isForUsers = route.auth === "session" || forUsers.includes(route.operationId);
      const headers: Record<string, string> =
        isForAgents || isForUsers
          ? { authorization: `Bearer ${isForAgents ? agent : administrator}` }
          : { "x-api-key": world.appKey(own) };
      return request(`http://127.0.0.1:${service.port}${urlOf(route, made)}`, {
        method: route.method.toUpperCase(),
        headers,
        ...(route.body !== undefined && { body: made.body }),
      });
    };
    const all: (readonly [Route, Awaited<ReturnType<typeof madeFor>>])[] = [];
    for (const route of routes) all.push([route, await madeFor(route)]);
    dumpBefore = await dumpOf(world, own, used);
    const release = await holdAll(container);
    while (all.length > 0) {
      const some = all.splice(0, atOnce);
      await Promise.all(some.map(async ([route, made]) => answers.set(route, await ask(route, made))));
    }
    await release();
    dumpAfter = await dumpOf(world, own, used);
    await service.stop();
  });
  after(() => world.stop());

  for (const route of routes) {
    it(`is answered with Retry-After: ${route.operationId}`, () => {
      const { status, headers, json, text } = answers.get(route) as Answer;
      // A GET request that needs none of the held connections is answered as usual.
      if (route.method === "get" && status < 500) return;
      expect([status, headers["retry-after"]], text).to.deep.equal([503, "5"]);
      const coded = { error: "El servicio no está disponible por ahora", code: "unavailable" };
      expect(json).to.deep.equal(saysCodes(route) ? coded : { message: "Service unavailable" });
    });
  }

  it("is tested unless it is a known exception", () => {
    expect(guarded.map(({ operationId }) => operationId)).to.include.members(Object.keys(exceptions));
    expect(routes.length).to.be.above(150);
  });

  it("changes nothing", () => expect(dumpAfter).to.deep.equal(dumpBefore));
});
