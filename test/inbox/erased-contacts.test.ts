import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { openShop } from "../orders/shop.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aThread, aWebhook, type World } from "../support/world.ts";
import { Erasures } from "./erasure-support.ts";

describe("an erased contact", () => {
  let erasures: Erasures;
  let world: World;
  before(async () => {
    erasures = await Erasures.start([
      ...[101, 102, 103, 104].map((id) => aThread(id, { phone: `59178800${id}` })),
      aThread(105, { phone: "59178800105", state: "closed" }),
    ]);
    world = erasures.world;
    await openShop(world, 1);
  });
  after(() => erasures.stop());

  const call: Erasures["call"] = (...asked) => erasures.call(...asked);
  const optedOut = async (phone: string) => (await world.get(`/contacts?q=${phone}`)).json.data[0]?.opted_out;

  const chatWith = async (phone: string) => {
    const { json: contact } = await call("POST", "/contacts", { numero: phone });
    const [chat] = await world.rows<{ id: number }>(
      "insert into chats (business_id, contact_id, provider, state) values (1, $1, 'platform-apicloud', 'closed') returning id",
      [contact.id],
    );
    return { contactId: contact.id, chatId: chat?.id ?? 0 };
  };

  /**
   * Erases a contact while `lock` holds a row that the erasure needs. The row is released when `meanwhile` waits for
   * the erasure.
   */
  const erasing = async <Done>(
    contactId: number,
    [lock, rowId]: readonly [sql: string, id: number],
    meanwhile: () => Promise<Done>,
  ): Promise<Done> => {
    let under: Promise<[Answer, Done]> | undefined;
    await world.database.transaction(async (transaction) => {
      const ask = (text: string, values: unknown[] = []) =>
        transaction.rows<{ pid: number }>({ name: "", text }, values);
      // Waits until a database process waits for the process `blocking`. Returns the id of the waiting process.
      const waitFor = async (blocking: number) => {
        const waiting = `
          select pid from pg_stat_activity
          where datname = current_database() and $1 = any(pg_blocking_pids(pid)) order by pid limit 1`;
        // Inside the transaction, `pg_stat_activity` would not change after its first use, so this query runs outside.
        return eventually(async () => (await world.rows<{ pid: number }>(waiting, [blocking]))[0]?.pid);
      };
      await ask(lock, [rowId]);
      const erased = call("DELETE", `/contacts/${contactId}`);
      const [own] = await ask("select pg_backend_pid() as pid");
      const eraser = await waitFor(own?.pid ?? 0);
      under = Promise.all([erased, meanwhile()]);
      await waitFor(eraser);
    });
    const [erased, done] = (await under) as [Answer, Done];
    expect(erased.status, erased.text).to.equal(204);
    return done;
  };

  const erasedWhile = async (phone: string, meanwhile: () => Promise<Answer["json"]>): Promise<Answer["json"]> => {
    const { contactId, chatId } = await chatWith(phone);
    return erasing(
      contactId,
      ["select from chats where business_id = 1 and id = $1 for no key update", chatId],
      meanwhile,
    );
  };

  it("keeps no data of a status that arrives while its message is erased", async () => {
    const { contactId, chatId } = await chatWith("59178800014");
    const reference = randomUUID();
    const [, later] = await world.rows<{ id: number }>(
      `with conversation as (
         insert into conversations (business_id, chat_id, state) values (1, $1, 'in_progress') returning id
       )
       insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
                             reference, attempt, lease_until)
       select 1, $1, conversation.id, 'out', 'text', 'Hola', 'user', 'Eva', 'sending', reference, 1, now() + interval '1 hour'
       from conversation cross join unnest($2::uuid[]) with ordinality as given(reference, place) order by place
       returning id`,
      [chatId, [reference, randomUUID()]],
    );
    const status = {
      id: "wamid.meanwhile",
      status: "sent",
      timestamp: "1760000000",
      biz_opaque_callback_data: reference,
    };
    await erasing(
      contactId,
      ["select from messages where business_id = 1 and id = $1 for no key update", later?.id ?? 0],
      () => world.webhook(aWebhook(1, { statuses: [status] })),
    );
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
    expect(await erasures.holding("wamid.meanwhile")).to.deep.equal([]);
  });

  it("leaves its number opted out for a contact that is created during the erasure", async () => {
    const phone = "59178800010";
    const made = await erasedWhile(phone, () => call("POST", "/contacts", { numero: phone }));
    expect([made.status, made.json.opted_out]).to.deep.equal([201, true]);
  });

  it("leaves its number opted out for a contact that is imported during the erasure", async () => {
    const phone = "59178800011";
    const imported = await erasedWhile(phone, () => erasures.import(`numero,opted_out\n${phone},false\n`));
    expect(imported.created, JSON.stringify(imported)).to.equal(1);
    expect(await optedOut(phone)).to.equal(true);
  });

  it("leaves its number opted out for a contact that gets it during the erasure", async () => {
    const phone = "59178800012";
    const { json } = await call("POST", "/contacts", { numero: "59178800013" });
    const changed = await erasedWhile(phone, () => call("PUT", `/contacts/${json.id}`, { numero: phone }));
    expect([changed.status, changed.json.opted_out]).to.deep.equal([200, true]);
  });

  it("gets no more notes, templates or texts (Inbox.53)", async () => {
    expect((await call("DELETE", "/contacts/101")).status).to.equal(204);
    for (const body of [{ texto: "Hola" }, { nota: "Llamar" }, { plantilla_id: 101, parameters: ["Ana", "7"] }]) {
      const { status, json } = await call("POST", "/chats/101/messages", body);
      expect([status, json.code], JSON.stringify(body)).to.deep.equal([409, "contact_erased"]);
    }
    const kept = await world.rows("select from messages where business_id = 1 and chat_id = 101 and body <> ''");
    expect(kept).to.deep.equal([]);
  });

  it("has chats that cannot be taken or handed over, only closed (Inbox.56, Inbox.57)", async () => {
    const authorization = `Bearer ${await world.sessionToken(102)}`;
    const act = (chatId: number, action: string, body: object = {}) =>
      request(`${world.api}/chats/${chatId}/${action}`, { method: "POST", headers: { authorization }, body });
    const admin = (chatId: number, body: object) => call("POST", `/chats/${chatId}/assign`, body);
    expect((await act(104, "take")).status).to.equal(200);
    for (const contactId of [103, 104, 105])
      expect((await call("DELETE", `/contacts/${contactId}`)).status).to.equal(204);
    const conversations = () =>
      world.rows(
        "select id, chat_id, state, closed_at from conversations where business_id = 1 and chat_id in (103, 105) order by id",
      );
    const before = await conversations();
    for (const chatId of [103, 105]) {
      const refused = [
        await act(chatId, "take"),
        await admin(chatId, { soporte_id: 102 }),
        await admin(chatId, { departamento_id: 101 }),
      ];
      for (const { status, json } of refused) expect([status, json.code]).to.deep.equal([409, "contact_erased"]);
    }
    const returned = await admin(104, { soporte_id: null });
    expect([returned.status, returned.json.code]).to.deep.equal([409, "contact_erased"]);
    expect(await conversations()).to.deep.equal(before);
    expect((await act(104, "take")).status).to.equal(200);
    const closed = await act(104, "close", { ticket: "cancelado" });
    expect([closed.status, closed.json.estado], closed.text).to.deep.equal([200, "cerrado"]);
  });

  it("leaves nothing unread, however far an agent reads afterwards", async () => {
    const phone = "59178800040";
    const messages = ["a", "b", "c"].map((id) => ({
      ...{ from: phone, id: `wamid.unread-${id}`, timestamp: String(Math.floor(Date.now() / 1_000)) },
      ...{ type: "text", text: { body: `Hola ${id}` } },
    }));
    await world.webhook(aWebhook(1, { contacts: [{ wa_id: phone, profile: { name: "Carla" } }], messages }));
    const chat = await eventually(async () => (await world.get(`/chats?q=${phone}`)).json.data[0]);
    const messageIds = (await world.get(`/chats/${chat.chat_id}/messages`)).json.data.map(
      ({ id }: { id: number }) => id,
    );
    expect([chat.no_leidos, messageIds.length]).to.deep.equal([3, 3]);
    expect((await call("DELETE", `/contacts/${chat.contacto.id}`)).status).to.equal(204);
    const { status, json } = await call("POST", `/chats/${chat.chat_id}/read`, { hasta: Math.min(...messageIds) });
    expect([status, json.no_leidos]).to.deep.equal([200, 0]);
  });

  it("is not in a repeated answer, which has an error code instead", async () => {
    const { json: contact } = await call("POST", "/contacts", { numero: "59178800020" });
    const lines = [{ articleId: 101, quantity: 1, extras: [] }];
    const [chat] = await world.rows<{ id: number }>(
      "insert into chats (business_id, contact_id, provider, state) values (1, $1, 'platform-apicloud', 'closed') returning id",
      [contact.id],
    );
    const order = () =>
      call("POST", "/catalogs/orders", { chatId: chat?.id, type: "wa", lines }, { "idempotency-key": "once" });
    expect((await order()).status).to.equal(201);
    expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(204);
    const { status, json } = await order();
    expect([status, json]).to.deep.equal([
      409,
      { error: "Esta solicitud ya fue respondida, pero la respuesta fue borrada", code: "answer_erased" },
    ]);
  });

  it("is in no event of its erasure, and does not come back with a repeated webhook", async () => {
    const phone = "59178800030";
    const says = (id: string, body: string, at: number) =>
      world.webhook(
        aWebhook(1, {
          contacts: [{ wa_id: phone, profile: { name: "Nombre Borrado" } }],
          messages: [{ from: phone, id, timestamp: String(Math.floor(at / 1_000)), type: "text", text: { body } }],
        }),
      );
    const found = async () => (await world.get(`/contacts?q=${phone}`)).json.data;
    const before = Date.now() - 5_000;
    await says("wamid.erased", "Texto borrado", before);
    const contact = await eventually(async () => (await found())[0]);
    const listener = await world.listen(101);
    const heardBefore = listener.heard.length;
    expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(204);
    await listener.hears(({ name }) => name === "message:changed");
    expect(JSON.stringify(listener.heard.slice(heardBefore))).not.to.include("Texto borrado");

    await says("wamid.erased", "Texto borrado", before);
    // Webhooks of one number are processed in order, so the repeated webhook is done when this message appears.
    await says("wamid.new", "Hola de nuevo", Date.now() + 2_000);
    const again = await eventually(async () => (await found())[0]);
    const { json } = await world.get(`/chats/${again.chats[0].chat_id}/messages`);
    expect(json.data.map(({ texto }: { texto: string }) => texto)).to.deep.equal(["Hola de nuevo"]);
    expect((await world.get(`/chats/${contact.chats[0].chat_id}`)).json.no_leidos).to.equal(0);
  });

  it("is missing from the events of its orders, which have no address", async () => {
    const address = "Calle Borrada 5";
    const ordered = async (type: string) => {
      const lines = [{ articleId: 101, quantity: 1, extras: [] }];
      const { status, json, text } = await call("POST", "/catalogs/orders", {
        ...{ chatId: 102, type, lines, raw_adress: address },
      });
      expect(status, text).to.equal(201);
      return json.data as { id: number };
    };
    const orders = [await ordered("wa"), await ordered("app")];
    const listener = await world.listen(101);
    const [last] = await world.rows<{ number: number }>(
      "select max(number) as number from realtime_events where business_id = 1",
    );
    expect((await call("DELETE", "/contacts/102")).status).to.equal(204);
    for (const { id } of orders) {
      const { payload } = await listener.hears((event) => event.name === "order:changed" && event.payload.id === id);
      expect(JSON.stringify(payload)).not.to.include(address);
    }
    const logged = await world.rows<{ payload: { id: number } }>(
      "select payload from realtime_events where business_id = 1 and name = 'order:changed' and number > $1",
      [last?.number],
    );
    expect(logged.map(({ payload }) => payload.id).sort((a, b) => a - b)).to.deep.equal(orders.map(({ id }) => id));
  });
});
