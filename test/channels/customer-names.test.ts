import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import {
  PostgresNaming,
  PostgresUnnamedContacts,
} from "../../src/inbox/adapters/postgres/contacts/unnamed-contacts.ts";
import { NameContacts, type UnnamedContact } from "../../src/inbox/public.ts";
import { PostgresUnitOfWork } from "../../src/infra/postgres/unit-of-work.ts";
import { pageChannel } from "../../src/kernel/channels.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { World } from "../support/world.ts";
import { accounts, type Place, startWithPages } from "./pages-support.ts";

describe("names of customers of pages and photo accounts", () => {
  let world: World;
  before(async () => {
    world = await startWithPages({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());
  afterEach(() => world.rows("delete from unnamed_contacts"));

  const ask = () => resolve(world.container, tokens.nameContacts).execute();
  const namesFrom = (askName: (contact: UnnamedContact) => Promise<string | null>): NameContacts => {
    const cells = resolve(world.container, tokens.cells);
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => new PostgresNaming(transaction));
    const feed = resolve(world.container, tokens.feed);
    return new NameContacts(new PostgresUnnamedContacts(cells), unitOfWork, askName, feed, (error) => {
      throw error;
    });
  };
  const waiting = () =>
    world.rows<{ attempts: number; seconds: number }>(
      "select attempts, round(extract(epoch from due_at - now()))::int as seconds from unnamed_contacts",
    );
  let count = 1;
  const newCustomer = (): string => `2500000000000${String(count++).padStart(4, "0")}`;
  const contact = async (customer: string) => {
    const sql = "select business_id::int as business, id, name from contacts where platform_id = $1";
    return (await world.rows<{ business: number; id: number; name: string }>(sql, [customer]))[0];
  };
  const writes = async (customer: string, name?: string, to: string = accounts.page, channel: Place = "page") => {
    await world.control("POST", `/customers/${customer}/say`, { to, channel, text: "Hola", ...(name && { name }) });
    return await eventually(() => contact(customer));
  };

  it("are requested from the platform, announced, and shown at all messages", async () => {
    const listener = await world.listen(101);
    const customer = newCustomer();
    expect((await writes(customer, "Ana Rojas")).name).to.equal(customer);
    await ask();
    const { payload } = await listener.hears(({ name }) => name === "contact:changed");
    expect(payload.contacto).to.include({ nombre: "Ana Rojas", numero: "", platform_id: customer });
    const message = await listener.hears(({ name }) => name === "message:changed");
    expect(message.payload.mensaje).to.include({ autor_nombre: "Ana Rojas", texto: "Hola" });
    const chat = await listener.hears(({ name }) => name === "chat:changed");
    expect(chat.payload.contacto.nombre).to.equal("Ana Rojas");
    expect(chat.payload.mensaje.autor_nombre).to.equal("Ana Rojas");
    const before = listener.heard.find(({ name }) => name === "inbox:reorder");
    expect(chat.payload.version).to.be.above(before?.payload.version);
    expect(listener.heard.filter(({ name }) => /:changed$/.test(name)).length).to.equal(3);
    expect(await waiting()).to.deep.equal([]);
    await writes(customer);
    const sql = "select author_name from messages where business_id = 1 and author = 'contact' and body = 'Hola'";
    const names = async () => (await world.rows<{ author_name: string }>(sql)).map(({ author_name }) => author_name);
    await eventually(async () => (await names()).filter((name) => name === "Ana Rojas").length === 2);
  });

  it("are added to reactions that arrived before the name", async () => {
    const customer = newCustomer();
    const { id } = await writes(customer, "Ana Rojas");
    const given = JSON.stringify([{ from: "contact", author: customer, emoji: "👍", at: new Date() }]);
    const about = "business_id = 1 and chat_id in (select id from chats where business_id = 1 and contact_id = $1)";
    await world.rows(`update messages set reactions = $2 where ${about}`, [id, given]);
    await ask();
    const sql = `select author_name as writer, reactions->0->>'author' as author, reactions->0->>'emoji' as emoji
                 from messages where ${about}`;
    expect(await world.rows(sql, [id])).to.deep.equal([{ writer: "Ana Rojas", author: "Ana Rojas", emoji: "👍" }]);
  });

  it("are also requested on photo accounts", async () => {
    const customer = newCustomer();
    await writes(customer, "rojas.ana", accounts.photo, "photo");
    await ask();
    expect((await contact(customer))?.name).to.equal("rojas.ana");
  });

  it("do not replace a name that a user gave", async () => {
    const customer = newCustomer();
    const { id } = await writes(customer, "Ana Rojas");
    const changed = await request(`${world.api}/contacts/${id}`, {
      method: "PUT",
      body: { nombre: "Anita" },
      headers: { "x-api-key": world.appKey(1) },
    });
    expect(changed.status, changed.text).to.equal(200);
    await ask();
    expect((await contact(customer))?.name).to.equal("Anita");
    expect(await waiting()).to.deep.equal([]);
  });

  it("are ignored if the contact is renamed or erased during the request", async () => {
    const [named, erased] = [await writes(newCustomer()), await writes(newCustomer())];
    const change = (id: number, method: string, body?: object) =>
      request(`${world.api}/contacts/${id}`, {
        method,
        headers: { "x-api-key": world.appKey(1) },
        ...(body && { body }),
      });
    await namesFrom(async ({ contactId }) => {
      const done = await (contactId === named.id
        ? change(contactId, "PUT", { nombre: "Anita" })
        : change(contactId, "DELETE"));
      expect(done.status, done.text).to.be.oneOf([200, 204]);
      return "Ana Rojas";
    }).execute();
    const sql = "select id, name from contacts where business_id = 1 and id = any($1) order by id";
    expect(await world.rows(sql, [[named.id, erased.id]])).to.deep.equal([
      { id: named.id, name: "Anita" },
      { id: erased.id, name: "" },
    ]);
    expect(await waiting()).to.deep.equal([]);
    const authors =
      "select from messages where business_id = 1 and author_name = 'Ana Rojas' and chat_id in (select id from chats where contact_id = any($1))";
    expect(await world.rows(authors, [[named.id, erased.id]])).to.deep.equal([]);
  });

  it("are requested again with growing pauses while the platform fails, for some days", async () => {
    const customer = newCustomer();
    await writes(customer, "Ana Rojas");
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await world.control("POST", "/faults", { path: "profile", status: 500 });
      await ask();
      await ask();
      const [row, ...others] = await waiting();
      expect(others).to.deep.equal([]);
      expect(row?.attempts).to.equal(attempt);
      pauses.push(row?.seconds ?? 0);
      await world.rows("update unnamed_contacts set due_at = now()");
    }
    for (const [index, pause] of pauses.slice(1).entries()) expect(pause).to.be.at.least((pauses[index] ?? 0) - 1);
    expect(pauses.reduce((all, each) => all + each)).to.be.within(3 * 86_400, 7 * 86_400);
    await world.control("POST", "/faults", { path: "profile", status: 500 });
    await ask();
    expect(await waiting()).to.deep.equal([]);
    expect((await contact(customer))?.name).to.equal(customer);
  });

  it("are requested although another business has many to request and its platform hangs", async () => {
    await world.rows(
      `with made as (
         insert into contacts (business_id, name, known_on, platform_id)
         select 2, '26' || n, $1, '26' || n from generate_series(1, 1000) as n returning business_id, id)
       insert into chats (business_id, contact_id, provider) select business_id, id, $1 from made`,
      [pageChannel],
    );
    expect(await waiting()).to.have.length(1000);
    const customers = Array.from({ length: 3 }, newCustomer);
    for (const customer of customers) await writes(customer);
    const asked: number[] = [];
    let giveUp: (answer: null) => void = () => {};
    const answer = new Promise<null>((answered) => {
      giveUp = answered;
    });
    const hanging = namesFrom(({ businessId, platformId }) => {
      asked.push(businessId);
      return businessId === 2 ? answer : Promise.resolve(`Nombre ${platformId}`);
    });
    const stop = new AbortController();
    const working = hanging.execute(stop.signal);
    try {
      for (const customer of customers) {
        await eventually(async () => (await contact(customer))?.name === `Nombre ${customer}`);
      }
      expect(asked.filter((businessId) => businessId === 2)).to.have.length(1);
    } finally {
      stop.abort();
      giveUp(null);
      await working;
    }
  });

  it("are requested once for each contact by several workers", async () => {
    const customers = Array.from({ length: 5 }, newCustomer);
    for (const customer of customers) await writes(customer);
    const asked: string[] = [];
    const worker = namesFrom(async ({ platformId }) => {
      asked.push(platformId);
      return `Nombre ${platformId}`;
    });
    await Promise.all([worker.execute(), worker.execute(), worker.execute()]);
    for (const customer of customers) expect((await contact(customer))?.name).to.equal(`Nombre ${customer}`);
    expect(asked.sort()).to.deep.equal(customers);
  });

  it("are not requested for erased contacts", async () => {
    const customer = newCustomer();
    const { id } = await writes(customer, "Ana Rojas");
    const erased = await request(`${world.api}/contacts/${id}`, {
      method: "DELETE",
      headers: { "x-api-key": world.appKey(1) },
    });
    expect(erased.status, erased.text).to.be.oneOf([200, 204]);
    await ask();
    expect(await world.rows("select name from contacts where business_id = 1 and id = $1", [id])).to.deep.equal([
      { name: "" },
    ]);
    expect(await waiting()).to.deep.equal([]);
  });
});
