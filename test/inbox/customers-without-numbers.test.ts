import { expect } from "chai";
import { type ChatChannelName, cloudChannel, pageChannel, photoChannel } from "../../src/kernel/channels.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { tellOn } from "./incoming-support.ts";

interface Known {
  readonly id: number;
  readonly phone: string | null;
  readonly known_on: string | null;
  readonly chats: string[];
}

describe("customers of channels without numbers", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2)] });
    await world.rows(
      `insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
       select business_id, channel, channel || '-' || business_id, '', phone, sealed_token
       from senders, unnest($1::text[]) as channel`,
      [[pageChannel, photoChannel]],
    );
  });
  after(() => world.stop());

  let count = 0;
  const newId = (): string => `mid.${++count}`;
  const newCustomer = (): string => String(24_601_000_000_000_000 + ++count);
  const says = (channel: ChatChannelName, from: string, changes: object = {}) =>
    tellOn(
      world,
      channel,
    )({
      messages: [
        {
          sender: channel === cloudChannel ? "number-1" : `${channel}-1`,
          ...{ platformMessageId: newId(), from, name: "Ana", kind: "text", body: "Hola", occurredAt: new Date() },
          ...changes,
        },
      ],
    });
  const known = (platformId: string): Promise<Known[]> =>
    world.rows<Known>(
      `select contact.id, contact.phone, contact.known_on, array(
         select provider from chats as chat
         where chat.business_id = contact.business_id and chat.contact_id = contact.id order by id) as chats
       from contacts as contact where business_id = 1 and platform_id = $1 order by id`,
      [platformId],
    );
  const call = (method: string, path: string, body?: unknown) =>
    request(world.api + path, {
      method,
      ...(body !== undefined && { body }),
      headers: { "x-api-key": world.appKey(1) },
    });

  it("become one contact with one chat, even if several messages come at the same time", async () => {
    const from = newCustomer();
    await Promise.all(Array.from({ length: 8 }, () => says(pageChannel, from)));
    await says(pageChannel, from);
    const [contact, ...others] = await known(from);
    expect(others).to.deep.equal([]);
    expect(contact).to.deep.include({ phone: null, known_on: pageChannel, chats: [pageChannel] });
  });

  it("are kept apart from people whose number equals their id, and from customers of other channels", async () => {
    const from = "59170000101";
    await says(pageChannel, from);
    await says(photoChannel, from);
    await says(cloudChannel, from);
    expect((await known(from)).map(({ phone, known_on, chats }) => [phone, known_on, chats])).to.deep.equal([
      [from, null, [cloudChannel]],
      [null, pageChannel, [pageChannel]],
      [null, photoChannel, [photoChannel]],
    ]);
  });

  for (const from of ["24601000000009999", "246010000000999"]) {
    it(`are found by name and by their whole id of ${from.length} digits`, async () => {
      await says(pageChannel, from, { name: `Zoila ${from}` });
      for (const q of [`Zoila ${from}`, from]) {
        const { data } = (await call("GET", `/contacts?q=${encodeURIComponent(q)}`)).json;
        expect(data, q).to.have.length(1);
        expect(data[0]).to.include({ numero: "", platform_id: from });
        const chats = (await call("GET", `/chats?q=${encodeURIComponent(q)}`)).json.data;
        expect(chats[0].contacto, q).to.include({ numero: "", platform_id: from });
      }
    });
  }

  it("are shown with an empty number and cannot get one", async () => {
    const from = newCustomer();
    await says(pageChannel, from);
    const [contact] = await known(from);
    const refused = await call("PUT", `/contacts/${contact?.id}`, { numero: "59171234567" });
    expect([refused.status, refused.json.code]).to.deep.equal([409, "has_no_number"]);
    const renamed = await call("PUT", `/contacts/${contact?.id}`, { nombre: "Zoila Paz" });
    expect([renamed.status, renamed.json.nombre, renamed.json.numero]).to.deep.equal([200, "Zoila Paz", ""]);
  });

  it("stay opted out when they write after their erasure, but a person whose number equals their id does not", async () => {
    const from = "59171111122";
    await says(pageChannel, from);
    const [contact] = await known(from);
    expect((await call("DELETE", `/contacts/${contact?.id}`)).status).to.equal(204);
    // The erasure stored digests that were made with the service's secret. The store behind `says` makes its digests
    // without the secret, so the test replaces the stored digests.
    await world.rows("delete from erased_numbers");
    await world.rows("insert into erased_numbers (business_id, digest) values (1, $1)", [
      Buffer.from(`${pageChannel}:${from}`.padEnd(32)).subarray(0, 32),
    ]);
    await says(pageChannel, from);
    await says(cloudChannel, from);
    const rows = await world.rows(
      "select known_on, opted_out_at is not null as out from contacts where business_id = 1 and platform_id = $1 order by id",
      [from],
    );
    expect(rows).to.deep.equal([
      { known_on: pageChannel, out: true },
      { known_on: null, out: false },
    ]);
  });

  it("leave a digest of their id with its channel when they are erased", async () => {
    const from = newCustomer();
    await says(photoChannel, from);
    const [contact] = await known(from);
    const before = await world.rows<{ digest: Buffer }>("select digest from erased_numbers");
    await call("DELETE", `/contacts/${contact?.id}`);
    const after = await world.rows<{ digest: Buffer }>("select digest from erased_numbers");
    expect(after).to.have.length(before.length + 1);
    await call("POST", "/contacts", { numero: "59172222333" });
    const { data } = (await call("GET", "/contacts?q=59172222333")).json;
    expect(data[0].opted_out).to.equal(false);
  });

  it("can react and opt out of marketing, as found by their id", async () => {
    const from = newCustomer();
    const platformMessageId = newId();
    await says(pageChannel, from, { platformMessageId });
    await tellOn(
      world,
      pageChannel,
    )({
      reactions: [
        { sender: `${pageChannel}-1`, from, messageId: platformMessageId, emoji: "👍", occurredAt: new Date() },
      ],
      preferences: [{ sender: `${pageChannel}-1`, from, optedOut: true, occurredAt: new Date() }],
    });
    const [row] = await world.rows(
      `select reactions->0->>'emoji' as emoji, contact.opted_out_at is not null as out
       from messages as message join chats as chat on chat.id = message.chat_id
       join contacts as contact on contact.id = chat.contact_id where platform_message_id = $1`,
      [platformMessageId],
    );
    expect(row).to.deep.equal({ emoji: "👍", out: true });
    expect(await known(from)).to.have.length(1);
  });

  it("are skipped by campaigns, which give the reason", async () => {
    const from = newCustomer();
    await says(pageChannel, from);
    const [contact] = await known(from);
    const [agent] = await world.rows<{ id: number }>("select id from users where business_id = 1 order by id limit 1");
    const [step] = await world.rows<{ id: number }>("select id from steps where business_id = 1 limit 1");
    const registered = await call("POST", "/chats/enviar/masivo/plantilla", {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: agent?.id, nombre: "Todos", step: step?.id, tags: [] },
      ...{ contacts_id: [contact?.id], contacts: [{ nombre: "Ana", numero: "59173333444", pedido: "7" }] },
      paramMapping: { 1: "nombre", 2: "pedido" },
    });
    expect(registered.status, JSON.stringify(registered.json)).to.equal(200);
    const sql = "select state, error_reason from campaign_recipients where contact_id = $1 and state <> 'queued'";
    const [recipient] = await eventually(async () => {
      const rows = await world.rows(sql, [contact?.id]);
      return rows.length > 0 && rows;
    });
    expect(recipient).to.deep.equal({ state: "skipped", error_reason: "the contact has no phone number" });
  });
});
