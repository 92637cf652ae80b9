import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { World } from "../support/world.ts";
import { accounts, type Place, startWithPages } from "./pages-support.ts";

describe("the delivery of messages of pages and photo accounts", () => {
  let world: World;
  before(async () => {
    world = await startWithPages({ configure: (config) => ({ ...config, metricsKey: "metrics key for tests" }) });
  });
  after(() => world.stop());

  let count = 1;
  const newCustomer = (): string => `2700000000000${String(count++).padStart(4, "0")}`;
  const chatOf = (customer: string) =>
    eventually(async () => {
      const { json } = await world.get("/chats?limit=100");
      return json.data.find((each: Answer["json"]) => each.contacto.platform_id === customer);
    });
  const threadOf = async (chatId: number): Promise<Answer["json"][]> =>
    (await world.get(`/chats/${chatId}/messages`)).json.data;
  const tell = (place: Place, customer: string, input: object) =>
    world.control("POST", `/customers/${customer}/say`, { to: accounts[place], channel: place, ...input });
  const says = async (place: Place, customer: string, input: object): Promise<{ id: string; chatId: number }> => {
    const { id } = await tell(place, customer, input);
    const { chat_id: chatId } = await chatOf(customer);
    return { id, chatId };
  };
  const answers = async (chatId: number, body: object): Promise<Answer["json"]> =>
    (await world.post(`/chats/${chatId}/messages`, body)).json;
  const allProcessed = () => eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);

  for (const place of ["page", "photo"] as const) {
    describe(`on ${place}`, () => {
      it("ends with read, and its echo creates no second message", async () => {
        const { chatId } = await says(place, newCustomer(), { text: "Hola" });
        const { id } = await answers(chatId, { texto: "¡Hola! ¿En qué te ayudo?" });
        await eventually(async () => (await threadOf(chatId)).find((each) => each.id === id)?.estado === "read");
        await allProcessed();
        expect((await threadOf(chatId)).map(({ texto }) => texto)).to.deep.equal(["¡Hola! ¿En qué te ayudo?", "Hola"]);
      });

      it("is settled by its echo if the platform's answer was lost", async () => {
        const { chatId } = await says(place, newCustomer(), { text: "Hola" });
        await world.control("POST", "/faults", { path: "page_messages", reset: true, accept: true });
        const sent = await answers(chatId, { texto: "Sí, la tenemos" });
        expect(sent.estado).to.be.oneOf(["unknown", "sent", "delivered", "read"]);
        await eventually(async () => (await threadOf(chatId)).find((each) => each.id === sent.id)?.estado === "read");
        expect(await threadOf(chatId)).to.have.length(2);
      });

      it("shows messages from the platform's own app once", async () => {
        const customer = newCustomer();
        const { chatId } = await says(place, customer, { text: "Hola" });
        const before = await chatOf(customer);
        await world.control("POST", `/pages/${accounts[place]}/customers/${customer}/write`, {
          text: "Te escribo desde la app",
          repeat: 3,
        });
        const shown = await eventually(async () =>
          (await threadOf(chatId)).find((each) => each.direccion === "saliente"),
        );
        await allProcessed();
        expect(shown).to.include({ texto: "Te escribo desde la app", autor: "empresa", tipo: "text" });
        expect(await threadOf(chatId)).to.have.length(2);
        const after = await chatOf(customer);
        expect([after.no_leidos, after.ventana_hasta]).to.deep.equal([before.no_leidos, before.ventana_hasta]);
      });

      it("stores the ad of a customer who comes from it without a message", async () => {
        const customer = newCustomer();
        const { chatId } = await says(place, customer, { text: "Hola" });
        await tell(place, customer, { referral: { source: "ADS", type: "OPEN_THREAD", ad_id: "9099" } });
        await eventually(async () => (await world.get(`/chats/${chatId}`)).json.anuncio?.ad_id === "9099");
      });
    });
  }

  it("removes what the customer withdrew, and counts no missing parts of the message as unknown", async () => {
    const dropped = async () => {
      const headers = { authorization: "Bearer metrics key for tests" };
      const { text } = await request(`${world.api}/metrics`, { headers });
      return text.split("\n").filter((line) => /^webhooks?_(news_)?(dropped|ignored).*photo/.test(line));
    };
    const customer = newCustomer();
    const { id, chatId } = await says("photo", customer, { text: "Me equivoqué" });
    const before = await dropped();
    await tell("photo", customer, { unsend: id });
    await eventually(async () => (await threadOf(chatId))[0].texto === "");
    await allProcessed();
    expect(await dropped()).to.deep.equal(before);
  });
});
