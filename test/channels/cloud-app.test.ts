import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { type Listener, startWorld, type World } from "../support/world.ts";

describe("a number that is used on the cloud channel and in the business app", () => {
  let world: World;
  let admin: Listener;
  before(async () => {
    world = await startWorld({
      environment: { ROLE: "api" },
      configure: (config) => ({ ...config, metricsKey: "metrics key for tests" }),
    });
    admin = await world.listen(101);
  });
  after(() => world.stop());

  const phone = "59170000101";
  const now = () => String(Math.floor(Date.now() / 1_000));
  const about = (field: string, value: object) => ({
    object: "whatsapp_business_account",
    entry: [
      {
        id: "account-1",
        changes: [{ field, value: { metadata: { phone_number_id: "number-1" }, ...value } }],
      },
    ],
  });
  const tell = async (field: string, value: object): Promise<void> => {
    expect((await world.webhook(about(field, value))).status).to.equal(200);
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  };
  const echo = (id: string, body: string) => ({
    message_echoes: [{ from: "59120000001", to: phone, id, timestamp: now(), type: "text", text: { body } }],
  });
  const thread = async (): Promise<Answer["json"][]> =>
    (await request(`${world.api}/chats/101/messages`, { headers: { "x-api-key": world.appKey(1) } })).json.data;

  it("shows the app's messages once, announces them, and does not send them again", async () => {
    const before = await world.rows("select unread from chats where business_id = 1 and id = 101");
    await tell("smb_message_echoes", echo("wamid.app-1", "Te llamo en cinco minutos"));
    await tell("smb_message_echoes", echo("wamid.app-1", "Te llamo en cinco minutos"));
    const shown = (await thread()).filter(({ texto }) => texto === "Te llamo en cinco minutos");
    expect(shown).to.have.length(1);
    expect(shown[0]).to.include({ direccion: "saliente", estado: "sent", platform_message_id: "wamid.app-1" });
    await admin.hears(({ name, payload }) => name === "message:new" && payload.mensaje.id === shown[0].id);
    expect(await world.control("GET", `/messages?to=${phone}`)).to.deep.equal([]);
    expect(await world.rows("select unread from chats where business_id = 1 and id = 101")).to.deep.equal(before);

    await tell("messages", {
      statuses: [{ id: "wamid.app-1", status: "read", timestamp: now(), recipient_id: phone }],
    });
    expect((await thread()).find(({ id }) => id === shown[0].id)?.estado).to.equal("read");
  });

  it("shows no messages from before it was connected as new", async () => {
    const before = await thread();
    const messages = [{ from: phone, id: "wamid.old", timestamp: now(), type: "text", text: { body: "de antes" } }];
    await tell("history", { messages, history: [{ threads: [{ id: phone, messages }] }] });
    await tell("smb_app_state_sync", { state_sync: [{ type: "contact", action: "add" }], messages });
    expect(await thread()).to.deep.equal(before);
  });

  it("shows no messages from unknown webhook fields, and counts such webhooks", async () => {
    const counted = async () => {
      const { text } = await request(`${world.api}/metrics`, {
        headers: { authorization: "Bearer metrics key for tests" },
      });
      return Number(/^webhooks_ignored_total\{channel="platform-apicloud"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const [before, shown] = [await counted(), await thread()];
    const messages = [
      { from: phone, id: "wamid.odd", timestamp: now(), type: "text", text: { body: "de otro campo" } },
    ];
    const odd = ["weird_field", "constructor", "", "__proto__", "history"].map((field) => about(field, { messages }));
    for (const webhook of [...odd, {}, { entry: [] }]) expect((await world.webhook(webhook)).status).to.equal(200);
    expect(await counted()).to.equal(before + odd.length + 2);
    // The unknown field now comes in the same webhook as a known field.
    const read = about("messages", { messages: [{ ...messages[0], id: "wamid.even", text: { body: "de su campo" } }] });
    const entry = [...(odd[0]?.entry ?? []), ...read.entry];
    expect((await world.webhook({ ...read, entry })).status).to.equal(200);
    await eventually(async () => (await thread()).length === shown.length + 1);
    expect((await thread())[0].texto).to.equal("de su campo");
    expect(await counted()).to.equal(before + odd.length + 2);
  });

  it("removes the content of a message that its customer withdraws", async () => {
    const from = { from: phone, timestamp: now() };
    await tell("messages", {
      messages: [{ ...from, id: "wamid.wrong", type: "text", text: { body: "al chat equivocado" } }],
    });
    const revoke = { original_message_id: "wamid.wrong" };
    await tell("messages", { messages: [{ ...from, id: "wamid.revoke", type: "revoke", revoke }] });
    const all = await thread();
    expect(JSON.stringify(all)).to.not.include("equivocado");
    expect(all.find(({ platform_message_id: id }) => id === "wamid.wrong")?.detalles).to.deep.equal({
      eliminado: true,
    });
    expect(all.some(({ platform_message_id: id }) => id === "wamid.revoke")).to.equal(false);
  });
});
