import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { eventually } from "../support/wait.ts";
import type { Heard } from "../support/world.ts";
import { Inbox, people, sales, support } from "./inbox-support.ts";

const { ana, carl } = people;
const ventas = 951;
const soporte = 952;

/** Each test holds a lock, lets one or two requests wait for it, one after the other, and then releases it. */
describe("two requests that wait for the same lock", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
    await inbox.world.rows(
      `insert into steps (business_id, id, name, identifier, type, content, department_id)
       values (1, $1, 'Ventas', 'paso-951', 'ticket', 'Bienvenido', $2),
              (1, $3, 'Soporte', 'paso-952', 'ticket', 'Bienvenido', $4)`,
      [ventas, sales, soporte, support],
    );
  });
  after(() => inbox.stop());
  beforeEach(() => inbox.world.rows("update users set available = false where business_id = 1"));
  afterEach(async () => {
    await inbox.flag("agents_see", null);
    await inbox.world.rows("delete from waiting_tickets where business_id = 1");
  });

  type Ask = (text: string, values?: readonly unknown[]) => Promise<object[]>;
  const holding = (work: (ask: Ask) => Promise<unknown>): Promise<unknown> =>
    inbox.world.database.transaction((transaction) =>
      work((text, values = []) => transaction.rows({ name: "", text }, values)),
    );
  /** Waits until this many statements wait for locks. */
  const wait = (count: number): Promise<unknown> => eventually(async () => (await lockWaits(inbox.world)) === count);
  const lockChat = "select from chats where business_id = 1 and id = $1 for no key update";
  const lockConversation =
    "select from conversations where business_id = 1 and chat_id = $1 and closed_at is null for no key update";
  const makeAvailable = (...ids: number[]) =>
    inbox.world.rows("update users set available = id = any($1) where business_id = 1", [ids]);
  const asksFor = (stepId: number, phone: string) =>
    inbox.world.post(`/chats/crear/ticket/business/${stepId}`, { empresa_id: 1, phone_number: phone });
  const say = (phone: string, text: string) =>
    inbox.world.control("POST", `/customers/${phone}/say`, { text, to: "number-1" });
  const textsOf = async (chatId: number): Promise<string[]> =>
    (await inbox.done("key", "GET", `/chats/${chatId}/messages`)).data.map(({ texto }: { texto: string }) => texto);
  const close = (chatId: number) => inbox.done("key", "POST", `/chats/${chatId}/close`, { ticket: "completado" });

  it("let an agent keep a closed chat that the agent takes while its customer writes (Inbox.31)", async () => {
    const { chatId, phone } = await inbox.customerWrites("hola");
    await close(chatId);
    let taking: Promise<unknown> | undefined;
    await holding(async (ask) => {
      await ask(lockChat, [chatId]);
      taking = inbox.done(ana, "POST", `/chats/${chatId}/take`);
      await wait(1);
      await say(phone, "otra cosa");
      await wait(2);
    });
    await taking;
    await eventually(async () => (await textsOf(chatId)).includes("otra cosa"));
    expect(await inbox.chat("key", chatId)).to.deep.include({ soporte_id: ana, estado: "proceso" });
  });

  for (const [what, act] of [
    ["is taken", (chatId: number) => inbox.done(carl, "POST", `/chats/${chatId}/take`)],
    ["is closed", close],
  ] as const) {
    it(`give no ticket to a chat that ${what} while waiting tickets are assigned`, async () => {
      await inbox.flag("agents_see", "all");
      const { chatId, phone } = await inbox.customerWrites("quiero un agente");
      await asksFor(ventas, phone);
      await resolve(inbox.world.container, tokens.sendMessage).idle();
      await makeAvailable(ana);
      const before = await textsOf(chatId);
      let acting: Promise<{ soporte_id: number | null; estado: string }> | undefined;
      let giving: Promise<number> | undefined;
      await holding(async (ask) => {
        await ask(lockConversation, [chatId]);
        acting = act(chatId);
        await wait(1);
        giving = resolve(inbox.world.container, tokens.assignWaitingTickets).executeFor(1);
        await wait(2);
      });
      const { soporte_id, estado } = (await acting) ?? {};
      expect(await giving).to.equal(0);
      const chat = await inbox.chat("key", chatId);
      expect(chat).to.deep.include({ soporte_id, estado, ticket: null, tickets: [] });
      expect(await textsOf(chatId)).to.deep.equal(before);
    });
  }

  it("put a ticket into a new conversation if the chat is closed meanwhile", async () => {
    await makeAvailable(ana);
    const { chatId, phone } = await inbox.customerWrites("quiero un agente");
    let closing: Promise<unknown> | undefined;
    let asking: ReturnType<typeof asksFor> | undefined;
    await holding(async (ask) => {
      await ask(lockConversation, [chatId]);
      closing = close(chatId);
      await wait(1);
      asking = asksFor(ventas, phone);
      await wait(2);
    });
    await closing;
    expect((await asking)?.json).to.deep.include({ success: true, chat_id: chatId });
    const chat = await inbox.chat("key", chatId);
    expect(chat).to.deep.include({ soporte_id: ana, estado: "pendiente" });
    expect(chat.ticket.estado).to.equal("pendiente");
  });

  it("announce an answer to the agent who has the chat when it is sent, not to the earlier one", async () => {
    await inbox.flag("agents_see", "own");
    const { chatId } = await inbox.customerWrites("hola");
    await inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id: ana });
    const [ofAna, ofCarl] = [await inbox.world.listen(ana), await inbox.world.listen(carl)];
    const isAnswer = ({ name, payload }: Heard) => name === "message:new" && payload.chat_id === chatId;
    // This test uses a refused message, because the platform sends no status for it. The status of an accepted message
    // could arrive before the platform's answer.
    const refusal = { code: 131026, status: 400, delay_ms: 700, path: "messages" };
    await inbox.world.control("POST", "/faults", refusal);
    const answering = inbox.done("key", "POST", `/chats/${chatId}/messages`, { texto: "Un momento" });
    await holding(async (ask) => {
      const sending = "select from messages where business_id = 1 and chat_id = $1 and state = 'sending'";
      await eventually(async () => (await ask(sending, [chatId])).length > 0);
      await ask(lockChat, [chatId]);
      await wait(1);
      await ask("update chats set support_user_id = $2 where business_id = 1 and id = $1", [chatId, carl]);
    });
    await answering;
    await ofCarl.hears(isAnswer);
    await inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id: ana });
    await ofAna.hears(({ name, payload }) => name === "chat:changed" && payload.chat_id === chatId);
    expect(ofAna.heard.filter(isAnswer)).to.deep.equal([]);
  });

  it("put a note into the conversation that is open when it is stored (Inbox.23)", async () => {
    const { chatId } = await inbox.customerWrites("hola");
    let noting: Promise<unknown> | undefined;
    await holding(async (ask) => {
      await ask("update conversations set closed_at = now() where business_id = 1 and chat_id = $1", [chatId]);
      noting = inbox.done(ana, "POST", `/chats/${chatId}/messages`, { nota: "Ojo" });
      await wait(1);
      await ask("insert into conversations (business_id, chat_id, state) values (1, $1, 'bot')", [chatId]);
    });
    await noting;
    const rows = await inbox.world.rows<{ is_open: boolean }>(
      `select conversation.closed_at is null as is_open
       from messages as message
       join conversations as conversation
         on conversation.business_id = message.business_id and conversation.id = message.conversation_id
       where message.business_id = 1 and message.chat_id = $1 and message.kind = 'note'`,
      [chatId],
    );
    expect(rows).to.deep.equal([{ is_open: true }]);
  });

  it("leave a waiting chat in its department when its customer writes at that moment", async () => {
    const { chatId, phone } = await inbox.customerWrites("quiero un agente");
    let asking: Promise<unknown> | undefined;
    await holding(async (ask) => {
      await ask(lockChat, [chatId]);
      asking = asksFor(soporte, phone);
      await wait(1);
      await say(phone, "¿hola?");
      await wait(2);
    });
    await asking;
    await eventually(async () => (await textsOf(chatId)).includes("¿hola?"));
    await inbox.refused(404, "chat_not_found", ana, "GET", `/chats/${chatId}`);
    expect(await inbox.chat(carl, chatId)).to.include({ chat_id: chatId });
  });

  it("answer a returning agent before waiting chats are assigned (Inbox.48)", async () => {
    const { chatId } = await inbox.customerWrites("espero");
    await inbox.done("key", "POST", `/chats/${chatId}/assign`, { departamento_id: support });
    await holding(async (ask) => {
      await ask(lockConversation, [chatId]);
      const me = await inbox.done(carl, "PUT", "/me/available", { disponible: true });
      expect(me).to.deep.include({ id: carl, disponible: true });
      await wait(1);
    });
    await eventually(async () => (await inbox.chat("key", chatId)).soporte_id === carl);
  });
});
