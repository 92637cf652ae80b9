import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

describe("The version of a sender", () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body?: object, headers: object = {}): Promise<Answer> =>
    request(`${world.api}/admin/senders${path}`, {
      method,
      headers: { "x-api-key": world.appKey(1), ...headers },
      ...(body && { body }),
    });
  const tell = (field: string, value: object, more: object = {}) =>
    world.webhook({
      object: "whatsapp_business_account",
      entry: [{ id: "account-1", changes: [{ field, value }], ...more }],
    });
  const shown = async (id: number) => {
    const { headers, json } = await ask("GET", `/${id}`);
    return { etag: headers.etag ?? "", json };
  };
  const movedOn = (id: number, etag: string) =>
    eventually(async () => {
      const now = await shown(id);
      return now.etag === etag ? undefined : now;
    });
  const instance = { provider: "qr", platform_id: "tienda", phone: "59170000000", token: "key-of-tienda" };
  const connect = (connected: boolean) =>
    world.control("POST", "/qr-instances", { instance: "tienda", apiKey: instance.token, connected });

  it("rises with each visible report on its number or account, but not with a repeated one", async () => {
    const [{ id }] = (await ask("GET", "?q=number-1")).json.data;
    const first = await shown(id);
    const flagged = () =>
      tell("phone_number_quality_update", { display_phone_number: "59120000001", event: "FLAGGED" });
    await flagged();
    const second = await movedOn(id, first.etag);
    expect([second.json.state, second.json.version]).to.deep.equal(["FLAGGED", first.json.version + 1]);
    const old = await ask("GET", `/${id}`, undefined, { "if-none-match": first.etag });
    expect(old.status).to.equal(200);
    await flagged();
    await tell("account_update", { event: "ACCOUNT_VIOLATION" }, { time: 1_760_000_100 });
    const third = await movedOn(id, second.etag);
    expect([third.json.cuenta.evento, third.json.version]).to.deep.equal(["ACCOUNT_VIOLATION", first.json.version + 2]);
  });

  it("rises when a phone connects or disconnects, but a change of the record from before is still accepted", async () => {
    await connect(false);
    const { id } = (await ask("POST", "", instance)).json;
    const first = await shown(id);
    expect((await ask("GET", `/${id}/qr.png`)).status).to.equal(200);
    const pairing = await shown(id);
    expect([pairing.json.state, pairing.etag === first.etag]).to.deep.equal(["connecting", false]);
    await connect(true);
    const open = await movedOn(id, pairing.etag);
    expect(open.json.state).to.equal("open");

    const renamed = await ask("PUT", `/${id}`, { ...instance, name: "Tienda" }, { "if-match": first.etag });
    expect([renamed.status, renamed.json.name], renamed.text).to.deep.equal([200, "Tienda"]);
    for (const etag of [first.etag, open.etag]) {
      const late = await ask("PUT", `/${id}`, { ...instance, name: "Otra" }, { "if-match": etag });
      expect([late.status, late.json.code]).to.deep.equal([412, "moved_on"]);
    }
    await connect(false);
    const lost = await movedOn(id, renamed.headers.etag ?? "");
    const late = await ask("PUT", `/${id}`, { ...instance, name: "Otra" }, { "if-match": open.etag });
    expect([late.status, lost.json.state === "open"]).to.deep.equal([412, false]);
    const sure = await ask("PUT", `/${id}`, { ...instance, name: "Otra" }, { "if-match": lost.etag });
    expect(sure.status).to.equal(200);
  });
});
