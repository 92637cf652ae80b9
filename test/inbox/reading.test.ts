import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { chatDetailsSchema, chatSchema, messageSchema } from "../../src/inbox/adapters/http/inbox-schemas.ts";
import { Inbox, people, sales, support } from "./inbox-support.ts";

const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
const isChat = ajv.compile(chatSchema);
const isDetails = ajv.compile(chatDetailsSchema);
const isMessage = ajv.compile(messageSchema);

describe("reading the inbox", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
  });
  after(() => inbox.stop());

  const ids = async (who: number | "key", query = ""): Promise<number[]> => {
    const page = await inbox.done(who, "GET", `/chats?limit=100&${query}`);
    for (const chat of page.data) expect(isChat(chat), ajv.errorsText(isChat.errors)).to.equal(true);
    return page.data.map((chat: { chat_id: number }) => chat.chat_id);
  };

  describe("GET /chats", () => {
    it("lists the chat with the newest message first, with all fields of a row (Inbox.2)", async () => {
      const first = await inbox.customerWrites("primero");
      const second = await inbox.customerWrites("segundo");
      expect((await ids("key")).slice(0, 2)).to.deep.equal([second.chatId, first.chatId]);
      await inbox.customerWrites("otra vez", first.phone);
      const [row] = (await inbox.done("key", "GET", "/chats?limit=1")).data;
      expect(row).to.deep.include({
        chat_id: first.chatId,
        provider: "platform-apicloud",
        soporte_id: null,
        estado: "bot",
        no_leidos: 2,
        ventana_requerida: true,
        tags: [],
        ticket: null,
      });
      expect(row.mensaje).to.deep.include({ direccion: "entrante", tipo: "text", texto: "otra vez" });
      expect(row.contacto.numero).to.equal(first.phone);
      const window = new Date(row.ventana_hasta).getTime() - Date.now();
      expect(window / 3_600_000).to.be.within(23.9, 24);
    });

    it("pages without repeating or omitting a chat, even if one moves up meanwhile (Inbox.2)", async () => {
      const made: number[] = [];
      const phones: string[] = [];
      for (let n = 0; n < 7; n += 1) {
        const { chatId, phone } = await inbox.customerWrites(`hola ${n}`);
        made.push(chatId);
        phones.push(phone);
      }
      const all = await ids("key");
      const seen: number[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page = await inbox.done("key", "GET", `/chats?limit=3${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data.map((chat: { chat_id: number }) => chat.chat_id));
        // The third chat, which was already listed, gets a newer message and becomes the first.
        if (cursor === "") await inbox.customerWrites("otra vez", phones.at(-3));
        cursor = page.next;
      }
      expect(seen).to.deep.equal(all);
      expect(seen).to.include.members(made);
      expect((await ids("key"))[0]).to.equal(made.at(-3));
    });

    it("finds chats by state, agent, department, tag, unread, provider, ad, name and number", async () => {
      const { chatId, phone } = await inbox.customerWrites("busco");
      const other = await inbox.customerWrites("otro");
      await inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id: people.ana });
      await inbox.done("key", "PUT", `/chats/${chatId}/tags/101`);
      await inbox.world.rows("update chats set ad_id = 'ad-7', department_id = $2 where business_id = 1 and id = $1", [
        chatId,
        sales,
      ]);
      const finds = async (query: string) => {
        const found = await ids("key", query);
        expect(found, query).to.include(chatId);
        expect(found, query).not.to.include(other.chatId);
      };
      await finds("estado=proceso");
      await finds("estado=proceso&estado=cerrado");
      await finds(`soporte=${people.ana}`);
      await finds(`soporte=${people.ana}&estado=proceso&departamento=${sales}&tag=101&anuncio=ad-7&no_leidos=true`);
      await finds(`departamento=${sales}`);
      await finds(`departamento=${sales}&estado=proceso`);
      await finds("tag=101");
      await finds("anuncio=ad-7");
      await finds(`q=${phone.slice(-7)}`);
      const alike = await inbox.customerWrites("parecido", `59155${phone.slice(-6)}`);
      await finds(`q=${phone}`);
      expect(await ids("key", `q=${phone}`)).to.deep.equal([chatId]);
      expect(await ids("key", `q=${phone.slice(-6)}`)).to.have.members([chatId, alike.chatId]);
      await finds(`q=cliente%20${phone.slice(-4)}`);
      await finds(`q=${phone.slice(-7)}&soporte=${people.ana}&tag=101`);
      expect(await ids("key", "provider=platform-apicloud")).to.include.members([chatId, other.chatId]);
      expect(await ids("key", "provider=qr")).to.deep.equal([]);
      expect(await ids("key", "soporte=none"))
        .to.include(other.chatId)
        .and.not.to.include(chatId);
      expect(await ids(people.ana, "soporte=me")).to.deep.equal([chatId]);
      expect(await ids("key", "q=nadie%20se%20llama")).to.deep.equal([]);
      await inbox.done("key", "POST", `/chats/${chatId}/read`, { hasta: await lastMessage(chatId) });
      expect(await ids("key", "no_leidos=true"))
        .to.include(other.chatId)
        .and.not.to.include(chatId);
      expect(await ids("key", "no_leidos=false"))
        .to.include(chatId)
        .and.not.to.include(other.chatId);
    });

    it("finds no chats of a key itself, and distinguishes a department 1 from them (Inbox.4)", async () => {
      const { chatId } = await inbox.customerWrites("espero");
      await inbox.world.rows("insert into departments (business_id, id, name) values (1, 1, 'La primera')");
      await inbox.done("key", "POST", `/chats/${chatId}/assign`, { departamento_id: 1 });
      expect(await ids("key", "departamento=1")).to.deep.equal([chatId]);
      expect(await ids("key", "soporte=me")).to.deep.equal([]);
      await inbox.refused(400, "invalid_input", "key", "GET", "/chats?soporte=me&cursor=zzz");
    });

    it("counts a limit above 100 as 100", async () => {
      await inbox.world.rows(`
        with people as (
          insert into contacts (business_id, name, phone, platform_id)
          select 1, 'Fila ' || n, 59177000000 + n, 59177000000 + n from generate_series(1, 105) as n returning id
        )
        insert into chats (business_id, contact_id, provider, state, last_message_at)
        select 1, id, 'platform-apicloud', 'bot', now() from people`);
      for (const path of ["/chats", "/contacts"]) {
        const { data, next } = await inbox.done("key", "GET", `${path}?limit=100000`);
        expect([data.length, typeof next], path).to.deep.equal([100, "string"]);
      }
      await inbox.world.rows("delete from contacts where business_id = 1 and name like 'Fila %'");
    });

    it("refuses wrong parameters and names them", async () => {
      for (const [query, word] of [
        ["estado=abierto", "estado"],
        ["soporte=otro", "soporte"],
        ["limit=0", "limit"],
        ["cursor=zzz", "cursor"],
        ["cursor=MTIz", "cursor"],
        ["tag=x", "tag"],
        ["provider=fax", "provider"],
        ["q=", "q"],
      ]) {
        const { error } = await inbox.refused(400, "invalid_input", "key", "GET", `/chats?${query}`);
        expect(error, query).to.include(word);
      }
    });

    it("refuses missing and wrong keys and tokens with the same answer", async () => {
      const { api } = inbox.world;
      for (const headers of [{}, { "x-api-key": "rk_wrong" }, { authorization: "Bearer rs_wrong" }]) {
        const answer = await fetch(`${api}/chats`, { headers: headers as Record<string, string> });
        expect([answer.status, await answer.json()]).to.deep.equal([
          401,
          { error: "Las credenciales no son válidas", code: "unauthorized" },
        ]);
      }
    });
  });

  const lastMessage = async (chatId: number): Promise<number> =>
    (await inbox.done("key", "GET", `/chats/${chatId}/messages?limit=1`)).data[0].id;

  describe("an agent's view of the inbox (Inbox.1)", () => {
    afterEach(() => inbox.flag("agents_see", null));

    const chats = async () => {
      const [free, ofSales, ofSupport, ofAna, ofCarl] = [
        await inbox.customerWrites("libre"),
        await inbox.customerWrites("ventas"),
        await inbox.customerWrites("soporte"),
        await inbox.customerWrites("ana"),
        await inbox.customerWrites("carl"),
      ].map(({ chatId }) => chatId) as [number, number, number, number, number];
      const place = "update chats set department_id = $2 where business_id = 1 and id = $1";
      await inbox.world.rows(place, [ofSales, sales]);
      await inbox.world.rows(place, [ofSupport, support]);
      await inbox.done("key", "POST", `/chats/${ofAna}/assign`, { soporte_id: people.ana });
      await inbox.done("key", "POST", `/chats/${ofCarl}/assign`, { soporte_id: people.carl });
      return { free, ofSales, ofSupport, ofAna, ofCarl };
    };
    const seen = async (all: Record<string, number>): Promise<string[]> => {
      const listed = await ids(people.ana);
      const tagged = await ids(people.ana, "no_leidos=true");
      const names: string[] = [];
      for (const [name, chatId] of Object.entries(all)) {
        const paths = [`/chats/${chatId}`, `/chats/${chatId}/messages`];
        const answers = await Promise.all(paths.map((path) => inbox.ask(people.ana, "GET", path)));
        const isThere = answers.every(({ status }) => status === 200);
        expect(answers.every(({ status }) => status === (isThere ? 200 : 404))).to.equal(true);
        expect([listed.includes(chatId), tagged.includes(chatId)], name).to.deep.equal([isThere, isThere]);
        if (isThere) names.push(name);
      }
      return names;
    };

    it("contains by default the agent's own chats and unassigned ones without a department or of the agent's departments", async () => {
      expect(await seen(await chats())).to.deep.equal(["free", "ofSales", "ofAna"]);
    });

    it("contains only the agent's own chats if the flag is `own`", async () => {
      await inbox.flag("agents_see", "own");
      expect(await seen(await chats())).to.deep.equal(["ofAna"]);
    });

    it("contains all chats if the flag is `all`, and for administrators and keys", async () => {
      const all = await chats();
      expect(await ids(people.admin)).to.include.members(Object.values(all));
      expect(await ids("key")).to.include.members(Object.values(all));
      await inbox.flag("agents_see", "all");
      expect(await seen(all)).to.deep.equal(Object.keys(all));
    });

    it("follows the chat's current agent also when filtered by tag", async () => {
      await inbox.flag("agents_see", "own");
      const { chatId } = await inbox.customerWrites("etiqueta");
      await inbox.done("key", "PUT", `/chats/${chatId}/tags/102`);
      for (const agent of [people.ana, people.carl, people.ana]) {
        await inbox.done("key", "POST", `/chats/${chatId}/assign`, { soporte_id: agent });
        expect(await ids(people.ana, "tag=102")).to.deep.equal(agent === people.ana ? [chatId] : []);
        expect(await ids(people.carl, "tag=102")).to.deep.equal(agent === people.carl ? [chatId] : []);
      }
    });

    it("gives the same answer for hidden, foreign and missing chats", async () => {
      const { ofCarl } = await chats();
      const answers = await Promise.all(
        [ofCarl, 201, 987_654].flatMap((id) =>
          [`/chats/${id}`, `/chats/${id}/messages`].map((path) => inbox.ask(people.ana, "GET", path)),
        ),
      );
      const words = new Set(answers.map(({ status, text }) => `${status} ${text}`));
      expect([...words]).to.deep.equal(['404 {"error":"El chat no existe","code":"chat_not_found"}']);
    });

    it("matches the counts after every change (Inbox.6)", async () => {
      const { ofSales, ofSupport } = await chats();
      const model = async (who: number) => {
        const open = (await inbox.done(who, "GET", "/chats?limit=100")).data.filter(
          (chat: { estado: string }) => chat.estado !== "cerrado",
        );
        const count = (matches: (chat: Record<string, unknown>) => boolean) => open.filter(matches).length;
        return {
          mine: count(({ soporte_id }) => soporte_id === who),
          unassigned: count(({ soporte_id }) => soporte_id === null),
          unread: count(({ no_leidos }) => Number(no_leidos) > 0),
          by_estado: {
            bot: count(({ estado }) => estado === "bot"),
            pendiente: count(({ estado }) => estado === "pendiente"),
            proceso: count(({ estado }) => estado === "proceso"),
          },
        };
      };
      const same = async () => {
        for (const who of [people.ana, people.carl, people.admin]) {
          expect(await inbox.done(who, "GET", "/chats/counts"), String(who)).to.deep.equal(await model(who));
        }
      };
      await same();
      await inbox.done("key", "POST", `/chats/${ofSales}/read`, { hasta: await lastMessage(ofSales) });
      await inbox.done("key", "POST", `/chats/${ofSupport}/close`, { ticket: "completado" });
      await inbox.done(people.ana, "POST", `/chats/${ofSales}/take`);
      await same();
    });
  });

  describe("GET /chats/{id}", () => {
    it("shows the contact, the conversations and the tickets (Inbox.8)", async () => {
      const { chatId, phone } = await inbox.customerWrites("detalle");
      await inbox.world.rows(
        `insert into steps (business_id, id, name, identifier, type, department_id)
         values (1, 901, 'Paso', 'paso', 'ticket', $1) on conflict do nothing`,
        [sales],
      );
      await inbox.world.post("/chats/crear/ticket/business/901", { empresa_id: 1, phone_number: phone });
      const chat = await inbox.chat(people.ana, chatId);
      expect(isDetails(chat), ajv.errorsText(isDetails.errors)).to.equal(true);
      expect(chat.contacto).to.deep.include({ numero: phone, opted_out: false, campos: {}, tags: [] });
      expect(chat.conversaciones).to.have.length(1);
      expect(chat.ticket).to.deep.include({ estado: "pendiente", departamento: { id: sales, nombre: "Ventas" } });
      expect(chat.tickets).to.have.length(1);
      expect(chat.soporte_id).to.equal(people.ana);
    });
  });

  describe("GET /chats/{id}/messages", () => {
    it("pages newest first, and lists messages after a given one oldest first (Inbox.10)", async () => {
      const { chatId, phone } = await inbox.customerWrites("uno");
      for (const text of ["dos", "tres", "cuatro"]) await inbox.customerWrites(text, phone);
      const first = await inbox.done("key", "GET", `/chats/${chatId}/messages?limit=3`);
      for (const message of first.data) expect(isMessage(message), ajv.errorsText(isMessage.errors)).to.equal(true);
      const texts = (page: { data: { texto: string }[] }) => page.data.map(({ texto }) => texto);
      expect(texts(first)).to.deep.equal(["cuatro", "tres", "dos"]);
      const second = await inbox.done("key", "GET", `/chats/${chatId}/messages?limit=3&cursor=${first.next}`);
      expect([texts(second), second.next]).to.deep.equal([["uno"], null]);
      const [{ id }] = second.data;
      const after = await inbox.done("key", "GET", `/chats/${chatId}/messages?limit=2&after=${id}`);
      expect(texts(after)).to.deep.equal(["dos", "tres"]);
      const rest = await inbox.done("key", "GET", `/chats/${chatId}/messages?limit=2&after=${id}&cursor=${after.next}`);
      expect([texts(rest), rest.next]).to.deep.equal([["cuatro"], null]);
    });
  });

  it("GET /agents lists the active agents with their departments and open tickets (Inbox.12)", async () => {
    const { data } = await inbox.done(people.ana, "GET", "/agents");
    expect(data.map((agent: { nombre: string }) => agent.nombre)).to.deep.equal([
      "Ana Agente",
      "Bea Agente",
      "Carl Agente",
    ]);
    expect(data[0]).to.deep.include({ id: people.ana, disponible: true, departamentos: [sales] });
  });
});
