import { expect } from "chai";
import { io, type Socket } from "socket.io-client";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

describe("App Keys of a business", () => {
  let world: World;
  let token: string;

  const byAdmin = (method: string, path: string, body?: object) =>
    request(world.api + path, { method, headers: { authorization: `Bearer ${token}` }, ...(body && { body }) });
  const byKey = (key: string, method: string, path: string, body?: object) =>
    request(world.api + path, { method, headers: { "x-api-key": key }, ...(body && { body }) });
  const make = async (body: object) => (await byAdmin("POST", "/admin/app-keys", { label: "crm", ...body })).json;

  before(async () => {
    world = await startWorld();
    token = await world.sessionToken(101);
  });
  after(() => world.stop());

  it("allow only the requests of their scopes", async () => {
    const [reader, sender, orders, admin] = await Promise.all(
      ["read", "send", "orders", "admin"].map(async (scope) => (await make({ scopes: [scope] })).key),
    );
    const requests = {
      read: ["GET", "/chats"],
      send: ["POST", "/chats/101/read", { hasta: 1 }],
      orders: ["POST", "/catalogs/orders", { type: "wa", lines: [] }],
      admin: ["GET", "/admin/tags"],
    } as const;
    const keys = { read: reader, send: sender, orders, admin };
    for (const [scope, key] of Object.entries(keys)) {
      for (const [needed, [method, path, body]] of Object.entries(requests)) {
        const { status, json } = await byKey(key, method, path, body);
        const told = `${scope} at ${method} ${path}`;
        if (scope === needed) expect(status, told).not.to.equal(403);
        else expect([status, json.code], told).to.deep.equal([403, "forbidden"]);
      }
    }
  });

  it("get no events on a socket without the scope `read`, or after they lose it", async () => {
    const opened = (key: string): Promise<{ socket: Socket; said: string }> => {
      const socket = io(`${world.api}/realtime`, { forceNew: true, transports: ["websocket"], auth: { key } });
      return new Promise((resolve) => {
        socket.once("ready", () => resolve({ socket, said: "ready" }));
        socket.once("connect_error", (error) => {
          socket.disconnect();
          resolve({ socket, said: (error as Error & { data?: { code: string } }).data?.code ?? error.message });
        });
      });
    };
    for (const scope of ["send", "orders", "admin"]) {
      expect((await opened((await make({ scopes: [scope] })).key)).said, scope).to.equal("forbidden");
    }
    const { id, key } = await make({ scopes: ["read", "send"] });
    const { socket, said } = await opened(key);
    expect(said).to.equal("ready");
    await byAdmin("PUT", `/admin/app-keys/${id}`, { label: "crm", scopes: ["send"] });
    await eventually(() => !socket.connected);
    socket.disconnect();
  });

  it("have all scopes but `admin` if none is given", async () => {
    const made = await make({});
    expect(made.scopes).to.deep.equal(["read", "send", "orders"]);
    expect((await byKey(made.key, "GET", "/admin/tags")).status).to.equal(403);
  });

  it("refuse an invalid expiry and years of more than four digits", async () => {
    const latest = await byAdmin("POST", "/admin/app-keys", { label: "crm", expires_at: "9999-12-31T23:59:59-12:00" });
    expect([latest.status, latest.json.expires_at]).to.deep.equal([201, "9999-12-31T23:59:59.999Z"]);
    for (const expires_at of ["9999-02-30T00:00:00Z", "+010000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"]) {
      const { status, json } = await byAdmin("POST", "/admin/app-keys", { label: "crm", expires_at });
      expect([status, json.code], expires_at).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include("expires_at");
    }
  });

  it("expire at a time of the business's zone if the date names none", async () => {
    const expiryOf = async (expires_at: string) => (await make({ expires_at })).expires_at;
    expect(await expiryOf("2099-06-01T10:00:00")).to.equal("2099-06-01T14:00:00.000Z");
    expect(await expiryOf("2099-06-01")).to.equal("2099-06-01T04:00:00.000Z");
    expect(await expiryOf("2099-06-01T10:00:00+02:00")).to.equal("2099-06-01T08:00:00.000Z");
  });

  it("are refused after they are removed or expired, and show when they were last used", async () => {
    const { id, key } = await make({});
    expect((await byKey(key, "GET", "/chats")).status).to.equal(200);
    const { json } = await byAdmin("GET", `/admin/app-keys/${id}`);
    expect(json.last_used).to.match(/:00:00\.000Z$/);
    expect((await byAdmin("DELETE", `/admin/app-keys/${id}`)).status).to.equal(204);
    // The database notifies each process of the change a moment later.
    await eventually(async () => (await byKey(key, "GET", "/chats")).status === 401);
    const over = await make({ expires_at: "2099-01-01T00:00:00Z" });
    await world.rows("update app_keys set expires_at = now() - interval '1 second' where id = $1", [over.id]);
    expect((await byKey(over.key, "GET", "/chats")).status).to.equal(401);
  });

  it("can be changed after they expired, and keep their expiry", async () => {
    const { id } = await make({ expires_at: "2099-01-01T00:00:00Z" });
    await world.rows("update app_keys set expires_at = now() - interval '1 second' where id = $1", [id]);
    const { json: read } = await byAdmin("GET", `/admin/app-keys/${id}`);
    const written = await byAdmin("PUT", `/admin/app-keys/${id}`, { ...read, label: "viejo" });
    expect([written.status, written.json.label, written.json.expires_at]).to.deep.equal([
      200,
      "viejo",
      read.expires_at,
    ]);
    const earlier = await byAdmin("PUT", `/admin/app-keys/${id}`, { ...read, expires_at: "2020-01-01T00:00:00Z" });
    expect([earlier.status, earlier.json.code]).to.deep.equal([400, "invalid_input"]);
  });

  it("lose a scope at once", async () => {
    const { id, key } = await make({ scopes: ["read", "send"] });
    expect((await byKey(key, "GET", "/chats")).status).to.equal(200);
    await byAdmin("PUT", `/admin/app-keys/${id}`, { label: "crm", scopes: ["send"] });
    // The database notifies each process of the change a moment later.
    await eventually(async () => (await byKey(key, "GET", "/chats")).status === 403);
  });
});
