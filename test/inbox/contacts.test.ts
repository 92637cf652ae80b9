import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, aWebhook, startWorld, type World } from "../support/world.ts";

const admin = 101;
const agent = 102;

describe("contacts", () => {
  let world: World;
  before(async () => {
    const threads = [
      aThread(101, { name: "Carla Cliente" }),
      aThread(102, { name: "Carlos Comprador" }),
      aThread(103, { name: "Zoe Zurita", supportUserId: admin, state: "in_progress" }),
    ];
    const tags = [
      { id: 101, name: "VIP" },
      { id: 102, name: "Nuevo" },
    ];
    world = await startWorld({ businesses: [aBusiness(1, { threads, tags }), aBusiness(2)] });
  });
  after(() => world.stop());

  const as = async (userId: number, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    request(world.api + path, {
      method,
      ...(body !== undefined && { body }),
      headers: { authorization: `Bearer ${await world.sessionToken(userId)}`, ...headers },
    });
  const put = (id: number, body: unknown, businessId = 1) =>
    request(`${world.api}/contacts/${id}`, {
      method: "PUT",
      body,
      headers: { "x-api-key": world.appKey(businessId) },
    });
  const namesIn = ({ json }: Answer): string[] => json.data.map(({ nombre }: { nombre: string }) => nombre);

  it("are listed newest first, page by page, each once", async () => {
    const all = await world.get("/contacts?limit=100");
    const ids: number[] = all.json.data.map(({ id }: { id: number }) => id);
    expect(ids).to.deep.equal([...ids].sort((a, b) => b - a));
    expect(ids).to.include.members([101, 102, 103]);

    const paged: number[] = [];
    for (let cursor = ""; ; ) {
      const { json } = await world.get(`/contacts?limit=1${cursor}`);
      paged.push(...json.data.map(({ id }: { id: number }) => id));
      if (json.next === null) break;
      cursor = `&cursor=${json.next}`;
    }
    expect(paged).to.deep.equal(ids);
  });

  it("are changed only in the version that the caller read, if the request names one", async () => {
    const read = await as(agent, "GET", "/contacts/102");
    const { etag } = read.headers;
    const once = await as(agent, "PUT", "/contacts/102", { campos: { Talla: "M" } }, { "if-match": etag });
    expect(once.status).to.equal(200);
    const late = await as(admin, "PUT", "/contacts/102", { campos: {} }, { "if-match": etag });
    expect([late.status, late.json.code]).to.deep.equal([412, "moved_on"]);
    const now = await as(admin, "GET", "/contacts/102");
    expect(now.json.campos).to.deep.equal({ Talla: "M" });
    expect(now.headers.etag).to.equal(once.headers.etag);
    const tagged = await as(admin, "PUT", "/contacts/102", { tags: [101] });
    expect(tagged.headers.etag).not.to.equal(once.headers.etag);
    await as(admin, "PUT", "/contacts/102", { campos: {}, tags: [] });
    const made = await as(agent, "POST", "/contacts", { numero: "59171122399" });
    const next = await as(
      agent,
      "PUT",
      `/contacts/${made.json.id}`,
      { nombre: "Eva" },
      { "if-match": made.headers.etag },
    );
    expect(next.status, next.text).to.equal(200);
  });

  it("are found by parts of names and numbers, by tag and by opt-out, only in their business", async () => {
    const { json } = await world.post("/contacts", {
      nombre: "Filtro Único",
      numero: "+591 711-22333",
      tags: [101],
      opted_out: true,
    });
    expect(namesIn(await world.get("/contacts?q=iltro"))).to.deep.equal(["Filtro Único"]);
    expect(namesIn(await world.get("/contacts?q=1122333"))).to.deep.equal(["Filtro Único"]);
    expect(namesIn(await world.get("/contacts?q=iltro", 2))).to.deep.equal([]);
    expect(namesIn(await world.get("/contacts?tag=101&opted_out=true&q=Filtro"))).to.deep.equal(["Filtro Único"]);
    expect(namesIn(await world.get("/contacts?tag=101&opted_out=true"))).to.include("Filtro Único");
    expect(namesIn(await world.get("/contacts?tag=102&q=iltro"))).to.deep.equal([]);
    expect(namesIn(await world.get("/contacts?opted_out=false"))).not.to.include("Filtro Único");
    expect((await world.get(`/contacts/${json.id}`, 2)).json.code).to.equal("contact_not_found");
    expect((await world.get("/contacts?cursor=x")).status).to.equal(400);
  });

  it("list their chats that the caller may see", async () => {
    const whole = await world.get("/contacts/103");
    const [row] = await world.rows<{ at: Date }>("select last_message_at as at from chats where id = 103");
    const last = { ultimo_mensaje: row?.at ? row.at.toISOString() : null };
    expect(whole.json.chats).to.deep.equal([{ chat_id: 103, provider: "platform-apicloud", ...last }]);
    expect((await as(agent, "GET", "/contacts/103")).json.chats).to.deep.equal([]);
    expect((await as(admin, "GET", "/contacts/103")).json.chats).to.deep.equal(whole.json.chats);
    expect((await as(agent, "GET", "/contacts/101")).json.chats).to.have.length(1);
  });

  it("are created with fields and tags, and announced to all users", async () => {
    const listener = await world.listen(agent);
    const made = await world.post("/contacts", {
      nombre: "Nora Nueva",
      numero: "591 722 00001",
      campos: { Ciudad: "La Paz" },
      tags: [102, 101],
    });
    expect(made.status).to.equal(201);
    expect(made.json).to.deep.include({
      nombre: "Nora Nueva",
      numero: "59172200001",
      campos: { Ciudad: "La Paz" },
      opted_out: false,
      chats: [],
    });
    expect(made.json.tags).to.deep.equal([
      { id: 101, nombre: "VIP" },
      { id: 102, nombre: "Nuevo" },
    ]);
    const heard = await listener.hears(({ name }) => name === "contact:changed");
    const { chats: _, opted_out_desde, ...contacto } = made.json;
    expect(opted_out_desde).to.equal(null);
    expect(heard.payload).to.deep.include({ empresa_id: 1, contacto, borrado: false });
  });

  it("are found by any part of their number, however short", async () => {
    const numbersIn = ({ json }: Answer): string[] => json.data.map(({ numero }: { numero: string }) => numero).sort();
    for (const numero of ["5917012345", "591700001234567", "12345678", "70000012"])
      await world.post("/contacts", { nombre: "Numerado", numero }, 2);
    const numbers = numbersIn(await world.get("/contacts?limit=100", 2));
    const parts = numbers.flatMap((number) =>
      [...number].flatMap((_, start) => [1, 2, 3, 4, 5, 6, 7, 9, 12, 15].map((length) => number.substr(start, length))),
    );
    for (const part of new Set([...parts, "999", "5917012346", "0000001", "123450"])) {
      const having = numbers.filter((number) => number.includes(part));
      expect(numbersIn(await world.get(`/contacts?q=${part}`, 2)), part).to.deep.equal(having);
    }
  });

  it("are found with and without accents, in any encoding of the accents", async () => {
    for (const [index, nombre] of ["Lucía Méndez", "LUCI\u0301A Pérez", "lucia zeta"].entries()) {
      await world.post("/contacts", { nombre, numero: `5917220088${index}` });
    }
    for (const q of ["lucia", "lucía", "LUCÍA", "luci\u0301a", "ucía", "LU"]) {
      const found = await world.get(`/contacts?q=${encodeURIComponent(q)}`);
      expect(namesIn(found).sort(), q).to.deep.equal(["LUCI\u0301A Pérez", "Lucía Méndez", "lucia zeta"]);
    }
    expect(namesIn(await world.get(`/contacts?q=${encodeURIComponent("mENdez")}`))).to.deep.equal(["Lucía Méndez"]);
    expect(namesIn(await world.get("/contacts?q=%25"))).to.deep.equal([]);
    expect(namesIn(await world.get("/contacts?q=%20%20"))).to.deep.equal([]);
    expect((await world.get("/chats?q=%20")).json.data).to.deep.equal([]);
    const names = (await world.get(`/chats?q=${encodeURIComponent("cárla")}`)).json.data.map(
      ({ contacto }: { contacto: { nombre: string } }) => contacto.nombre,
    );
    expect(names).to.deep.equal(["Carla Cliente"]);
  });

  it("are announced only if a change changes something", async () => {
    const listener = await world.listen(agent);
    const given = { nombre: "Uma", numero: "59172200777", campos: { Ciudad: "Sucre" }, tags: [101], opted_out: true };
    const { json: made } = await world.post("/contacts", given);
    expect((await put(made.id, given)).json).to.deep.equal(made);
    await put(made.id, {});
    await put(made.id, { tags: [] });
    await put(made.id, { nombre: "Uma R." });
    await listener.hears(({ payload }) => payload.contacto?.nombre === "Uma R.");
    const told = listener.heard.filter(({ name }) => name === "contact:changed");
    expect(told.map(({ payload: { contacto } }) => [contacto.nombre, contacto.tags.length])).to.deep.equal([
      ["Uma", 1],
      ["Uma", 0],
      ["Uma R.", 0],
    ]);
  });

  it("keep everything that a change does not name", async () => {
    const { json: made } = await world.post("/contacts", {
      nombre: "Pia",
      numero: "59172200002",
      campos: { Ciudad: "Sucre", Rubro: "Bar" },
      tags: [101],
    });
    const renamed = await put(made.id, { nombre: "Pía" });
    expect(renamed.json).to.deep.equal({ ...made, nombre: "Pía" });
    const others = await put(made.id, { campos: { Rubro: "Café" }, tags: [], opted_out: true });
    const { opted_out_desde: since, ...changed } = others.json;
    const { opted_out_desde: _, ...whole } = made;
    expect(changed).to.deep.equal({ ...whole, nombre: "Pía", campos: { Rubro: "Café" }, tags: [], opted_out: true });
    expect(Date.parse(since)).to.be.at.least(Date.parse(made.creado));
    const back = await put(made.id, { opted_out: false });
    expect(back.json).to.deep.include({ opted_out: false, opted_out_desde: null });
    expect((await put(made.id, { numero: "59172200012" })).json.numero).to.equal("59172200012");
  });

  it("cannot share a number, and cannot get another business's tags", async () => {
    const { json: made } = await world.post("/contacts", { numero: "59172200003" });
    expect(made.nombre).to.equal("59172200003");
    const again = await world.post("/contacts", { numero: "+591 72200003", nombre: "Otra" });
    expect([again.status, again.json.code]).to.deep.equal([409, "number_taken"]);
    const moved = await put(made.id, { numero: "59170000101" });
    expect([moved.status, moved.json.code]).to.deep.equal([409, "number_taken"]);
    const tagged = await put(made.id, { nombre: "Nada", tags: [999] });
    expect([tagged.status, tagged.json.code]).to.deep.equal([404, "tag_not_found"]);
    expect((await world.get(`/contacts/${made.id}`)).json.nombre).to.equal("59172200003");
    expect((await put(made.id, { nombre: "X" }, 2)).json.code).to.equal("contact_not_found");
    const none = await world.post("/contacts", { numero: "59172200004", tags: [999] });
    expect(none.json.code).to.equal("tag_not_found");
    expect(namesIn(await world.get("/contacts?q=72200004"))).to.deep.equal([]);
  });

  for (const [what, body] of Object.entries({
    "without a number": { nombre: "A" },
    "with letters for a number": { numero: "abc" },
    "with a number that is too long": { numero: "1".repeat(16) },
    "with a number that is too short": { numero: "591 123" },
    "with too many fields": {
      numero: "5917220000555",
      campos: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`c${i}`, "x"])),
    },
    "with a text that is too long": { numero: "5917220000555", campos: { a: "x".repeat(1_001) } },
    "with a field that is not a text": { numero: "5917220000555", campos: { a: 1 } },
  })) {
    it(`are refused ${what}`, async () => {
      const answer = await world.post("/contacts", body);
      expect([answer.status, answer.json.code]).to.deep.equal([400, "invalid_input"]);
    });
  }

  it("are exported as CSV with a column for each field, to administrators and keys", async () => {
    await world.post("/contacts", {
      nombre: "=1+1",
      numero: "59173300001",
      campos: { "Código, interno": 'di"ce' },
      tags: [101, 102],
    });
    const headers = { accept: "text/csv", "x-api-key": world.appKey(1) };
    const answer = await request(`${world.api}/contacts`, { headers });
    expect([answer.status, answer.type]).to.deep.equal([200, "text/csv"]);
    const [header = "", ...lines] = answer.text.split("\r\n");
    expect(header).to.match(/^id,nombre,numero,opted_out,tags,creado,/);
    expect(header).to.include('"Código, interno"');
    const line = lines.find((each) => each.includes("59173300001")) ?? "";
    expect(line).to.match(/^\d+,'=1\+1,59173300001,false,VIP\|Nuevo,\d{4}-/);
    expect(line).to.include('"di""ce"');
    const count = (await world.get("/contacts?limit=100")).json.data.length;
    expect(lines.filter((each) => each !== "")).to.have.length(count);

    const refused = await as(agent, "GET", "/contacts", undefined, { accept: "text/csv" });
    expect([refused.status, refused.json.code]).to.deep.equal([403, "forbidden"]);
  });

  it("give campaigns the parameters that the request leaves out", async () => {
    const fields = { premio: "Bicicleta", nombre: "Otro nombre" };
    const { json: one } = await world.post("/contacts", { numero: "59174400001", campos: fields });
    const { json: two } = await world.post("/contacts", { numero: "59174400002" });
    const body = {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: 101, nombre: "Rifa", step: 101 },
      contacts_id: [one.id, two.id],
      contacts: [
        { nombre: "Uno", numero: one.numero },
        { nombre: "Dos", numero: two.numero },
      ],
      paramMapping: { 1: "nombre", 2: "premio" },
    };
    const sent = await world.post("/chats/enviar/masivo/plantilla", body);
    expect(sent.status, sent.text).to.equal(200);
    const recipients = await world.rows("select parameters from campaign_recipients order by position");
    expect(recipients).to.deep.equal([{ parameters: ["Uno", "Bicicleta"] }, { parameters: ["Dos", "unknown"] }]);
  });

  it("keep their threads when they get another number, and can write from it later", async () => {
    const [old, fresh] = ["59172200020", "59172200021"];
    const says = (from: string, text: string) =>
      world.control("POST", `/customers/${from}/say`, { text, to: "number-1", name: "Mudanza" });
    const answers = async (chatId: number, texto: string): Promise<string> => {
      const answer = await world.post(`/chats/${chatId}/messages`, { texto });
      expect(answer.status, answer.text).to.equal(201);
      // The answer may already have a later state, which the platform reported in the meantime.
      expect(answer.json.estado, answer.text).to.be.oneOf(["sent", "delivered", "read"]);
      const sent = await world.control("GET", "/messages");
      return sent.find((message: { text?: string }) => JSON.stringify(message).includes(texto)).to;
    };
    const texts = async (chatId: number): Promise<string[]> =>
      (await world.get(`/chats/${chatId}/messages`)).json.data.map(({ texto }: { texto: string }) => texto);
    await says(old, "uno");
    const contact = await eventually(async () => (await world.get(`/contacts?q=${old}`)).json.data[0]);
    const chatId: number = contact.chats[0].chat_id;
    // Once the contact has written from the new number, answers must go to this number, even if the contact also has a
    // chat on another channel: the old number may belong to somebody else by then.
    await world.rows("insert into chats (business_id, contact_id, provider) values (1, $1, 'qr')", [contact.id]);
    expect((await put(contact.id, { numero: fresh })).json).to.deep.include({ numero: fresh, platform_id: old });

    await says(old, "dos");
    await eventually(async () => (await texts(chatId)).includes("dos"));
    expect(await answers(chatId, "al número de antes")).to.equal(old);
    const template = { empresa_id: 1, phone_number: fresh, plantilla_id: 101, parameters: ["Ana", "7"] };
    expect((await world.post("/chats/enviar/plantilla/business", template)).status).to.equal(200);
    expect(await world.control("GET", `/messages?to=${fresh}`)).to.have.length(1);
    expect((await texts(chatId))[0]).to.include("pedido 7");

    await says(fresh, "tres");
    await eventually(async () => (await texts(chatId)).includes("tres"));
    expect(await answers(chatId, "al número de ahora")).to.equal(fresh);
    expect((await world.get(`/contacts/${contact.id}`)).json.chats).to.have.length(2);

    const { json: unwritten } = await world.post("/contacts", { numero: "59172200022" });
    const renumbered = await put(unwritten.id, { numero: "59172200023" });
    expect(renumbered.json).to.deep.include({ numero: "59172200023", platform_id: "59172200023" });
  });

  it("are found by one or two characters, also in the middle", async () => {
    await world.post("/contacts", { nombre: "Xq Ñw", numero: "59172200031" });
    expect(namesIn(await world.get("/contacts?q=%C3%B1"))).to.deep.equal(["Xq Ñw"]);
    expect(namesIn(await world.get("/contacts?q=%C3%B1w"))).to.deep.equal(["Xq Ñw"]);
    expect(namesIn(await world.get("/contacts?q=31"))).to.include("Xq Ñw");
  });

  it("need names for their fields and a valid phone number", async () => {
    const nameless = await world.post("/contacts", { numero: "59172200032", campos: { "": "x" } });
    expect([nameless.status, nameless.json.error]).to.deep.equal([400, "campos no puede tener un campo sin nombre"]);
    const { json: made } = await world.post("/contacts", { numero: "59172200033" });
    for (const numero of ["59", "1234567890123456"]) {
      const answer = await put(made.id, { numero });
      expect([answer.status, answer.json]).to.deep.equal([
        400,
        { error: "numero no es válido", code: "invalid_input" },
      ]);
    }
    await world.rows("update contacts set phone = '12345678901234567' where id = $1", [made.id]);
    expect((await put(made.id, { numero: "12345678901234567", nombre: "Página" })).json.nombre).to.equal("Página");
  });

  it("are recognized by their number when they write to the business", async () => {
    const { json: made } = await world.post("/contacts", { nombre: "Escribe", numero: "59172200009" });
    await world.webhook(
      aWebhook(1, {
        contacts: [{ wa_id: "59172200009", profile: { name: "Perfil" } }],
        messages: [
          { from: "59172200009", id: "wamid.known", timestamp: "1767322800", type: "text", text: { body: "Hola" } },
        ],
      }),
    );
    const read = await eventually(async () => {
      const { json } = await world.get(`/contacts/${made.id}`);
      return json.chats.length > 0 ? json : undefined;
    });
    expect(read.nombre).to.equal("Escribe");
  });
});
