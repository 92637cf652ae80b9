import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { everyRequest, own as administrated, isObject, paramsIn, resourceOf } from "../administration/every-request.ts";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { forUsers, goodRequest, own, urlOf } from "./good-requests.ts";
import { dumpOf } from "./matrix.ts";
import { servedRoutes } from "./routes.ts";

/** Every operation with a key or session is asked while the business gets no connection. New routes are included automatically. */

const poolSize = 2;
/** Operations that answer without the database. */
const asksNothing: readonly string[] = [];
/** Operations that have begun to answer before they ask the database. */
const streamsAnswer = (route: Route): boolean => route.body === "csv";

const guarded = servedRoutes().filter((route) => route.auth !== "none" && !streamsAnswer(route));
const isOfRecords = ({ path }: Route): boolean => path.startsWith("/admin/");

describe("An operation whose business gets no connection", () => {
  let world: World;
  let session: string;
  before(async () => {
    world = await startWorld({
      environment: { ROLE: "api" },
      configure: (config) => ({ ...config, database: { ...config.database, poolSize, connectTimeoutMs: 200 } }),
    });
    session = await world.sessionToken(own * 100 + 1);
    await requests.prepare();
  });
  after(() => world.stop());

  const requests = everyRequest(() => world);

  /** Made before the connections are taken: some bodies need records. */
  const madeFor = async (route: Route) => {
    if (!isOfRecords(route)) return goodRequest(route);
    const params = Object.fromEntries(paramsIn(route).map((name) => [name, 1]));
    const body = isObject(route.body) ? await requests.goodBody(route) : {};
    return { params, query: {}, body };
  };

  async function crowded(work: () => Promise<void>): Promise<void> {
    const [{ gate }] = resolve(world.container, tokens.openedCells);
    const leaves = await Promise.all(Array.from({ length: poolSize }, () => gate.enter(own)));
    try {
      await work();
    } finally {
      for (const leave of leaves) leave();
    }
  }

  it("is asked for a business of both kinds of requests", () => expect(administrated).to.equal(own));

  for (const route of guarded) {
    it(`says when to come again, and has entered nothing: ${route.operationId}`, async () => {
      const made = await madeFor(route);
      const isForUsers = route.auth === "session" || forUsers.includes(route.operationId);
      const headers: Record<string, string> = isForUsers
        ? { authorization: `Bearer ${session}` }
        : { "x-api-key": world.appKey(own) };
      const before = await dumpOf(world, own);
      await crowded(async () => {
        const { status, headers: answered, json, text } = await request(world.api + urlOf(route, made), {
          method: route.method.toUpperCase(),
          headers,
          ...(route.body !== undefined && { body: made.body }),
        });
        if (asksNothing.includes(route.operationId)) return expect(status, text).to.be.within(200, 299);
        expect([status, answered["retry-after"]], text).to.deep.equal([503, "5"]);
        console.log(resourceOf(route), JSON.stringify(json));
      });
      expect(await dumpOf(world, own)).to.deep.equal(before);
    });
  }
});
