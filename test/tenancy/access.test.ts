import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

/** A change must take effect within this many milliseconds. An unchanged key stays in the cache twice as long. */
const atOnce = 2_500;

describe("access with an App Key", () => {
  let world: World;
  before(async () => {
    const withoutAdministrator = aBusiness(5, { users: aBusiness(5).users.filter(({ roleId }) => roleId !== 1) });
    world = await startWorld({
      businesses: [...[1, 2, 3, 4].map((id) => aBusiness(id)), withoutAdministrator],
      environment: { ROLE: "api" },
    });
  });
  after(() => world.stop());

  const steps = (key: string | undefined, businessId = 1): Promise<Answer> =>
    request(`${world.api}/chats/obtener/pasos/tickets/${businessId}`, {
      headers: { ...(key !== undefined && { "x-api-key": key }) },
    });
  const issue = (businessId: number, label: string) =>
    resolve(world.container, tokens.issueAppKey).execute(businessId, label);
  const expectRefusal = (answer: Answer, body: unknown): void => {
    expect([answer.status, answer.type, answer.json]).to.deep.equal([401, "application/json", body]);
  };
  const invalid = { message: "Invalid API key" };
  const unauthorized = { error: "Las credenciales no son válidas", code: "unauthorized" };

  it("gives access to the key's business (authentication rule 1)", async () => {
    expect((await steps(world.appKey(1))).status).to.equal(200);
    expect((await steps(world.appKey(1), 2)).status).to.equal(500);
    expect((await steps(world.appKey(2), 2)).status).to.equal(200);
  });

  it("is refused the same without a key and with an unknown one (authentication rule 2)", async () => {
    const key = world.appKey(1);
    const wrong = [
      undefined,
      "",
      "x",
      `${key}x`,
      key.slice(0, -1),
      key.toUpperCase(),
      "ñ".repeat(20),
      "x".repeat(5_000),
    ];
    for (const given of wrong) expectRefusal(await steps(given && encodeURI(given)), invalid);
  });

  it("is refused before the request is checked", async () => {
    const options = { method: "POST", rawBody: "{", headers: { "x-api-key": "x" } };
    expectRefusal(await request(`${world.api}/chats/enviar/plantilla/business`, options), invalid);
  });

  it("needs the key in the header, and not a session token or a key in the query", async () => {
    expectRefusal(await steps(await world.sessionToken(101)), invalid);
    const answer = await request(`${world.api}/chats/obtener/pasos/tickets/1?x-api-key=${world.appKey(1)}`);
    expectRefusal(answer, invalid);
  });

  it("is refused to a business without an administrator, with a plain JSON string (authentication rule 2)", async () => {
    const key = world.appKey(3);
    expect((await steps(key, 3)).status).to.equal(200);
    await world.rows("update users set active = false where business_id = 3 and role_id = 1");
    await eventually(async () => (await steps(key, 3)).status === 401, atOnce);
    expectRefusal(await steps(key, 3), "No admin user found for this business");
    await world.rows("update users set role_id = 1 where business_id = 3 and id = 302");
    await eventually(async () => (await steps(key, 3)).status === 200, atOnce);
  });

  it("is refused by every route as documented, in one of two forms, or in one form if sessions are accepted too", async () => {
    const { paths, components } = (await request(`${world.api}/openapi.json`)).json;
    const refusals: [key: string, body: unknown][] = [
      ["x", invalid],
      [world.appKey(5), "No admin user found for this business"],
    ];
    const ajv = new Ajv2020({ strict: false });
    let routes = 0;
    for (const path of Object.keys(paths)) {
      for (const [method, { security, responses }] of Object.entries<Answer["json"]>(paths[path])) {
        if (!security.some((scheme: object) => "appKey" in scheme)) continue;
        routes += 1;
        const { $ref = "" } = responses[401];
        const { content } = $ref === "" ? responses[401] : components.responses[$ref.split("/").at(-1)];
        const isCoded = /unauthorized/i.test(JSON.stringify(responses[401]));
        const isDocumented = ajv.compile({ ...content["application/json"].schema, components });
        for (const [key, body] of refusals) {
          const url = world.api + path.replaceAll(/\{\w+\}/g, "1");
          const answer = await request(url, { method: method.toUpperCase(), headers: { "x-api-key": key } });

          expectRefusal(answer, isCoded ? unauthorized : body);
          expect(isDocumented(answer.json), `${method} ${path}: ${answer.text}`).to.equal(true);
        }
      }
    }
    expect(routes).to.be.above(20);
  });

  it("ends at once when the key is revoked in any way, although it is cached", async () => {
    const [key, other] = [await issue(2, "a"), await issue(2, "b")];
    for (const each of [key, other, key, other]) expect((await steps(each, 2)).status).to.equal(200);
    await world.rows("update app_keys set revoked_at = now() where business_id = 2 and label = 'a'");
    await eventually(async () => (await steps(key, 2)).status === 401, atOnce);
    expectRefusal(await steps(key, 2), invalid);
    expect((await steps(other, 2)).status).to.equal(200);
    await world.rows("delete from app_keys where business_id = 2 and label = 'b'");
    await eventually(async () => (await steps(other, 2)).status === 401, atOnce);
  });

  it("is possible with several keys of one business, which can be revoked by their label", async () => {
    const keys = [await issue(4, "crm"), await issue(4, "crm"), await issue(4, "till")];
    expect(new Set(keys).size).to.equal(3);
    for (const key of keys) expect((await steps(key, 4)).status).to.equal(200);
    expect(await resolve(world.container, tokens.revokeAppKeys).labelled(4, "crm")).to.equal(2);
    expect(await resolve(world.container, tokens.revokeAppKeys).labelled(1, "till")).to.equal(0);
    for (const key of keys.slice(0, 2)) await eventually(async () => (await steps(key, 4)).status === 401, atOnce);
    expect((await steps(keys[2], 4)).status).to.equal(200);
  });

  it("works with a new key at once, even if it was tried before", async () => {
    const key = await issue(1, "new");
    expect((await steps(key)).status).to.equal(200);
  });

  it("stores nothing in the database that gives access", async () => {
    const key = world.appKey(1);
    const stored = await world.rows("select app_keys::text as row from app_keys");
    expect(stored).not.to.be.empty;
    expect(JSON.stringify(stored)).not.to.include(key).and.not.include(Buffer.from(key).toString("hex"));
    await issue(999_999, "nobody").then(
      () => expect.fail("a key was created for a missing business"),
      (error: Error) => expect(error.message).to.equal("there is no business 999999"),
    );
  });

  it("ends for the one key that an operator names", async () => {
    const [key, other] = [await issue(4, "pair"), await issue(4, "pair")];
    const store = resolve(world.container, tokens.revokeAppKeys);
    expect(await store.one(key)).to.equal(4);
    expect(await store.one(key)).to.equal(null);
    expect(await store.one("rk_unknown")).to.equal(null);
    expectRefusal(await steps(key, 4), invalid);
    expect((await steps(other, 4)).status).to.equal(200);
  });

  describe("with too many attempts", () => {
    let strict: World;
    before(async () => {
      strict = await startWorld({
        environment: { ROLE: "api" },
        configure: (config) => ({ ...config, http: { ...config.http, failedAttemptsPerMinute: 3 } }),
      });
    });
    after(() => strict.stop());

    it("is refused with 429 and Retry-After, while every valid key still works from that address", async () => {
      const unused = await resolve(strict.container, tokens.issueAppKey).execute(1, "never used");
      const attempt = (key: string) =>
        request(`${strict.api}/chats/obtener/pasos/tickets/1`, { headers: { "x-api-key": key } });
      expect((await attempt(strict.appKey(1))).status).to.equal(200);
      for (const key of ["a", "b", "c"]) expectRefusal(await attempt(key), invalid);
      const limited = await attempt("d");
      expect([limited.status, limited.json]).to.deep.equal([429, { message: "Too many requests" }]);
      expect(Number(limited.headers["retry-after"])).to.be.within(1, 60);
      for (const key of [unused, strict.appKey(1)]) expect((await attempt(key)).status).to.equal(200);
      await resolve(strict.container, tokens.revokeAppKeys).labelled(1, "test");
      await eventually(async () => (await attempt(strict.appKey(1))).status === 429, atOnce);
      expect((await attempt(unused)).status).to.equal(200);
    });

    it("does not count for other failures, such as those of webhooks", async () => {
      const wrongKey = () => request(`${strict.api}/chats/obtener/pasos/tickets/1`, { headers: { "x-api-key": "e" } });
      await eventually(async () => (await wrongKey()).status === 429);
      expect((await strict.webhook({}, "sha256=")).status).to.equal(401);
      const token = await strict.sessionToken(101);
      const headers = { authorization: `Bearer ${token}` };
      expect((await request(`${strict.api}/auth/session`, { method: "DELETE", headers })).status).to.equal(200);
    });
  });

  it("in bodies is limited by address: many requests without a token get 429", async () => {
    const slow = await startWorld({
      environment: { ROLE: "api", RATE_LIMIT_PER_SECOND: "5", RATE_LIMIT_BURST: "5" },
      configure: (config) => ({ ...config, http: { ...config.http, failedAttemptsPerMinute: 1_000 } }),
    });
    try {
      for (const [method, path] of [
        ["GET", "/catalogs/v2/orders/sucursal/1"],
        ["POST", "/empresas/data-report/multi"],
      ] as const) {
        const flood = Array.from({ length: 40 }, () => {
          return request(slow.api + path, { method, rawBody: "[".repeat(50_000) });
        });
        const statuses = (await Promise.all(flood)).map(({ status }) => status);
        expect(statuses.filter((status) => status === 429).length, path).to.be.at.least(20);
      }
      expect((await slow.get("/chats/obtener/pasos/tickets/1")).status).to.equal(200);
    } finally {
      await slow.stop();
    }
  });
});
