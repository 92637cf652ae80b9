import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

describe("/webhooks/qr/{instance}: what the provider of paired phones tells", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ configure: (config) => ({ ...config, metricsKey: "metrics key for tests" }) });
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    request(`${world.api}/admin/senders${path}`, {
      method,
      headers: { "x-api-key": world.appKey(1) },
      ...(body && { body }),
    });
  const keyOf = (instance: string) => `key-of-${instance.replaceAll(/[^a-z0-9-]/g, "")}`;
  const phone = (instance: string, connected: boolean) =>
    world.control("POST", "/qr-instances", { instance, apiKey: keyOf(instance), connected });
  const newSender = async (instance: string): Promise<number> => {
    await phone(instance, false);
    const sender = { provider: "qr", platform_id: instance, phone: "59170000000", token: keyOf(instance) };
    const made = await ask("POST", "", sender);
    expect(made.status, made.text).to.equal(201);
    return made.json.id;
  };
  const shown = async (id: number): Promise<string | null> => (await ask("GET", `/${id}`)).json.state;
  const shows = (id: number, state: string) => eventually(async () => (await shown(id)) === state);

  const secretOf = (instance: string) => resolve(world.container, tokens.instanceWebhook)(instance).secret;
  const tell = (instance: string, payload: object | string, authorization = `Bearer ${secretOf(instance)}`) =>
    request(`${world.api}/webhooks/qr/${encodeURIComponent(instance)}`, {
      method: "POST",
      rawBody: typeof payload === "string" ? payload : JSON.stringify(payload),
      headers: { ...(authorization !== "" && { authorization }) },
    });
  const connection = (instance: string, state: string, at: string, changes: object = {}) => ({
    ...{ event: "connection.update", instance, data: { instance, state, statusReason: 200 }, date_time: at },
    ...changes,
  });
  const stored = { status: 200, text: '{"success":true}' };
  const workedOff = () => eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);

  it("moves the sender along while its phone is paired, logged out and paired again (QrWebhook.3)", async () => {
    const id = await newSender("tienda 1/ñ");
    expect(await shown(id)).to.equal(null);
    expect((await ask("GET", `/${id}/qr.png`)).status).to.equal(200);
    expect(await shown(id)).to.equal("connecting");
    await phone("tienda 1/ñ", true);
    await shows(id, "open");
    await phone("tienda 1/ñ", false);
    await shows(id, "close");
    expect((await ask("GET", `/${id}/qr.png`)).status).to.equal(200);
    await shows(id, "connecting");
    await phone("tienda 1/ñ", true);
    await shows(id, "open");
  });

  it("has the provider tell of a phone that was connected before it was asked for a code", async () => {
    const id = await newSender("tienda-2");
    await phone("tienda-2", true);
    expect((await ask("GET", `/${id}/qr.png`)).json.code).to.equal("connected");
    await phone("tienda-2", false);
    await shows(id, "close");
  });

  it("shows no code where the provider does not take the address", async () => {
    const id = await newSender("tienda-3");
    await world.control("POST", "/faults", { path: "set_webhook", status: 500 });
    expect((await ask("GET", `/${id}/qr.png`)).json.code).to.equal("platform_unavailable");
    expect(await shown(id)).to.equal(null);
  });

  it("refuses what does not carry the instance's own secret, before anything is read (QrWebhook.1)", async () => {
    const id = await newSender("tienda-4");
    const right = secretOf("tienda-4");
    const other = secretOf("tienda-5");
    expect(right).not.to.equal(other);
    for (const wrong of ["", right, `Bearer ${other}`, `Bearer ${right}x`, "Bearer ", "Bearer key-of-tienda-4"]) {
      for (const payload of [connection("tienda-4", "open", "2026-01-01T10:00:00.000Z"), "{"]) {
        const { status, json } = await tell("tienda-4", payload, wrong);
        expect([status, json]).to.deep.equal([401, { message: "Invalid secret" }]);
      }
    }
    await tell("tienda-4", connection("tienda-4", "connecting", "2026-01-01T09:00:00.000Z"));
    await shows(id, "connecting");
  });

  it("turns nothing back with what comes twice or late, and follows a clock that was set back (QrWebhook.4)", async () => {
    const id = await newSender("tienda-6");
    const at = (time: string, state: string) => tell("tienda-6", connection("tienda-6", state, `2026-01-01T${time}Z`));
    await at("10:00:05.000", "open");
    await shows(id, "open");
    await at("10:00:00.000", "connecting");
    await workedOff();
    expect(await shown(id)).to.equal("open");
    await at("10:00:06.000", "close");
    await shows(id, "close");
    await at("10:00:05.000", "open");
    await workedOff();
    expect(await shown(id)).to.equal("close");
    await at("09:00:10.000", "connecting");
    await shows(id, "connecting");
  });

  it("tells the last of several that are worked off together", async () => {
    const id = await newSender("tienda-7");
    const states = ["open", "close", "connecting", "open", "close"];
    await Promise.all(
      states.map((state, n) => tell("tienda-7", connection("tienda-7", state, `2026-01-01T10:00:0${n}.000Z`))),
    );
    await workedOff();
    expect(await shown(id)).to.equal("close");
    await tell("tienda-7", connection("tienda-7", "open", "no time"));
    await shows(id, "open");
  });

  it("changes nothing for an instance that is nobody's, and keeps no news that it does not read (QrWebhook.5)", async () => {
    const id = await newSender("tienda-8");
    const states = () => world.rows("select id, state from senders order by id");
    const before = await states();
    const time = "2026-01-01T10:00:00.000Z";
    const changes = [
      connection("nobody", "open", time),
      connection("nobody", "open", time, { instance: "tienda-8" }),
      connection("number-1", "open", time),
    ];
    for (const [at, payload] of changes.entries()) {
      expect(await tell(at === 2 ? "number-1" : "nobody", payload)).to.include(stored);
    }
    const others = [
      connection("tienda-8", "refused", time),
      connection("tienda-8", "open", time, { event: "qrcode.updated" }),
      connection("tienda-8", "open", time, { data: null }),
      ...["[]", "null", '"text"', "{}"],
    ];
    for (const payload of others) expect(await tell("tienda-8", payload)).to.include(stored);
    await workedOff();
    expect(await states()).to.deep.equal(before);
    const headers = { authorization: "Bearer metrics key for tests" };
    const { text } = await request(`${world.api}/metrics`, { headers });
    expect(text).to.match(/^webhooks_ignored_total\{channel="qr"\} 5$/m);
    expect(await shown(id)).to.equal(null);
  });

  it("refuses what is no JSON, too deep or too large", async () => {
    expect((await tell("tienda-9", "{")).status).to.equal(400);
    expect((await tell("tienda-9", `${"[".repeat(5_000)}${"]".repeat(5_000)}`)).status).to.equal(400);
    expect((await tell("tienda-9", `"${"x".repeat(300_000)}"`)).status).to.equal(413);
  });

  it("keeps the provider's key for the instance nowhere", async () => {
    const id = await newSender("tienda-10");
    await world.database.transaction(async (transaction) => {
      const lock = "lock table senders in access exclusive mode";
      await transaction.rows({ name: "", text: lock }, []);
      const payload = connection("tienda-10", "open", "2026-01-01T10:00:00.000Z", { apikey: "key-of-tienda-10" });
      expect(await tell("tienda-10", payload)).to.include(stored);
      const kept = await world.rows<{ payload: string }>("select payload from incoming_webhooks");
      expect(kept.map((row) => JSON.parse(row.payload).event)).to.deep.equal(["connection.update"]);
      expect(kept[0]?.payload).not.to.include("key-of");
    });
    await shows(id, "open");
  });
});

describe("/webhooks/qr/{instance}: who guesses secrets", () => {
  it("is refused after a while, and no right delivery is", async () => {
    const world = await startWorld({
      configure: (config) => ({ ...config, http: { ...config.http, failedAttemptsPerMinute: 3 } }),
    });
    try {
      const tell = (authorization: string) =>
        request(`${world.api}/webhooks/qr/tienda`, {
          method: "POST",
          rawBody: '{"event":"connection.update"}',
          headers: { authorization },
        });
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await tell(`Bearer guess-${n}`)).status);
      expect(statuses).to.deep.equal([401, 401, 401, 429]);
      const { secret } = resolve(world.container, tokens.instanceWebhook)("tienda");
      expect((await tell(`Bearer ${secret}`)).status).to.equal(200);
      const cloud = await world.webhook({ object: "whatsapp_business_account" }, "sha256=wrong");
      expect(cloud.status).to.equal(401);
    } finally {
      await world.stop();
    }
  });
});
