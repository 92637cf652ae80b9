import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

const [admin, agent, foreignAdmin] = [101, 102, 201];

describe("Senders of a business", () => {
  let world: World;
  const tokens = new Map<number, string>();
  before(async () => {
    world = await startWorld();
    for (const user of [admin, agent, foreignAdmin]) tokens.set(user, await world.sessionToken(user));
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body?: object, who = admin): Promise<Answer> =>
    request(`${world.api}/admin/senders${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.get(who)}` },
      ...(body && { body }),
    });
  const newNumber = async (phoneNumberId: string, token: string) => {
    const account = {
      phoneNumberId,
      accountId: "account-1",
      displayPhoneNumber: "+591 2 2000000",
      token,
      templates: [],
    };
    await world.control("POST", "/accounts", account);
  };
  const newInstance = (instance: string, connected: boolean) =>
    world.control("POST", "/qr-instances", { instance, apiKey: `key-of-${instance}`, connected });
  const cloud = (platform_id: string, token?: string) => ({
    ...{ provider: "platform-apicloud", platform_id, account_id: "account-1", phone: "+591 2 2000000" },
    ...(token !== undefined && { token }),
  });
  const paired = (instance: string) => ({
    ...{ provider: "qr", platform_id: instance, phone: "59170000000", token: `key-of-${instance}` },
  });

  it("are created with their token, which is never shown afterwards", async () => {
    await newNumber("number-71", "secret-71");
    const made = await ask("POST", "", cloud("number-71", "secret-71"));
    expect([made.status, made.json.phone, made.json.messages_per_second]).to.deep.equal([201, "59122000000", 80]);
    const texts = [
      made.text,
      (await ask("GET", "")).text,
      (await ask("GET", `/${made.json.id}`)).text,
      JSON.stringify(await world.rows("select * from audit where business_id = 1")),
      JSON.stringify(await world.rows("select encode(sealed_token, 'escape') from senders")),
    ];
    for (const text of texts) expect(text).not.to.include("secret-71");
  });

  it("are refused without a token, and with a wrong one, naming the field", async () => {
    await newNumber("number-72", "secret-72");
    for (const token of ["another", "token-1", undefined]) {
      const { status, json } = await ask("POST", "", cloud("number-72", token));
      expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include("token");
    }
    await newInstance("tienda-1", true);
    const wrong = await ask("POST", "", { ...paired("tienda-1"), token: "another" });
    expect([wrong.status, wrong.json.code]).to.deep.equal([400, "invalid_input"]);
    expect((await ask("GET", "?q=number-72")).json.data).to.deep.equal([]);
  });

  it("stay as they are if the platform does not answer", async () => {
    await newNumber("number-73", "secret-73");
    const { id, version } = (await ask("POST", "", cloud("number-73", "secret-73"))).json;
    await world.control("POST", "/faults", { path: "node", code: 2, status: 500 });
    const { status, json } = await ask("PUT", `/${id}`, { ...cloud("number-73", "secret-73"), name: "Otra" });
    expect([status, json.code]).to.deep.equal([502, "platform_unavailable"]);
    expect((await ask("GET", `/${id}`)).json).to.deep.include({ version, name: null });
  });

  it("keep their token in a request without one, unless the number changes", async () => {
    await newNumber("number-74", "secret-74");
    const { id } = (await ask("POST", "", cloud("number-74", "secret-74"))).json;
    const sealed = () => world.rows("select encode(sealed_token, 'hex') as sealed from senders where id = $1", [id]);
    const renamed = await ask("PUT", `/${id}`, { ...cloud("number-74"), name: "Ventas" });
    expect([renamed.status, renamed.json.name]).to.deep.equal([200, "Ventas"]);
    const again = await ask("PUT", `/${id}`, { ...cloud("number-74", "secret-74"), name: "Ventas" });
    expect(again.json).to.deep.equal(renamed.json);
    const before = await sealed();
    const moved = await ask("PUT", `/${id}`, { ...cloud("number-75"), name: "Ventas" });
    expect([moved.status, moved.json.error]).to.deep.equal([400, "token es requerido"]);
    expect(await sealed()).to.deep.equal(before);
  });

  it("can be renamed without an account if they were stored without one, but not changed further", async () => {
    await newNumber("number-77", "secret-77");
    const { id } = (await ask("POST", "", cloud("number-77", "secret-77"))).json;
    await world.rows("update senders set account_id = '' where id = $1", [id]);
    const { account_id: _, ...bare } = cloud("number-77");
    const renamed = await ask("PUT", `/${id}`, { ...bare, name: "Ventas" });
    expect([renamed.status, renamed.json.name], renamed.text).to.deep.equal([200, "Ventas"]);
    const given = await ask("PUT", `/${id}`, { ...bare, token: "secret-77" });
    expect([given.status, given.json.error]).to.deep.equal([400, "account_id es requerido"]);
    expect((await ask("PUT", `/${id}`, { ...bare, phone: "59122000009" })).status).to.equal(400);
    expect((await ask("PUT", `/${id}`, cloud("number-77", "secret-77"))).json.account_id).to.equal("account-1");
  });

  it("can get a new token, and be removed, if the stored one cannot be decrypted", async () => {
    await newNumber("number-76", "secret-76");
    const { id } = (await ask("POST", "", cloud("number-76", "secret-76"))).json;
    const spoil = () => world.rows("update senders set sealed_token = '\\x00' where id = $1", [id]);
    await spoil();
    const kept = await ask("PUT", `/${id}`, { ...cloud("number-76"), name: "Ventas" });
    expect([kept.status, kept.json.error]).to.deep.equal([400, "token es requerido"]);
    const mended = await ask("PUT", `/${id}`, { ...cloud("number-76", "secret-76"), name: "Ventas" });
    expect([mended.status, mended.json.name], mended.text).to.deep.equal([200, "Ventas"]);
    await spoil();
    expect((await ask("DELETE", `/${id}`)).status).to.equal(204);
  });

  it("exist once in the installation, and an error does not show to which business they belong", async () => {
    await newNumber("number-2", "token-2");
    const { status, json } = await ask("POST", "", cloud("number-2", "token-2"));
    expect([status, json]).to.deep.equal([409, { error: "platform_id ya está en uso", code: "taken" }]);
  });

  it("show the code that pairs a phone until one is connected", async () => {
    await newInstance("tienda-2", false);
    const { id } = (await ask("POST", "", paired("tienda-2"))).json;
    const headers = { authorization: `Bearer ${tokens.get(admin)}` };
    const image = await fetch(`${world.api}/admin/senders/${id}/qr.png`, { headers });
    expect([image.status, image.headers.get("content-type")]).to.deep.equal([200, "image/png"]);
    const bytes = Buffer.from(await image.arrayBuffer());
    expect(bytes.subarray(1, 4).toString()).to.equal("PNG");
    expect((await ask("GET", `/${id}`)).json.state).to.equal("connecting");
    await newInstance("tienda-2", true);
    // The audit entry about the connection can be added at any time, so only the entries about codes are counted.
    const audited = () =>
      world.rows("select from audit where resource = 'sender-pairings' and record_id = $1 and change = 'created'", [
        id,
      ]);
    const before = await audited();
    const connected = await ask("GET", `/${id}/qr.png`);
    expect([connected.status, connected.json.code]).to.deep.equal([409, "connected"]);
    expect((await ask("GET", `/${id}`)).json.state).to.equal("open");
    expect(await audited()).to.have.length(before.length);
    await world.control("POST", "/faults", { path: "connect", status: 500 });
    expect((await ask("GET", `/${id}/qr.png`)).json.code).to.equal("platform_unavailable");
  });

  it("show the platform's later report on a number, in whatever order two arrive", async () => {
    const [{ id }] = (await ask("GET", "?q=number-1")).json.data;
    const told = (event: string, number: string) => ({
      object: "whatsapp_business_account",
      entry: [
        {
          id: "account-1",
          changes: [
            {
              field: "phone_number_quality_update",
              value: { display_phone_number: number, event, current_limit: "TIER_1K" },
            },
          ],
        },
      ],
    });
    const shown = async () => {
      const { state, quality } = (await ask("GET", `/${id}`)).json;
      return [state, quality];
    };
    await world.webhook(told("FLAGGED", "+591 2 0000001"));
    await eventually(async () => (await shown())[0] === "FLAGGED");
    expect(await shown()).to.deep.equal(["FLAGGED", "RED"]);
    await world.webhook(told("DOWNGRADE", "59120000002"));
    await world.webhook(told("UNFLAGGED", "59120000001"));
    await eventually(async () => (await shown())[0] === "UNFLAGGED");
    expect((await shown())[1]).to.equal(null);
  });

  it("show the latest event of a number's account with its details, which no older one and no other account changes", async () => {
    const [{ id }] = (await ask("GET", "?q=number-1")).json.data;
    expect((await ask("GET", `/${id}`)).json.cuenta).to.equal(null);
    const told = (account: string, time: number, value: object) => ({
      object: "whatsapp_business_account",
      entry: [{ id: account, time, changes: [{ field: "account_update", value }] }],
    });
    const restriction = [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING", expiration: 1_760_090_000 }];
    const restricted = { event: "ACCOUNT_RESTRICTION", restriction_info: restriction };
    await world.webhook(told("account-1", 1_760_000_100, restricted));
    const shown = {
      evento: "ACCOUNT_RESTRICTION",
      detalles: { restriction_info: restriction },
      fecha: "2025-10-09T08:55:00.000Z",
    };
    await eventually(async () => (await ask("GET", `/${id}`)).json.cuenta !== null);
    expect((await ask("GET", `/${id}`)).json.cuenta).to.deep.equal(shown);

    const violation = { event: "ACCOUNT_VIOLATION", violation_info: { violation_type: "ADULT" } };
    await world.webhook(told("account-1", 1_760_000_000, violation));
    await world.webhook(told("account-2", 1_760_000_200, violation));
    await world.webhook(told("account-1", 1_760_000_300, { event: "constructor <b>" }));
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
    expect((await ask("GET", `/${id}`)).json.cuenta).to.deep.equal(shown);
    await world.webhook(told("account-1", 1_760_000_400, violation));
    await eventually(async () => (await ask("GET", `/${id}`)).json.cuenta.evento === "ACCOUNT_VIOLATION");
    const { data } = (await ask("GET", "")).json;
    expect(data.find((sender: { id: number }) => sender.id === id).cuenta.detalles).to.deep.equal({
      violation_info: { violation_type: "ADULT" },
    });
  });

  it("show no code to others, nor for senders that are not instances", async () => {
    await newInstance("tienda-3", false);
    const { id } = (await ask("POST", "", paired("tienda-3"))).json;
    const [number] = (await ask("GET", "?q=number-1")).json.data;
    expect((await ask("GET", `/${number.id}/qr.png`)).json.code).to.equal("not_found");
    expect((await ask("GET", `/${id}/qr.png`, undefined, foreignAdmin)).json.code).to.equal("not_found");
    expect((await ask("GET", `/${id}/qr.png`, undefined, agent)).status).to.equal(403);
  });
});
