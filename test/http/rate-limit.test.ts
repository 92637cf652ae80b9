import { expect } from "chai";
import type { Middleware } from "koa";
import { limitFailures, limitRate } from "../../src/infra/http/middleware/rate-limit.ts";
import { HttpProblem } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute } from "../../src/infra/http/routing/route.ts";
import { trustedProxies } from "../../src/infra/http/trusted-proxies.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const route = (auth: "key-or-token" | "none", name: string = auth, cost = 1) =>
  defineRoute({
    method: "get",
    path: `/${name}`,
    operationId: `ask-${name}`,
    cost,
    tag: "things",
    summary: "Asks",
    auth,
    responses: { 200: { description: "ok" } },
    dialect: { unexpected: () => [500, { success: false }] },
    handle: () => "ok",
  });

/** An authenticator whose keys are the ids of businesses. */
const byKey: Middleware = (ctx, next) => {
  ctx.state.caller = { businessId: ctx.get("x-api-key"), keyId: 1, scopes };
  return next();
};

describe("the rate limit", () => {
  let app: SampleApp;
  afterEach(() => app.close());

  async function serveLimited(perSecond: number, burst: number): Promise<void> {
    app = await serveSample([route("key-or-token"), route("key-or-token", "dear", 4), route("none")], {
      limitRate: limitRate({ perSecond, burst }),
      authenticators: { "key-or-token": byKey, session: byKey, "key-or-session": byKey, "key-or-body-token": byKey },
      proxies: trustedProxies("1"),
    });
  }

  const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    request(`${app.url}${path}`, { headers });
  const withKey = () => ask("/key-or-token", { "x-api-key": "k" });
  const from = (ip: string) => ask("/none", { "x-forwarded-for": ip });
  const inTurn = async (count: number, send: () => Promise<Answer>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < count; i++) statuses.push((await send()).status);
    return statuses;
  };

  it("allows a second's share and the burst, and no more", async () => {
    await serveLimited(3, 3);
    const answers = await Promise.all(Array.from({ length: 10 }, withKey));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(6);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.json).to.deep.equal({ message: "Too many requests" });
    expect(refused?.headers["retry-after"]).to.equal("1");
  });

  it("allows requests again after the time in Retry-After", async () => {
    await serveLimited(1, 0);
    expect(await inTurn(2, withKey)).to.deep.equal([200, 429]);
    await eventually(async () => (await withKey()).status === 200);
  });

  it("reports the rest in its headers, and the limit with a refusal", async () => {
    await serveLimited(2, 0);
    const [first, , refused] = [await withKey(), await withKey(), await withKey()];
    expect(first.headers["ratelimit-policy"]).to.equal('"requests";q=2;w=1, "burst";q=0;w=10');
    expect(first.headers.ratelimit).to.equal('"requests";r=1;t=1');
    expect(refused).to.deep.include({ status: 429 });
    expect(refused?.headers.ratelimit).to.equal('"requests";r=0;t=1');
    expect(app.refusals).to.deep.equal([{ reason: "requests", status: 429 }]);
  });

  it("counts an expensive request as often as its route says", async () => {
    await serveLimited(10, 0);
    expect(await inTurn(3, () => ask("/dear", { "x-api-key": "k" }))).to.deep.equal([200, 200, 429]);
  });

  it("allows an expensive request that costs more than the limits, while nothing else was asked", async () => {
    await serveLimited(2, 1);
    const dear = () => ask("/dear", { "x-api-key": "k" });
    expect(await inTurn(2, dear)).to.deep.equal([200, 429]);
    await eventually(async () => (await dear()).status === 200);
    await app.close();
    await serveLimited(1, 3);
    expect(await inTurn(2, dear)).to.deep.equal([200, 429]);
  });

  it("gives each business one share, which all its addresses have in common", async () => {
    await serveLimited(1, 0);
    const sent = (key: string, ip: string) => ask("/key-or-token", { "x-api-key": key, "x-forwarded-for": ip });
    const answers = [await sent("a", "10.0.0.1"), await sent("b", "10.0.0.1"), await sent("a", "10.0.0.2")];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 429]);
  });

  it("cannot be avoided or shifted to another client by a forged address", async () => {
    await serveLimited(1, 0);
    const forged = ["1.1.1.1", "2.2.2.2", "10.0.0.2"];
    const answers = await Promise.all(forged.map((ip) => from(`${ip}, 10.0.0.1`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 429, 429]);
    expect((await from("10.0.0.2")).status).to.equal(200);
  });

  it("identifies callers without a key by their address, and by the network for IPv6", async () => {
    await serveLimited(1, 0);
    const addresses = ["10.0.0.1", "10.0.0.2", "10.0.0.1", "2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:1:9::2"];
    const answers = await Promise.all(addresses.map(from));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(4);
    const [first, , same, , , sameNetwork] = answers;
    expect([first?.status, same?.status].sort()).to.deep.equal([200, 429]);
    expect([answers[3]?.status, sameNetwork?.status].sort()).to.deep.equal([200, 429]);
  });
});

describe("the limit of failures", () => {
  const failure = new HttpProblem(401, "Wrong");
  const answerTo = (refused: Promise<never>): Promise<HttpProblem> => refused.catch((error: HttpProblem) => error);

  it("passes each failure on until an address has reached its limit, and then refuses only that address", async () => {
    const failures = limitFailures({ name: "", points: 3, perSeconds: 60 });
    for (let i = 0; i < 3; i++) expect(await answerTo(failures.refuse("10.0.0.1", failure))).to.equal(failure);
    const refused = await answerTo(failures.refuse("10.0.0.1", failure));
    expect(refused).to.be.instanceOf(HttpProblem).and.include({ status: 429 });
    expect(refused.body).to.deep.equal({ message: "Too many requests" });
    expect(Number(refused.headers["Retry-After"])).to.be.within(55, 60);
    expect(await answerTo(failures.refuse("10.0.0.2", failure))).to.equal(failure);
  });

  it("counts an IPv6 address by its network", async () => {
    const failures = limitFailures({ name: "", points: 1, perSeconds: 60 });
    const statuses = [];
    for (const ip of ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:1:9::2"]) {
      statuses.push((await answerTo(failures.refuse(ip, failure))).status);
    }
    expect(statuses).to.deep.equal([401, 401, 429]);
  });

  it("ends after its time, even after further failures", async () => {
    const failures = limitFailures({ name: "", points: 1, perSeconds: 1 });
    await answerTo(failures.refuse("10.0.0.1", failure));
    expect(await answerTo(failures.refuse("10.0.0.1", failure))).to.include({ status: 429 });
    await eventually(async () => (await answerTo(failures.refuse("10.0.0.1", failure))) === failure);
  });
});
