import { expect } from "chai";
import { io, type Socket } from "socket.io-client";
import { Passwords } from "../../src/infra/crypto/passwords.ts";
import { type Answer, type RequestOptions, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

const password = "contraseña larga";

describe("a session in a cookie", () => {
  let world: World;
  const sockets: Socket[] = [];
  before(async () => {
    world = await startWorld();
    await world.rows("update credentials set password_hash = $1", [await new Passwords().hash(password)]);
  });
  after(() => world.stop());
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.disconnect();
  });

  const signIn = (more: object = { cookie: true }, headers = {}): Promise<Answer> => {
    const body = { email: "agent@b1.test", password, ...more };
    return request(`${world.api}/auth/session`, { method: "POST", headers, body });
  };
  const sessionOf = ({ headers }: Answer): string =>
    (headers["set-cookie"] ?? []).find((cookie) => cookie.startsWith("recado_session=")) ?? "";
  const cookie = async (): Promise<string> => sessionOf(await signIn()).split(";")[0] ?? "";
  const ask = async (path: string, options: RequestOptions = {}): Promise<Answer> =>
    request(world.api + path, { ...options, headers: { cookie: await cookie(), ...options.headers } });

  it("is not readable by scripts, and its token is not in the answer (Auth.19)", async () => {
    const answer = await signIn();
    expect(Object.keys(answer.json)).to.deep.equal(["expires_at", "empresa_id", "usuario_id"]);
    const set = sessionOf(answer);
    expect(set).to.match(/^recado_session=rs_[\w-]{43}; Max-Age=4\d{4}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(answer.headers["set-cookie"]?.some((each) => each.startsWith("recado_device="))).to.equal(true);
    expect(sessionOf(await signIn({ cookie: false })) + sessionOf(await signIn({}))).to.equal("");
  });

  it("is not given to a page of another site", async () => {
    const foreign = await signIn({ cookie: true }, { "sec-fetch-site": "cross-site", origin: "https://evil.example" });
    expect([foreign.status, sessionOf(foreign)]).to.deep.equal([403, ""]);
    expect((await signIn({ cookie: true }, { "sec-fetch-site": "same-origin" })).status).to.equal(200);
  });

  it("is not given to a page of another site that accepts an invitation, and the invitation stays open", async () => {
    const headers = { authorization: `Bearer ${await world.sessionToken(101)}` };
    const user = { nombre: "Eva", email: "eva@b1.test", role_id: 5 };
    const made = await request(`${world.api}/admin/users`, { method: "POST", headers, body: user });
    const body = { token: made.json.invitation.token, password, cookie: true };
    const acceptFrom = (site: string) =>
      request(`${world.api}/auth/invitation`, { method: "POST", headers: { "sec-fetch-site": site }, body });
    const foreign = await acceptFrom("cross-site");
    expect([foreign.status, sessionOf(foreign)]).to.deep.equal([403, ""]);
    const own = await acceptFrom("same-origin");
    expect(own.status, own.text).to.equal(200);
    expect(sessionOf(own)).to.match(/^recado_session=rs_/);
  });

  it("is accepted like a token, also beside other cookies", async () => {
    const me = await ask("/me", { headers: { cookie: `a=1; ${await cookie()}; b=rs_x` } });
    expect([me.status, me.json.id]).to.deep.equal([200, 102]);
    const own = { origin: world.api };
    const changed = await ask("/me/available", { method: "PUT", headers: own, body: { disponible: true } });
    expect(changed.status, changed.text).to.equal(200);
    const report = await ask("/report", { method: "GET" });
    expect(report.status).to.not.equal(401);
  });

  it("is ignored if the request has a key or a token", async () => {
    const wrong = await ask("/me", { headers: { authorization: "Bearer rs_wrong" } });
    expect(wrong.status).to.equal(401);
    const byKey = await ask("/agents", { headers: { "x-api-key": "rk_wrong" } });
    expect(byKey.status).to.equal(401);
  });

  it("cannot change anything for pages of other sites, or without the page's origin", async () => {
    const available = { method: "PUT", body: { disponible: false } };
    for (const headers of [{}, { origin: "https://evil.example" }, { origin: "null" }, { origin: `${world.api}1` }]) {
      const { status, json } = await ask("/me/available", { ...available, headers });
      expect([status, json.code], JSON.stringify(headers)).to.deep.equal([403, "foreign_origin"]);
    }
    const [agent] = await world.rows("select available from users where business_id = 1 and id = 102");
    expect(agent).to.deep.equal({ available: true });
  });

  it("cannot be read by other sites, but by our own in any browser", async () => {
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const { status, json } = await ask("/me", { headers });
      expect([status, json.code], JSON.stringify(headers)).to.deep.equal([403, "foreign_origin"]);
    }
    for (const headers of [{}, { "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }]) {
      expect((await ask("/me", { headers })).status, JSON.stringify(headers)).to.equal(200);
    }
  });

  it("ends when it is closed, and the browser deletes it", async () => {
    const mine = await cookie();
    const headers = { cookie: mine, origin: world.api };
    const closed = await request(`${world.api}/auth/session`, { method: "DELETE", headers });
    expect(closed.json).to.deep.equal({ success: true });
    expect(sessionOf(closed)).to.equal("recado_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict");
    expect((await request(`${world.api}/me`, { headers: { cookie: mine } })).status).to.equal(401);
  });

  describe("for sockets", () => {
    const connect = async (headers: Record<string, string>): Promise<string> => {
      const extraHeaders = { cookie: await cookie(), ...headers };
      const socket = io(`${world.api}/realtime`, { transports: ["websocket"], extraHeaders, reconnection: false });
      sockets.push(socket);
      return new Promise((resolve) => {
        socket.once("connect", () => resolve("connected"));
        socket.once("connect_error", (error) => resolve(error.message));
      });
    };

    it("is accepted only from pages of this service", async () => {
      expect(await connect({ origin: world.api })).to.equal("connected");
      expect(await connect({})).to.not.equal("connected");
      expect(await connect({ origin: "https://evil.example" })).to.not.equal("connected");
    });
  });
});
