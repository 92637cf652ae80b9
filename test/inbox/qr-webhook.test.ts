import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

describe("/webhooks/qr/{instance}", () => {
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
    owned.set(instance, made.json.id);
    return made.json.id;
  };
  const shown = async (id: number): Promise<string | null> => (await ask("GET", `/${id}`)).json.state;
  const shows = (id: number, state: string) => eventually(async () => (await shown(id)) === state);

  const owned = new Map<string, number>();
  /** The webhook secret of a sender. `senderId` defaults to the sender that `newSender` created, or to 1. */
  const secretOf = (platformId: string, senderId = owned.get(platformId) ?? 1, businessId = 1) =>
    resolve(world.container, tokens.instanceWebhook)({ businessId, senderId, platformId }).secret;
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
  const allProcessed = () => eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  // The next test may count or list waiting webhooks.
  afterEach(allProcessed);

  it("shows the sender's state while its phone is paired, logged out and paired again (QrWebhook.3)", async () => {
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

  it("also gets the state of a phone that was connected before a code was requested", async () => {
    const id = await newSender("tienda-2");
    await phone("tienda-2", true);
    expect((await ask("GET", `/${id}/qr.png`)).json.code).to.equal("connected");
    await phone("tienda-2", false);
    await shows(id, "close");
  });

  it("shows no code if the provider refuses the webhook's address", async () => {
    const id = await newSender("tienda-3");
    await world.control("POST", "/faults", { path: "set_webhook", status: 500 });
    expect((await ask("GET", `/${id}/qr.png`)).json.code).to.equal("platform_unavailable");
    expect(await shown(id)).to.equal(null);
  });

  it("refuses requests without the instance's own secret before it reads them (QrWebhook.1)", async () => {
    const id = await newSender("tienda-4");
    const right = secretOf("tienda-4");
    const other = secretOf("tienda-5");
    expect(right).not.to.equal(other);
    const others = [
      right.replace(/^\d+/, "2"),
      right.replace(/\.\d+\./, `.${id + 1}.`),
      ...[other, `${right}x`, "", "key-of-tienda-4", "1.1.", `0.0.${right}`],
    ];
    for (const wrong of ["", right, ...others.map((each) => `Bearer ${each}`)]) {
      for (const payload of [connection("tienda-4", "open", "2026-01-01T10:00:00.000Z"), "{"]) {
        const { status, json } = await tell("tienda-4", payload, wrong);
        expect([status, json]).to.deep.equal([401, { message: "Invalid secret" }]);
      }
    }
    await tell("tienda-4", connection("tienda-4", "connecting", "2026-01-01T09:00:00.000Z"));
    await shows(id, "connecting");
  });

  it("accepts repeated and late webhooks, and works after a clock was set back (QrWebhook.4)", async () => {
    const id = await newSender("tienda-6");
    const at = (time: string, state: string) => tell("tienda-6", connection("tienda-6", state, `2026-01-01T${time}Z`));
    await at("10:00:05.000", "open");
    await shows(id, "open");
    await at("10:00:00.000", "connecting");
    await allProcessed();
    expect(await shown(id)).to.equal("open");
    await at("10:00:06.000", "close");
    await shows(id, "close");
    await at("10:00:05.000", "open");
    await allProcessed();
    expect(await shown(id)).to.equal("close");
    await at("09:00:10.000", "connecting");
    await shows(id, "connecting");
  });

  it("shows the last state of several webhooks that are processed together", async () => {
    const id = await newSender("tienda-7");
    const states = ["open", "close", "connecting", "open", "close"];
    await Promise.all(
      states.map((state, n) => tell("tienda-7", connection("tienda-7", state, `2026-01-01T10:00:0${n}.000Z`))),
    );
    await allProcessed();
    expect(await shown(id)).to.equal("close");
    await tell("tienda-7", connection("tienda-7", "open", "no time"));
    await shows(id, "open");
  });

  it("changes nothing for an unknown instance, and counts unknown events as ignored (QrWebhook.5)", async () => {
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
    await allProcessed();
    expect(await states()).to.deep.equal(before);
    const headers = { authorization: "Bearer metrics key for tests" };
    const { text } = await request(`${world.api}/metrics`, { headers });
    expect(text).to.match(/^webhooks_ignored_total\{channel="qr"\} 7$/m);
    expect(await shown(id)).to.equal(null);
  });

  it("changes nothing with the secret of another sender or of an earlier name (QrWebhook.1)", async () => {
    const id = await newSender("tienda-11");
    const at = (time: string) => connection("tienda-11", "open", `2026-01-01T${time}.000Z`);
    for (const secret of [secretOf("tienda-11", id + 1), secretOf("tienda-11", id, 2)]) {
      expect(await tell("tienda-11", at("10:00:00"), `Bearer ${secret}`)).to.include(stored);
    }
    await allProcessed();
    expect(await shown(id)).to.equal(null);

    // After the sender is renamed, webhooks to the old name change nothing. Webhooks to the new name with the old
    // secret are refused.
    await phone("tienda-12", false);
    const renamed = { provider: "qr", platform_id: "tienda-12", phone: "59170000000", token: keyOf("tienda-12") };
    expect((await ask("PUT", `/${id}`, renamed)).status).to.equal(200);
    expect(await tell("tienda-11", at("10:00:01"))).to.include(stored);
    expect((await tell("tienda-12", at("10:00:02"), `Bearer ${secretOf("tienda-11", id)}`)).status).to.equal(401);
    await allProcessed();
    expect(await shown(id)).to.equal(null);

    // If another business takes the instance over, webhooks with the first business's secret change nothing.
    const headers = { "x-api-key": world.appKey(2) };
    await phone("tienda-11", false);
    const body = { ...renamed, platform_id: "tienda-11", token: keyOf("tienda-11") };
    const taken = await request(`${world.api}/admin/senders`, { method: "POST", headers, body });
    expect(taken.status, taken.text).to.equal(201);
    expect(await tell("tienda-11", at("10:00:03"))).to.include(stored);
    const state = () => world.rows("select state from senders where id = $1", [taken.json.id]);
    await allProcessed();
    expect(await state()).to.deep.equal([{ state: null }]);
    await tell("tienda-11", at("10:00:04"), `Bearer ${secretOf("tienda-11", taken.json.id, 2)}`);
    await allProcessed();
    expect(await state()).to.deep.equal([{ state: "open" }]);
  });

  it("accepts the older secret of the instance's name until a code is requested again", async () => {
    const id = await newSender("tienda-13");
    const ofName = `Bearer ${resolve(world.container, tokens.secrets).instanceNameSecret("tienda-13")}`;
    const at = (time: string, state: string) => connection("tienda-13", state, `2026-01-01T${time}.000Z`);
    expect(await tell("tienda-13", at("10:00:00", "open"), ofName)).to.include(stored);
    await allProcessed();
    expect(await shown(id)).to.equal(null);
    await world.rows("update senders set has_secret_of_name = true where id = $1", [id]);
    await tell("tienda-13", at("10:00:01", "open"), ofName);
    await shows(id, "open");
    await phone("tienda-13", false);
    expect((await ask("GET", `/${id}/qr.png`)).status).to.equal(200);
    await shows(id, "connecting");
    await allProcessed();
    expect(await tell("tienda-13", at("23:00:00", "close"), ofName)).to.include(stored);
    await allProcessed();
    expect(await shown(id)).to.equal("connecting");
  });

  it("keeps a state that arrives during a request although the provider's answer is older", async () => {
    const id = await newSender("tienda-14");
    await world.control("POST", "/faults", { path: "connect", delay_ms: 1_500 });
    const asked = ask("GET", `/${id}/qr.png`);
    await shows(id, "connecting");
    await phone("tienda-14", true);
    await shows(id, "open");
    expect((await asked).status).to.equal(200);
    expect(await shown(id)).to.equal("open");
  });

  it("records in the audit who requested a code and which phone was paired, but not the code", async () => {
    const id = await newSender("tienda-15");
    const image = await fetch(`${world.api}/admin/senders/${id}/qr.png`, { headers: { "x-api-key": world.appKey(1) } });
    const code = Buffer.from(await image.arrayBuffer());
    await phone("tienda-15", true);
    await shows(id, "open");
    await phone("tienda-15", false);
    await shows(id, "close");
    await phone("tienda-15", true);
    await shows(id, "open");
    const { json, text } = await request(`${world.api}/admin/audit?resource=sender-pairings&record=${id}`, {
      headers: { "x-api-key": world.appKey(1) },
    });
    const told = json.data.map((each: Answer["json"]) => [each.actor.type, each.change, each.after]);
    expect(told).to.deep.equal([
      ["system", "changed", { platform_id: "tienda-15", state: "open" }],
      ["key", "created", { platform_id: "tienda-15", state: "connecting" }],
    ]);
    for (const secret of [code.toString("base64"), keyOf("tienda-15"), secretOf("tienda-15")]) {
      expect(text).not.to.include(secret);
    }
  });

  it("drops bodies that are not JSON or too deep, so that the provider does not repeat them", async () => {
    expect(await tell("tienda-9", "{")).to.include(stored);
    expect(await tell("tienda-9", `${"[".repeat(5_000)}${"]".repeat(5_000)}`)).to.include(stored);
    expect(await world.rows("select from incoming_webhooks")).to.deep.equal([]);
  });

  it("never stores the provider's key for the instance", async () => {
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

describe("/webhooks/qr/{instance}: guessed secrets", () => {
  it("are refused after a while, but correct requests are not", async () => {
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
      const instance = { businessId: 1, senderId: 1, platformId: "tienda" };
      const { secret } = resolve(world.container, tokens.instanceWebhook)(instance);
      expect((await tell(`Bearer ${secret}`)).status).to.equal(200);
      const cloud = await world.webhook({ object: "whatsapp_business_account" }, "sha256=wrong");
      expect(cloud.status).to.equal(401);
    } finally {
      await world.stop();
    }
  });
});
