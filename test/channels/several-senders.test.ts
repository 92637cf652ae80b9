import { expect } from "chai";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { knowSender } from "../administration/sender-platforms.ts";
import { connectChannels, onEveryChannel, providers } from "../support/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aTemplate, type Listener, startWorld, type World } from "../support/world.ts";

type Json = Answer["json"];

const administrator = 101;
const senders = {
  cloud: ["number-1", "number-1-second"],
  page: ["104000000000001", "104000000000021"],
  photo: ["178400000000001", "178400000000021"],
  qr: ["phone-1", "phone-1-second"],
} as const;
type Doubled = keyof typeof senders;
const doubled = Object.keys(senders) as Doubled[];

describe("a business with several senders on a channel", () => {
  let world: World;
  let listener: Listener;
  before(async () => {
    const business = onEveryChannel(1, { templates: [aTemplate(11)] });
    const others = (business.otherSenders ?? []).flatMap((sender, index) => {
      const second = doubled.find((channel) => providers[channel] === sender.channel);
      const again = { ...sender, platformId: second ? senders[second][1] : "", phone: `5912300000${index}` };
      return second ? [sender, again] : [sender];
    });
    const businesses = [{ ...business, otherSenders: others }, onEveryChannel(2)];
    world = await startWorld({ businesses });
    await connectChannels(world, businesses);
    const added = [
      { id: senders.cloud[1], account: "account-1", phone: "59124000001" },
      { id: "number-1-elsewhere", account: "account-1-elsewhere", phone: "59124000002" },
    ];
    for (const { id, account, phone } of added) {
      const number = { provider: providers.cloud, platform_id: id, account_id: account, phone, token: `token-${id}` };
      await knowSender(world, number);
      const headers = { "x-api-key": world.appKey(1) };
      const { status, text } = await request(`${world.api}/admin/senders`, { method: "POST", headers, body: number });
      expect(status, text).to.equal(201);
    }
    listener = await world.listen(administrator);
  });
  after(() => world.stop());

  let customers = 0;
  const newCustomer = (): string => `5917300${String(++customers).padStart(4, "0")}`;
  const say = async (channel: CustomerChannel, customer: string, to: string, input: object = {}): Promise<Json> => {
    const said = { channel, to, text: "Hola", ...input };
    const { id } = await world.control("POST", `/customers/${customer}/say`, said);
    const isIt = ({ mensaje }: Json) => mensaje.platform_message_id === id;
    return (await listener.hears(({ name, payload }) => name === "message:new" && isIt(payload))).payload;
  };
  const post = (path: string, body: object) =>
    request(world.api + path, { method: "POST", headers: { "x-api-key": world.appKey(1) }, body });
  const answer = async (chatId: number, body: object = { texto: "Te leemos" }): Promise<Json> => {
    const { status, json, text } = await post(`/chats/${chatId}/messages`, body);
    expect([status, json?.error], text).to.deep.equal([201, null]);
    return json;
  };
  const sentTo = async (customer: string): Promise<string[]> =>
    (await world.control("GET", `/messages?to=${customer}`)).map(({ from }: Json) => from);
  const readBy = async (customer: string, messageId: string): Promise<Json[]> => {
    const all = await world.control("GET", "/reads");
    return all.filter((read: Json) => read.customer === customer || read.message_id === messageId);
  };

  for (const channel of doubled) {
    const [first, second] = senders[channel];

    it(`answers a customer on ${channel} from the sender that they wrote to last`, async () => {
      const customer = newCustomer();
      const { chat_id: chatId } = await say(channel, customer, second);
      await answer(chatId);
      expect(await sentTo(customer)).to.deep.equal([second]);
      const { chat_id: again } = await say(channel, customer, first);
      await answer(again);
      expect(await sentTo(customer)).to.deep.equal([second, first]);
    });

    it(`tells the customer on ${channel} from that sender that they were read`, async () => {
      const customer = newCustomer();
      const { chat_id: chatId, mensaje } = await say(channel, customer, second);
      await post(`/chats/${chatId}/read`, { hasta: mensaje.id });
      const [read] = await eventually(async () => {
        const reads = await readBy(customer, mensaje.platform_message_id);
        return reads.length > 0 && reads;
      });
      expect(read?.phoneNumberId).to.equal(second);
    });
  }

  it("answers from the sender of the customer's latest message, even if an older message arrives after it", async () => {
    const customer = newCustomer();
    const now = Math.floor(Date.now() / 1000);
    const { chat_id: chatId } = await say("qr", customer, senders.qr[1], { timestamp: now });
    await say("qr", customer, senders.qr[0], { timestamp: now - 60 });
    await answer(chatId);
    expect(await sentTo(customer)).to.deep.equal([senders.qr[1]]);
  });

  it("answers from the sender that the customer reacted to last", async () => {
    const customer = newCustomer();
    const { chat_id: chatId } = await say("qr", customer, senders.qr[1]);
    const { platform_message_id: id } = await answer(chatId);
    await say("qr", customer, senders.qr[0]);
    const reaction = { channel: "qr", to: senders.qr[1], message_id: id, emoji: "👍" };
    await world.control("POST", `/customers/${customer}/react`, reaction);
    await listener.hears(
      ({ name, payload }) => name === "message:changed" && payload.mensaje.platform_message_id === id,
    );
    await answer(chatId);
    expect(await sentTo(customer)).to.deep.equal([senders.qr[1], senders.qr[1]]);
  });

  it("asks for the name of a customer of its second page with that page's token", async () => {
    const customer = newCustomer();
    await say("page", customer, senders.page[1], { name: "Ana Rojas" });
    await listener.hears(
      ({ name, payload }) =>
        name === "contact:changed" &&
        payload.contacto.platform_id === customer &&
        payload.contacto.nombre === "Ana Rojas",
    );
  });

  it("answers from its first sender once the other one was deleted", async () => {
    const customer = newCustomer();
    const { chat_id: chatId } = await say("qr", customer, senders.qr[1]);
    await world.rows("update chats set sender = 'gone' where id = $1", [chatId]);
    await answer(chatId);
    expect(await sentTo(customer)).to.deep.equal([senders.qr[0]]);
  });

  it("sends a template from the number that the customer wrote to, if its account has the template", async () => {
    const template = { plantilla_id: 11, parameters: ["Ana", "7"] };
    const [same, other] = [newCustomer(), newCustomer()];
    await answer((await say("cloud", same, senders.cloud[1])).chat_id, template);
    expect(await sentTo(same)).to.deep.equal([senders.cloud[1]]);
    const { chat_id: chatId } = await say("cloud", other, "number-1-elsewhere");
    await answer(chatId, template);
    expect(await sentTo(other)).to.deep.equal([senders.cloud[0]]);
    // Free text can only be sent from the number with the open service window.
    await answer(chatId);
    expect(await sentTo(other)).to.deep.equal([senders.cloud[0], "number-1-elsewhere"]);
  });

  it("keeps a sender while open chats are answered from it", async () => {
    const { chat_id: chatId } = await say("photo", newCustomer(), senders.photo[1]);
    await world.rows("update chats set state = 'closed' where provider = $1 and id <> $2", [providers.photo, chatId]);
    const found = await world.rows<{ id: number }>("select id from senders where platform_id = any($1) order by id", [
      senders.photo,
    ]);
    const remove = async (id = 0): Promise<Json> =>
      (
        await request(`${world.api}/admin/senders/${id}`, {
          method: "DELETE",
          headers: { "x-api-key": world.appKey(1) },
        })
      ).json;
    expect((await remove(found[1]?.id)).usos).to.deep.equal([{ tipo: "chats", cantidad: 1 }]);
    await post(`/chats/${chatId}/close`, { ticket: "completado" });
  });
});
