import { expect } from "chai";
import { Inbox, people } from "./inbox-support.ts";

describe("quick replies", () => {
  let inbox: Inbox;
  let made = 0;
  before(async () => {
    inbox = await Inbox.start();
  });
  after(() => inbox.stop());

  /** A chat whose customer has just written. The chat's contact has this name and these fields. */
  const chatWith = async (name: string, fields: object) => {
    const { chatId, phone } = await inbox.customerWrites("hola");
    await inbox.world.rows(
      `update contacts set name = $2, fields = $3 from chats as chat
       where contacts.business_id = 1 and chat.business_id = 1 and chat.id = $1 and contacts.id = chat.contact_id`,
      [chatId, name, JSON.stringify(fields)],
    );
    return { chatId, phone };
  };
  const reply = async (text: string): Promise<number> => {
    made += 1;
    const [row] = await inbox.world.rows<{ id: number }>(
      "insert into quick_replies (business_id, shortcut, body) values (1, $1, $2) returning id",
      [`r${made}`, text],
    );
    return row?.id ?? 0;
  };
  const said = async (who: number | "key", chatId: number, text: string): Promise<string> =>
    (await inbox.done(who, "POST", `/chats/${chatId}/messages`, { respuesta_rapida_id: await reply(text) })).texto;

  it("fill in values of the contact, the agent and the business (Inbox.54)", async () => {
    const { chatId, phone } = await chatWith("Carla", { ciudad: "La Paz", "Fecha de entrega": "lunes" });
    const text =
      "{{contacto.nombre}} ({{contacto.numero}}) de {{ contacto.ciudad }}: {{contacto.fecha de entrega}}. " +
      "{{Agente.Nombre}}, {{negocio.nombre}}";
    const [agent] = await inbox.world.rows<{ name: string }>(
      "select name from users where business_id = 1 and id = $1",
      [people.ana],
    );
    const filled = `Carla (${phone}) de La Paz: lunes. ${agent?.name}, Negocio 1`;
    expect(await said(people.ana, chatId, text)).to.equal(filled);
    const [sent] = (await inbox.sentTo(phone)).slice(-1);
    expect(sent.text).to.equal(filled);
  });

  it("leave unknown placeholders empty, and do not fill in placeholders inside values", async () => {
    const { chatId } = await chatWith("{{negocio.nombre}}", { ciudad: "{{agente.nombre}}" });
    const text = "[{{contacto.apodo}}][{{pedido.total}}][{{x}}][{{contacto.nombre}}][{{contacto.ciudad}}] {1} {{ }}";
    expect(await said(people.ana, chatId, text)).to.equal("[][][][{{negocio.nombre}}][{{agente.nombre}}] {1} ");
    expect(await said("key", chatId, "De {{agente.nombre}}.")).to.equal("De .");
    expect(await said("key", chatId, "{{contacto.constructor}}.")).to.equal(".");
  });

  it("are refused if they become empty", async () => {
    const { chatId } = await chatWith("Carla", {});
    await inbox.refused(409, "quick_reply_empty", people.ana, "POST", `/chats/${chatId}/messages`, {
      respuesta_rapida_id: await reply(" {{contacto.ciudad}} "),
    });
  });
});
