import { expect } from "chai";
import { openShop } from "../orders/shop.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aThread, type World } from "../support/world.ts";
import { Erasures } from "./erasure-support.ts";

describe("an erased contact", () => {
  let erasures: Erasures;
  let world: World;
  before(async () => {
    erasures = await Erasures.start([aThread(101, { phone: "59178800001" }), aThread(102, { phone: "59178800002" })]);
    world = erasures.world;
    await openShop(world, 1);
  });
  after(() => erasures.stop());

  const call: Erasures["call"] = (...asked) => erasures.call(...asked);
  const optedOut = async (phone: string) => (await world.get(`/contacts?q=${phone}`)).json.data[0]?.opted_out;

  /** A contact with a chat, whose erasure stops halfway, at its chat, until `meanwhile` waits for it. */
  const erasedWhile = async (phone: string, meanwhile: () => Promise<Answer["json"]>): Promise<Answer["json"]> => {
    const { json } = await call("POST", "/contacts", { numero: phone });
    const [chat] = await world.rows<{ id: number }>(
      "insert into chats (business_id, contact_id, provider, state) values (1, $1, 'platform-apicloud', 'closed') returning id",
      [json.id],
    );
    let under: Promise<Answer["json"][]> | undefined;
    await world.database.transaction(async (transaction) => {
      const ask = (text: string, values: unknown[] = []) =>
        transaction.rows<{ pid: number }>({ name: "", text }, values);
      // Other work of the service may wait for locks of its own.
      const waitFor = async (blocking: number) => {
        const waiting = `
          select pid from pg_stat_activity
          where datname = current_database() and $1 = any(pg_blocking_pids(pid)) order by pid limit 1`;
        return eventually(async () => (await ask(waiting, [blocking]))[0]?.pid);
      };
      await ask("select from chats where business_id = 1 and id = $1 for no key update", [chat?.id]);
      const erased = call("DELETE", `/contacts/${json.id}`);
      const [own] = await ask("select pg_backend_pid() as pid");
      const erasing = await waitFor(own?.pid ?? 0);
      under = Promise.all([erased, meanwhile()]);
      await waitFor(erasing);
    });
    const [erased, answer] = (await under) ?? [];
    expect(erased.status, erased.text).to.equal(204);
    return answer;
  };

  it("leaves its number opted out for a contact who is made while it is erased", async () => {
    const phone = "59178800010";
    const made = await erasedWhile(phone, () => call("POST", "/contacts", { numero: phone }));
    expect([made.status, made.json.opted_out]).to.deep.equal([201, true]);
  });

  it("leaves its number opted out for a contact who is imported while it is erased", async () => {
    const phone = "59178800011";
    const imported = await erasedWhile(phone, () => erasures.import(`numero,opted_out\n${phone},false\n`));
    expect(imported.created, JSON.stringify(imported)).to.equal(1);
    expect(await optedOut(phone)).to.equal(true);
  });

  it("leaves its number opted out for a contact who gets it while it is erased", async () => {
    const phone = "59178800012";
    const { json } = await call("POST", "/contacts", { numero: "59178800013" });
    const changed = await erasedWhile(phone, () => call("PUT", `/contacts/${json.id}`, { numero: phone }));
    expect([changed.status, changed.json.opted_out]).to.deep.equal([200, true]);
  });

  it("takes no note and no template any more, as it takes no text (Inbox.53)", async () => {
    expect((await call("DELETE", "/contacts/101")).status).to.equal(204);
    for (const body of [{ texto: "Hola" }, { nota: "Llamar" }, { plantilla_id: 101, parameters: ["Ana", "7"] }]) {
      const { status, json } = await call("POST", "/chats/101/messages", body);
      expect([status, json.code], JSON.stringify(body)).to.deep.equal([409, "contact_erased"]);
    }
    const kept = await world.rows("select from messages where business_id = 1 and chat_id = 101 and body <> ''");
    expect(kept).to.deep.equal([]);
  });

  it("is not spoken of by a repeated answer, which says so with a code", async () => {
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

  it("has its orders told without their address", async () => {
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
