import { expect } from "chai";
import type { Answer } from "../support/http.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { eventually } from "../support/wait.ts";
import type { Listener } from "../support/world.ts";
import { Inbox, people, sales, support } from "./inbox-support.ts";

describe("acting on chats", () => {
  let inbox: Inbox;
  let admin: Listener;
  before(async () => {
    inbox = await Inbox.start();
    admin = await inbox.world.listen(people.admin);
    await inbox.world.rows(
      `insert into steps (business_id, id, name, identifier, type, department_id)
       values (1, 901, 'Paso', 'paso', 'ticket', $1)`,
      [sales],
    );
    await inbox.world.rows(
      `insert into quick_replies (business_id, id, shortcut, body)
       values (1, 901, 'hola', '¡Hola! ¿En qué te ayudo?')`,
    );
    await inbox.world.rows(
      "insert into quick_replies (business_id, id, shortcut, body) values (2, 902, 'hola', 'De otro negocio')",
    );
  });
  after(() => inbox.stop());

  const told = async (name: string, chatId: number, matches: (payload: Answer["json"]) => boolean = () => true) =>
    (await admin.hears((event) => event.name === name && event.payload.chat_id === chatId && matches(event.payload)))
      .payload;
  const messages = async (chatId: number): Promise<Answer["json"][]> =>
    (await inbox.done("key", "GET", `/chats/${chatId}/messages`)).data;
  const say = (who: number | "key", chatId: number, body: object) =>
    inbox.done(who, "POST", `/chats/${chatId}/messages`, body);
  const act = (who: number | "key", chatId: number, action: string, body?: object) =>
    inbox.done(who, "POST", `/chats/${chatId}/${action}`, body);
  const withTicket = async () => {
    const { chatId, phone } = await inbox.customerWrites("quiero comprar");
    await inbox.world.rows("update users set available = id = $1 where business_id = 1", [people.ana]);
    await inbox.world.post("/chats/crear/ticket/business/901", { empresa_id: 1, phone_number: phone });
    return { chatId, phone };
  };
  const tickets = async (chatId: number) =>
    (await inbox.chat("key", chatId)).tickets.map(({ estado, agente }: { estado: string; agente: { id: number } }) => [
      estado,
      agente.id,
    ]);

  describe("taking", () => {
    it("assigns the chat, marks its conversation and tickets as in progress, and notifies everyone (Inbox.34)", async () => {
      const { chatId } = await withTicket();
      const chat = await act(people.ana, chatId, "take");
      expect(chat).to.deep.include({ soporte_id: people.ana, estado: "proceso" });
      expect(chat.ticket.estado).to.equal("proceso");
      const event = await told("chat:changed", chatId, ({ estado }) => estado === "proceso");
      expect(event.version).to.equal(chat.version);
      expect(event).not.to.have.any.keys("audience", "was");
      expect((await told("ticket:changed", chatId)).estado).to.equal("proceso");
    });

    it("lets exactly one of many users win, and tells the others who it was (Inbox.34)", async () => {
      await inbox.flag("agents_see", "all");
      const { chatId } = await inbox.customerWrites("¿hay alguien?");
      const agents = [people.ana, people.bea, people.carl];
      const answers = await Promise.all(
        [...agents, ...agents].map(async (who) => ({
          who,
          ...(await inbox.ask(who, "POST", `/chats/${chatId}/take`)),
        })),
      );
      const winner = (await inbox.chat("key", chatId)).soporte_id;
      for (const { who, status, json } of answers) {
        expect(status, String(who)).to.equal(who === winner ? 200 : 409);
        if (who !== winner) {
          expect(json.code).to.equal("chat_taken");
          expect(json.soporte.id).to.equal(winner);
        }
      }
      await inbox.flag("agents_see", null);
    });

    it("puts a chat to which only a campaign has written into the lists of the one who has it", async () => {
      const { chatId } = await inbox.customerWrites("de una campaña");
      await inbox.world.rows("update chats set last_message_at = null where business_id = 1 and id = $1", [chatId]);
      const listed = async (): Promise<number[]> =>
        (await inbox.done(people.ana, "GET", "/chats?soporte=me&limit=100")).data.map(
          ({ chat_id }: { chat_id: number }) => chat_id,
        );
      expect(await listed()).not.to.include(chatId);
      await act(people.ana, chatId, "take");
      expect(await listed()).to.include(chatId);
    });

    it("answers 200 for the user's own chat, 403 for a key, and 404 for a hidden chat (Inbox.35)", async () => {
      const { chatId } = await inbox.customerWrites("mío");
      const first = await act(people.ana, chatId, "take");
      expect((await act(people.ana, chatId, "take")).version).to.equal(first.version);
      await inbox.refused(403, "forbidden", "key", "POST", `/chats/${chatId}/take`);
      // The answer is 409 and not 404, since Carl could see the chat if no agent had it.
      await inbox.refused(409, "chat_taken", people.carl, "POST", `/chats/${chatId}/take`);
      await inbox.flag("agents_see", "own");
      await inbox.refused(404, "chat_not_found", people.carl, "POST", `/chats/${chatId}/take`);
      await inbox.flag("agents_see", null);
      await inbox.refused(404, "chat_not_found", people.ana, "POST", "/chats/201/take");
    });

    it("does not block new messages while it waits for the chat", async () => {
      const { chatId, phone } = await inbox.customerWrites("hola");
      let under: Promise<unknown[]> | undefined;
      await inbox.world.database.transaction(async (transaction) => {
        const ask = (text: string, values: unknown[] = []) => transaction.rows({ name: "", text }, values);
        await ask("select from chats where business_id = 1 and id = $1 for no key update", [chatId]);
        const taken = act(people.ana, chatId, "take");
        await eventually(async () => (await lockWaits(inbox.world)) > 0);
        const body = { empresa_id: 1, phone_number: phone, plantilla_id: 101, parameters: ["Ana", "7"] };
        under = Promise.all([taken, inbox.world.post("/chats/enviar/plantilla/business", body)]);
        await eventually(async () => (await inbox.sentTo(phone)).length === 1);
      });
      await under;
      expect((await inbox.chat("key", chatId)).soporte_id).to.equal(people.ana);
    });

    it("reopens the user's own closed chat with a new conversation", async () => {
      const { chatId } = await inbox.customerWrites("cierro y abro");
      await act(people.ana, chatId, "take");
      await act(people.ana, chatId, "close", { ticket: "completado" });
      const chat = await act(people.ana, chatId, "take");
      expect(chat).to.deep.include({ soporte_id: people.ana, estado: "proceso" });
      expect((await inbox.chat("key", chatId)).conversaciones).to.have.length(2);
      expect((await told("chat:changed", chatId, ({ version }) => version === chat.version)).estado).to.equal(
        "proceso",
      );
    });
  });

  describe("answering", () => {
    it("sends a text in the agent's name, takes the chat, and reports the outcome (Inbox.22, Inbox.23)", async () => {
      const { chatId, phone } = await withTicket();
      const message = await say(people.ana, chatId, { texto: "¡Hola! Soy Ana" });
      expect(message).to.deep.include({
        direccion: "saliente",
        tipo: "text",
        texto: "¡Hola! Soy Ana",
        autor: "usuario",
        autor_nombre: "Ana Agente",
        estado: "sent",
        nota: false,
      });
      const [sent] = (await inbox.sentTo(phone)).slice(-1);
      expect(sent.id).to.equal(message.platform_message_id);
      expect(await inbox.chat("key", chatId)).to.deep.include({ soporte_id: people.ana, estado: "proceso" });
      expect(await tickets(chatId)).to.deep.equal([["proceso", people.ana]]);
      await told("message:status", chatId, ({ mensaje_id, estado }) => mensaje_id === message.id && estado === "read");
      expect((await messages(chatId))[0]).to.deep.include({ id: message.id, estado: "read" });
    });

    it("sends once with an Idempotency-Key", async () => {
      const { chatId, phone } = await inbox.customerWrites("una vez");
      const headers = {
        ...(await inbox.headersOf(people.ana)),
        "idempotency-key": "once-1",
        "content-type": "application/json",
      };
      const answers = [];
      for (let n = 0; n < 3; n += 1) {
        const answer = await fetch(`${inbox.world.api}/chats/${chatId}/messages`, {
          method: "POST",
          headers,
          body: JSON.stringify({ texto: "solo una" }),
        });
        answers.push([answer.status, ((await answer.json()) as { id: number }).id]);
      }
      expect(new Set(answers.map(String)).size).to.equal(1);
      expect(await inbox.sentTo(phone)).to.have.length(1);
    });

    it("answers 409 if another agent has the chat, except to administrators and keys (Inbox.23)", async () => {
      const { chatId } = await inbox.customerWrites("de ana");
      await act(people.ana, chatId, "take");
      const refused = await inbox.refused(409, "chat_taken", people.bea, "POST", `/chats/${chatId}/messages`, {
        texto: "yo también",
      });
      expect(refused.soporte).to.deep.equal({ id: people.ana, nombre: "Ana Agente" });
      await inbox.refused(409, "chat_taken", people.bea, "POST", `/chats/${chatId}/messages`, { nota: "hola" });
      expect((await say(people.admin, chatId, { texto: "Ada aquí" })).autor_nombre).to.equal("Ada Admin");
      expect((await say("key", chatId, { texto: "El negocio" })).autor).to.equal("empresa");
      expect((await inbox.chat("key", chatId)).soporte_id).to.equal(people.ana);
    });

    it("stores a note, sends agents its event, and never sends it to the customer (Inbox.26)", async () => {
      const { chatId, phone } = await inbox.customerWrites("nota");
      const note = await say(people.ana, chatId, { nota: "Pidió descuento" });
      expect(note).to.deep.include({ nota: true, tipo: "note", texto: "Pidió descuento", autor: "usuario" });
      expect((await told("message:new", chatId, ({ mensaje }) => mensaje.id === note.id)).mensaje.nota).to.equal(true);
      const row = { id: note.id, nota: true, autor: "usuario", autor_nombre: "Ana Agente" };
      expect((await inbox.chat("key", chatId)).mensaje).to.deep.include(row);
      expect(await inbox.sentTo(phone)).to.deep.equal([]);
      expect((await inbox.chat("key", chatId)).soporte_id).to.equal(null);
    });

    it("can quote a message of the same chat", async () => {
      const { chatId, phone } = await inbox.customerWrites("¿cuánto cuesta?");
      const other = await inbox.customerWrites("otra persona");
      const [question] = await messages(chatId);
      const answer = await say(people.ana, chatId, { texto: "20 Bs", responde_a: question.id });
      expect(answer.responde_a).to.equal(question.id);
      const [sent] = (await inbox.sentTo(phone)).slice(-1);
      expect(sent.context).to.deep.equal({ message_id: question.platform_message_id });
      const [foreign] = await messages(other.chatId);
      await inbox.refused(404, "message_not_found", people.ana, "POST", `/chats/${chatId}/messages`, {
        texto: "no",
        responde_a: foreign.id,
      });
    });

    it("sends a quick reply of the business", async () => {
      const { chatId } = await inbox.customerWrites("rápida");
      expect((await say(people.ana, chatId, { respuesta_rapida_id: 901 })).texto).to.equal("¡Hola! ¿En qué te ayudo?");
      await inbox.refused(404, "quick_reply_not_found", people.ana, "POST", `/chats/${chatId}/messages`, {
        respuesta_rapida_id: 902,
      });
    });

    it("sends free text only in the service window, and templates at any time (Inbox.24, Inbox.25)", async () => {
      const { chatId } = await inbox.customerWrites("ayer");
      await inbox.world.rows(
        "update chats set last_inbound_at = now() - interval '25 hours' where business_id = 1 and id = $1",
        [chatId],
      );
      const before = (await messages(chatId)).length;
      const refused = await inbox.refused(409, "window_closed", people.ana, "POST", `/chats/${chatId}/messages`, {
        texto: "hola",
      });
      expect(refused.error).to.include("plantilla");
      // The chat cannot be answered, so the service does not even request the file.
      await inbox.refused(409, "window_closed", people.ana, "POST", `/chats/${chatId}/messages`, {
        media_url: "https://no-such-host.invalid/a.png",
      });
      expect(await messages(chatId)).to.have.length(before);
      expect((await inbox.chat("key", chatId)).soporte_id).to.equal(null);
      const sent = await say(people.ana, chatId, { plantilla_id: 101, parameters: ["Ana", "7"] });
      expect(sent).to.deep.include({ tipo: "template", estado: "sent", texto: "Hola Ana, tu pedido 7 está listo." });
      await inbox.refused(409, "template_not_approved", people.ana, "POST", `/chats/${chatId}/messages`, {
        plantilla_id: 102,
        parameters: ["a", "b"],
      });
      await inbox.refused(404, "template_not_found", people.ana, "POST", `/chats/${chatId}/messages`, {
        plantilla_id: 201,
      });
    });

    it("counts templates against the monthly limit, but not those that the platform refused (Inbox.25)", async () => {
      const { chatId } = await inbox.customerWrites("límite");
      await inbox.world.rows("delete from template_usage where business_id = 1", []);
      await inbox.world.rows(
        `update businesses set feature_flags = feature_flags || '{"monthly_template_limit": 1}' where id = 1`,
        [],
      );
      const template = { plantilla_id: 101, parameters: ["a", "b"] };
      await inbox.world.control("POST", "/faults", { code: 131026, status: 400, path: "messages" });
      const refused = await say(people.ana, chatId, template);
      expect([refused.estado, refused.error.codigo]).to.deep.equal(["failed", 131026]);
      expect((await say(people.ana, chatId, template)).estado).to.equal("sent");
      const path = `/chats/${chatId}/messages`;
      await inbox.refused(409, "limit_reached", people.ana, "POST", path, template);
      await inbox.flag("monthly_template_limit", null);
    });

    it("leaves a message with a lost answer unknown until its delivery status settles it (Inbox.22)", async () => {
      const { chatId } = await inbox.customerWrites("¿llegó?");
      await inbox.world.control("POST", "/faults", { reset: true, accept: true, path: "messages" });
      const message = await say(people.ana, chatId, { texto: "sí" });
      expect(message.estado).to.equal("unknown");
      expect(message.error).to.deep.equal({
        codigo: null,
        motivo: "No se sabe si el mensaje llegó: la plataforma no confirmó el envío",
      });
      await told("message:status", chatId, ({ mensaje_id, estado }) => mensaje_id === message.id && estado === "read");
    });

    it("refuses bodies without content or with too much", async () => {
      const { chatId } = await inbox.customerWrites("vacío");
      for (const body of [
        {},
        { texto: "" },
        { texto: " " },
        { texto: "a", nota: "b" },
        { plantilla_id: 101, respuesta_rapida_id: 901 },
        { texto: 5 },
      ]) {
        await inbox.refused(400, "invalid_input", people.ana, "POST", `/chats/${chatId}/messages`, body);
      }
    });

    it("names the fields that do not go together", async () => {
      const { chatId } = await inbox.customerWrites("junto");
      for (const other of [{ nota: "x" }, { respuesta_rapida_id: 901 }]) {
        const body = { media_url: "https://example.com/a.png", ...other };
        const { error } = await inbox.refused(
          400,
          "invalid_input",
          people.ana,
          "POST",
          `/chats/${chatId}/messages`,
          body,
        );
        expect(error).to.equal("media_url no va junto con respuesta_rapida_id ni con nota");
      }
    });
  });

  describe("assigning", () => {
    it("gives an agent the chat with its tickets (Inbox.37, Inbox.38)", async () => {
      const { chatId } = await withTicket();
      const chat = await act(people.ana, chatId, "assign", { soporte_id: people.carl });
      expect(chat).to.deep.include({ soporte_id: people.carl, estado: "proceso" });
      expect(await tickets(chatId)).to.deep.equal([["proceso", people.carl]]);
      await inbox.refused(404, "chat_not_found", people.ana, "GET", `/chats/${chatId}`);
    });

    it("is allowed to the chat's agent, administrators and keys (Inbox.37)", async () => {
      const { chatId } = await inbox.customerWrites("sin dueño");
      await inbox.refused(403, "forbidden", people.ana, "POST", `/chats/${chatId}/assign`, { soporte_id: people.bea });
      expect((await act(people.admin, chatId, "assign", { soporte_id: people.bea })).soporte_id).to.equal(people.bea);
      for (const soporte_id of [202, 99_999]) {
        await inbox.refused(404, "agent_not_found", "key", "POST", `/chats/${chatId}/assign`, { soporte_id });
      }
      await inbox.refused(404, "department_not_found", "key", "POST", `/chats/${chatId}/assign`, {
        departamento_id: 201,
      });
      await inbox.refused(400, "invalid_input", "key", "POST", `/chats/${chatId}/assign`, {});
      await inbox.refused(400, "invalid_input", "key", "POST", `/chats/${chatId}/assign`, {
        soporte_id: 1,
        departamento_id: 1,
      });
    });

    it("gives the chat to an available agent of a department (Inbox.50)", async () => {
      await inbox.world.rows("update users set available = id = $1 where business_id = 1", [people.ana]);
      const { chatId } = await inbox.customerWrites("a ventas");
      const chat = await act("key", chatId, "assign", { departamento_id: sales });
      expect(chat).to.deep.include({ soporte_id: people.ana, estado: "proceso" });
    });

    it("queues the chat in a department without available agents until one returns (Inbox.51, Inbox.48)", async () => {
      await inbox.world.rows("update users set available = false where business_id = 1", []);
      const first = await inbox.customerWrites("espero");
      const second = await inbox.customerWrites("espero también");
      for (const { chatId } of [first, second]) {
        const chat = await act("key", chatId, "assign", { departamento_id: support });
        expect(chat).to.deep.include({ soporte_id: null, estado: "pendiente" });
      }
      await inbox.refused(404, "chat_not_found", people.ana, "GET", `/chats/${first.chatId}`);
      const me = await inbox.done(people.carl, "PUT", "/me/available", { disponible: true });
      expect(me).to.deep.include({ id: people.carl, disponible: true });
      for (const { chatId } of [first, second]) {
        await eventually(async () => (await inbox.chat("key", chatId)).soporte_id === people.carl);
        expect(await inbox.chat(people.carl, chatId)).to.deep.include({ soporte_id: people.carl, estado: "proceso" });
      }
      await inbox.done(people.carl, "PUT", "/me/available", { disponible: false });
      expect((await inbox.chat("key", first.chatId)).soporte_id).to.equal(people.carl);
    });

    it("can put the chat back among the waiting ones (Inbox.38)", async () => {
      const { chatId } = await withTicket();
      await act(people.ana, chatId, "take");
      const chat = await act(people.ana, chatId, "assign", { soporte_id: null });
      expect(chat).to.deep.include({ soporte_id: null, estado: "pendiente" });
      expect(chat.ticket.estado).to.equal("pendiente");
    });

    it("does not change a closed chat when its agent is removed (Inbox.38)", async () => {
      const { chatId } = await withTicket();
      await act(people.ana, chatId, "close", { ticket: "completado" });
      const before = await inbox.chat("key", chatId);
      const chat = await act("key", chatId, "assign", { soporte_id: null });
      expect(chat).to.deep.include({ estado: "cerrado", soporte_id: people.ana, version: before.version });
      expect(await inbox.chat("key", chatId)).to.deep.equal(before);
    });

    it("also removes its tickets from the agent (Inbox.38)", async () => {
      const { chatId } = await withTicket();
      await act(people.ana, chatId, "take");
      await act("key", chatId, "assign", { soporte_id: null });
      const [ticket] = (await inbox.chat("key", chatId)).tickets;
      expect(ticket).to.deep.include({ estado: "pendiente", agente: null });
      const event = await told("ticket:changed", chatId, ({ estado }) => estado === "pendiente");
      expect(event).to.deep.include({ soporte_id: null, agente: null });
      await act(people.ana, chatId, "take");
      expect(await tickets(chatId)).to.deep.equal([["proceso", people.ana]]);
    });
  });

  describe("closing", () => {
    it("ends the conversation and its tickets; the customer's next message starts a new one with the bot (Inbox.40)", async () => {
      const { chatId, phone } = await withTicket();
      await act(people.ana, chatId, "take");
      const closed = await act(people.ana, chatId, "close", { ticket: "cancelado", motivo: "Sin stock" });
      expect(closed).to.deep.include({ estado: "cerrado", soporte_id: people.ana, ticket: null });
      expect(await tickets(chatId)).to.deep.equal([["cancelado", people.ana]]);
      expect((await told("ticket:changed", chatId, ({ estado }) => estado === "cancelado")).cerrado).to.be.a("string");
      expect((await act(people.ana, chatId, "close", { ticket: "completado" })).version).to.equal(closed.version);
      await inbox.customerWrites("volví", phone);
      const chat = await inbox.chat("key", chatId);
      expect(chat).to.deep.include({ estado: "bot", soporte_id: null, bot_disponible: true });
      expect(chat.conversaciones.map(({ estado }: { estado: string }) => estado)).to.deep.equal(["bot", "cerrado"]);
      await inbox.refused(400, "invalid_input", people.ana, "POST", `/chats/${chatId}/close`, { ticket: "abierto" });
      const unsaid = { ticket: "completado", motivo: "" };
      const { error } = await inbox.refused(400, "invalid_input", "key", "POST", `/chats/${chatId}/close`, unsaid);
      expect(error).to.equal("motivo no puede estar vacío");
    });

    it("stores the reason with the conversation (Inbox.40)", async () => {
      const { chatId, phone } = await inbox.customerWrites("cierre con motivo");
      await act("key", chatId, "close", { ticket: "completado", motivo: "Compró en la tienda" });
      await inbox.customerWrites("otra vez", phone);
      const { conversaciones } = await inbox.chat("key", chatId);
      expect(conversaciones.map(({ motivo }: { motivo: string | null }) => motivo)).to.deep.equal([
        null,
        "Compró en la tienda",
      ]);
    });

    it("is allowed to the chat's agent, administrators and keys, and for an unassigned chat to all who see it (Inbox.52)", async () => {
      await inbox.flag("agents_see", "all");
      const { chatId } = await inbox.customerWrites("de ana");
      await act(people.ana, chatId, "take");
      const end = { ticket: "completado" };
      await inbox.refused(403, "forbidden", people.carl, "POST", `/chats/${chatId}/close`, end);
      expect((await inbox.chat("key", chatId)).estado).to.equal("proceso");
      expect((await act(people.admin, chatId, "close", end)).estado).to.equal("cerrado");
      const { chatId: free } = await inbox.customerWrites("de nadie");
      expect((await act(people.carl, free, "close", end)).estado).to.equal("cerrado");
      await inbox.flag("agents_see", null);
    });
  });

  describe("marking read", () => {
    it("leaves later messages unread, never moves back, and sends one receipt (Inbox.31, Inbox.32)", async () => {
      const { chatId, phone } = await inbox.customerWrites("uno");
      for (const text of ["dos", "tres"]) await inbox.customerWrites(text, phone);
      const [third, second, first] = await messages(chatId);
      expect((await act(people.ana, chatId, "read", { hasta: second.id })).no_leidos).to.equal(1);
      expect((await act(people.ana, chatId, "read", { hasta: first.id })).no_leidos).to.equal(1);
      expect((await act(people.ana, chatId, "read", { hasta: third.id })).no_leidos).to.equal(0);
      const reads = async (message: Answer["json"]) =>
        (await inbox.world.control("GET", `/reads?message_id=${encodeURIComponent(message.platform_message_id)}`)).map(
          ({ times }: { times: number }) => times,
        );
      await eventually(async () => (await reads(third)).length === 1);
      expect([await reads(second), await reads(first), await reads(third)]).to.deep.equal([[1], [], [1]]);
      await inbox.customerWrites("cuatro", phone);
      expect((await inbox.chat("key", chatId)).no_leidos).to.equal(1);
      const other = await inbox.customerWrites("ajeno");
      const [foreign] = await messages(other.chatId);
      await inbox.refused(404, "message_not_found", people.ana, "POST", `/chats/${chatId}/read`, { hasta: foreign.id });
    });

    it("is exact while messages arrive", async () => {
      const { chatId, phone } = await inbox.customerWrites("0");
      await Promise.all([
        ...Array.from({ length: 12 }, (_, n) => inbox.customerWrites(`m${n}`, phone)),
        ...Array.from({ length: 6 }, async () => {
          const [{ id }] = await messages(chatId);
          await act(people.ana, chatId, "read", { hasta: id });
        }),
      ]);
      const [row] = await inbox.world.rows<{ kept: number; counted: number }>(
        `select unread as kept, (
           select count(*) from messages where business_id = 1 and chat_id = $1 and direction = 'in' and id > read_up_to
         ) as counted from chats where business_id = 1 and id = $1`,
        [chatId],
      );
      expect(row?.kept).to.equal(row?.counted);
    });
  });

  describe("tags and the bot", () => {
    it("adds a tag once and counts it in the funnel once (Inbox.44, Inbox.46)", async () => {
      const { chatId } = await inbox.customerWrites("etiqueta");
      const put = () => inbox.done(people.ana, "PUT", `/chats/${chatId}/tags/101`);
      expect((await put()).tags).to.deep.equal([{ id: 101, nombre: "VIP" }]);
      const { version } = await put();
      expect((await inbox.chat("key", chatId)).version).to.equal(version);
      const funnel = await inbox.world.rows(
        "select from funnel_events where business_id = 1 and chat_id = $1 and type = 'assigned_tag'",
        [chatId],
      );
      expect(funnel).to.have.length(1);
      const drop = () => inbox.done(people.ana, "DELETE", `/chats/${chatId}/tags/101`);
      expect((await drop()).tags).to.deep.equal([]);
      expect((await drop()).tags).to.deep.equal([]);
      await inbox.refused(404, "tag_not_found", people.ana, "PUT", `/chats/${chatId}/tags/201`);
    });

    it("keep the order of a tag's chats if a chat moves up while it gets the tag", async () => {
      const { chatId, phone } = await inbox.customerWrites("subo");
      const other = await inbox.customerWrites("otro");
      await inbox.done("key", "PUT", `/chats/${other.chatId}/tags/102`);
      let arrival: Promise<unknown> | undefined;
      await inbox.world.database.transaction(async (transaction) => {
        const ask = (text: string, values: unknown[] = []) => transaction.rows({ name: "", text }, values);
        // Like a campaign, this transaction adds a tag. The customer writes before the transaction ends.
        await ask("insert into chat_tags (business_id, chat_id, tag_id) values (1, $1, 102)", [chatId]);
        const mine = "select from chats where business_id = 1 and id = $1 and last_message_at > now()";
        arrival = inbox.customerWrites("otra vez", phone);
        await eventually(async () => (await lockWaits(inbox.world)) + (await ask(mine, [chatId])).length > 0);
      });
      await arrival;
      await told("inbox:reorder", chatId, ({ mensaje }) => mensaje.texto === "otra vez");
      const { data } = await inbox.done("key", "GET", "/chats?tag=102");
      expect(data.map(({ chat_id }: { chat_id: number }) => chat_id)).to.deep.equal([chatId, other.chatId]);
    });

    it("switch the bot on and off for a chat (Inbox.42)", async () => {
      const { chatId } = await inbox.customerWrites("bot");
      const row = await act(people.ana, chatId, "bot", { disponible: false });
      expect(row.bot_disponible).to.equal(false);
      expect((await told("chat:changed", chatId, ({ version }) => version === row.version)).bot_disponible).to.equal(
        false,
      );
      const [listed] = (await inbox.done("key", "GET", "/chats?limit=1")).data;
      expect(listed).to.deep.include({ chat_id: chatId, bot_disponible: false });
      expect(await inbox.chat("key", chatId)).to.deep.include({ bot_disponible: false, estado: "bot" });
    });
  });

  it("returns the user at /me, and nothing for keys (Inbox.47)", async () => {
    expect(await inbox.done(people.ana, "GET", "/me")).to.deep.include({
      id: people.ana,
      nombre: "Ana Agente",
      role_id: 5,
      administrador: false,
      empresa: { id: 1, nombre: "Negocio 1" },
      departamentos: [{ id: sales, nombre: "Ventas" }],
    });
    await inbox.refused(403, "forbidden", "key", "GET", "/me");
    await inbox.refused(403, "forbidden", "key", "PUT", "/me/available", { disponible: true });
  });

  it("refuses every action on chats that the viewer may not see", async () => {
    const { chatId } = await inbox.customerWrites("oculto");
    await act("key", chatId, "assign", { soporte_id: people.carl });
    for (const [method, path, body] of [
      ["POST", "read", { hasta: 1 }],
      ["POST", "assign", { soporte_id: null }],
      ["POST", "close", { ticket: "completado" }],
      ["POST", "bot", { disponible: true }],
      ["PUT", "tags/101", undefined],
      ["DELETE", "tags/101", undefined],
    ] as const) {
      const words = new Set<string>();
      for (const id of [chatId, 201, 987_654]) {
        const answer = await inbox.ask(people.ana, method, `/chats/${id}/${path}`, body);
        words.add(`${answer.status} ${answer.text}`);
      }
      expect([...words], path).to.deep.equal(['404 {"error":"El chat no existe","code":"chat_not_found"}']);
    }
  });
});
