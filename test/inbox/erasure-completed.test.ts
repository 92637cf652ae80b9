import { mkdir, readdir, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { World } from "../support/world.ts";
import { Erasures, fileIn, says } from "./erasure-support.ts";

describe("the erasure of a contact", () => {
  let erasures: Erasures;
  let world: World;
  before(async () => {
    erasures = await Erasures.start();
    world = erasures.world;
  });
  after(() => erasures.stop());

  const call: Erasures["call"] = (...asked) => erasures.call(...asked);
  const holding = (text: string) => erasures.holding(text);

  it("also erases data that arrived during the erasure, within a minute", async () => {
    const { json: made } = await call("POST", "/contacts", { nombre: "Rápida", numero: "59178887771" });
    await world.webhook(says("59178887771", "Rápida", "primera", "wamid.first"));
    await eventually(async () => (await world.get(`/contacts/${made.id}`)).json.chats.length === 1);
    const [chat] = (await world.get(`/contacts/${made.id}`)).json.chats;
    expect((await call("DELETE", `/contacts/${made.id}`)).status).to.equal(204);
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state)
       select 1, $1, id, 'in', 'text', 'texto rezagado', 'contact', 'Rápida', 'received'
       from conversations where chat_id = $1 limit 1`,
      [chat.chat_id],
    );
    await erasures.completeNow();
    await eventually(async () => (await holding("texto rezagado")).length === 0);
  });

  /** Ways to make an erasure fail after its commit. */
  const trouble = {
    "its files cannot be removed": async (file: string) => {
      // A folder takes the file's place. Removing the folder as a file fails.
      await rename(join(erasures.directory, file), join(erasures.directory, "aside"));
      await mkdir(join(erasures.directory, file));
      return async () => {
        await rmdir(join(erasures.directory, file));
        await rename(join(erasures.directory, "aside"), join(erasures.directory, file));
      };
    },
    "the event log cannot be written": async () => {
      await world.rows(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
        create trigger refuse before update on realtime_events for each row execute function refuse()`);
      return async () => void (await world.rows("drop trigger refuse on realtime_events; drop function refuse"));
    },
  };
  for (const [index, [what, cause]] of Object.entries(trouble).entries()) {
    it(`is completed later, or by a second request, if ${what}`, async () => {
      const number = `5917888600${index}`;
      const secret = `secreto de ${number}`;
      await world.webhook(says(number, "Tarda", secret, `wamid.later-${index}`));
      const contact = await eventually(async () => (await world.get(`/contacts?q=${number}`)).json.data[0]);
      const url = await erasures.upload(30 + index);
      await world.rows(
        `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author,
                               author_name, state)
         select 1, chat_id, id, 'in', 'image', '', $2, 'contact', '', 'received' from conversations where chat_id = $1`,
        [contact.chats[0].chat_id, url],
      );
      const fetched = () => request(`${world.api}/media/${fileIn(url)}`);
      expect((await fetched()).status).to.equal(200);

      const repair = await cause(fileIn(url));
      expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(500);
      expect((await world.get(`/contacts/${contact.id}`)).status).to.equal(404);
      expect((await fetched()).status).to.equal(404);
      // This row stands for a webhook that arrived before the erasure and that another process handled until now.
      await world.rows("insert into incoming_webhooks (payload, gave_up_at, error) values ($1, now(), '')", [
        JSON.stringify({ from: number, text: secret }),
      ]);
      expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(500);
      await repair();

      if (index === 0) {
        await erasures.completeNow();
      } else {
        expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(204);
      }
      await eventually(async () => (await holding(number)).length === 0);
      expect(await holding(secret)).to.deep.equal([]);
      await erasures.endNow();
      expect(await holding(number)).to.deep.equal([]);
      expect(await readdir(erasures.directory)).not.to.include(fileIn(url));
      expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(404);
    });
  }

  it("also covers webhooks and imports that finish after it, but no later webhooks", async () => {
    const number = "59178887740";
    const { json: made } = await call("POST", "/contacts", { nombre: "Lía", numero: number });
    expect((await call("DELETE", `/contacts/${made.id}`)).status).to.equal(204);
    const webhook = (text: string) => JSON.stringify({ from: number, text });
    await world.rows(
      `insert into incoming_webhooks (payload, received_at, gave_up_at, error)
       values ($1, now(), now(), ''), ($2, now() + interval '5 minutes', now(), '')`,
      [webhook("rezagado"), webhook("de nuevo")],
    );
    await erasures.completeNow();
    expect([await holding("rezagado"), await holding("de nuevo")]).to.deep.equal([[], ["public.incoming_webhooks"]]);
    await world.rows("delete from incoming_webhooks where gave_up_at is not null");
    await world.rows("insert into refused_contacts (business_id, file, part, content) values (1, 'late', 0, $1)", [
      `motivo,numero,nombre\r\nun tag no existe,${number},Lía\r\n`,
    ]);
    expect(await holding(number)).to.deep.equal(["public.refused_contacts"]);
    await erasures.completeNow();
    expect(await holding(number)).to.deep.equal([]);
    await erasures.endNow();
    expect(await holding(number)).to.deep.equal([]);
  });

  it("removes all rows even if two erasures change the same part of a file of refused rows", async () => {
    const numbers = ["59178887750", "59178887751"];
    const made: number[] = [];
    for (const numero of numbers) made.push((await call("POST", "/contacts", { nombre: "Par", numero })).json.id);
    const lines = numbers.map((number) => `${number},Par,Ninguno\n`).join("");
    const { refused_csv: file } = await erasures.import(`numero,nombre,tags\n${lines}`);
    let erased: Promise<Answer>[] = [];
    await world.database.transaction(async (transaction) => {
      const hold = "select from refused_contacts where content like '%Par%' for update";
      await transaction.rows({ name: "", text: hold }, []);
      erased = made.map((contact) => call("DELETE", `/contacts/${contact}`));
      const waiting = `
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%update refused_contacts%'`;
      await eventually(async () => (await world.rows(waiting)).length === 2);
    });
    expect((await Promise.all(erased)).map(({ status }) => status)).to.deep.equal([204, 204]);
    expect((await world.get(file)).text).to.equal("motivo,numero,nombre,tags\r\n");
  });

  it("erases a long chat in steps, and continues after an interruption", async () => {
    const number = "59178887760";
    await world.webhook(says(number, "Larga", "hola", "wamid.long"));
    const contact = await eventually(async () => (await world.get(`/contacts?q=${number}`)).json.data[0]);
    const chatId = contact.chats[0].chat_id;
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state)
       select 1, $1, id, 'in', 'text', 'confidencia ' || place, 'contact', 'Larga', 'received'
       from conversations, generate_series(1, 5500) as place where chat_id = $1`,
      [chatId],
    );
    await world.rows(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before update on messages for each row when (old.body = 'confidencia 1')
      execute function refuse()`);
    const left = async () =>
      (await world.rows("select from messages where chat_id = $1 and body like 'confidencia %'", [chatId])).length;
    const listener = await world.listen(102);
    expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(500);
    expect((await world.get(`/contacts/${contact.id}`)).status).to.equal(404);
    expect(await left()).to.equal(500);
    await eventually(() => listener.heard.filter(({ name }) => name === "message:changed").length === 500);

    await world.rows("drop trigger refuse on messages; drop function refuse");
    await erasures.completeNow();
    expect(await left()).to.equal(0);
    await erasures.endNow();
    expect(await holding(number)).to.deep.equal([]);
  });

  it("clears the reasons for which conversations and tickets were closed", async () => {
    const number = "59178887765";
    const reason = "se mudó a la Calle Oculta 5";
    await world.webhook(says(number, "Mudada", "hola", "wamid.closed"));
    const contact = await eventually(async () => (await world.get(`/contacts?q=${number}`)).json.data[0]);
    const chatId = contact.chats[0].chat_id;
    await world.rows(
      `insert into tickets (business_id, chat_id, conversation_id, step_id, agent_id, state)
       select 1, chat_id, id, (select min(id) from steps where business_id = 1), 102, 'pending'
       from conversations where chat_id = $1`,
      [chatId],
    );
    const closed = await call("POST", `/chats/${chatId}/close`, { ticket: "completado", motivo: reason });
    expect(closed.status, closed.text).to.be.within(200, 204);
    expect(await holding(reason)).to.include.members(["public.conversations", "public.tickets"]);
    expect((await call("DELETE", `/contacts/${contact.id}`)).status).to.equal(204);
    expect(await holding(reason)).to.deep.equal([]);
  });

  it("deletes stored answers about the contact, also late ones, and no others", async () => {
    const number = "59178887780";
    const { json: made } = await call(
      "POST",
      "/contacts",
      { nombre: "Ana", numero: number },
      { "idempotency-key": `hers-${number}` },
    );
    const neighbour = { nombre: "Ana", numero: "591711", campos: { nota: `prima de ${number}` } };
    const kept = await call("POST", "/contacts", { ...neighbour, numero: "59171100001" }, { "idempotency-key": "kin" });
    expect(kept.status).to.equal(201);
    // The answer to this request is about no contact, so the erasure keeps the answer. Only the key is replaced,
    // because it contains the number.
    const lines = [{ articleId: 999_999, quantity: 1, extras: [] }];
    const refused = () =>
      call("POST", "/catalogs/orders", { type: "wa", lines }, { "idempotency-key": "591-7888-7780" });
    expect((await refused()).status).to.equal(404);

    await world.control("POST", "/faults", { path: "messages", delay_ms: 1_000 });
    const template = { empresa_id: 1, phone_number: number, plantilla_id: 101, parameters: ["Ana", "1"] };
    const sending = call("POST", "/chats/enviar/plantilla/business", template, {
      "idempotency-key": `late-+${number}`,
    });
    await eventually(async () => (await world.control("GET", `/messages?to=${number}`)).length === 1);
    expect((await call("DELETE", `/contacts/${made.id}`)).status).to.equal(204);
    const sent = await sending;
    expect(sent.status).to.equal(200);
    const messageId = String(sent.headers["x-message-id"]);
    expect(messageId).to.match(/^wamid[.]/);
    expect(await holding(messageId)).to.deep.equal([]);
    expect(
      await world.rows("select from idempotency_keys where body like $1", [`%"numero":"${number}"%`]),
    ).to.deep.equal([]);
    const keys = await world.rows<{ key: string }>("select key from idempotency_keys where business_id = 1");
    expect(keys.filter(({ key }) => key.replaceAll("-", "").includes(number))).to.deep.equal([]);
    const again = await refused();
    expect([again.status, again.headers["idempotent-replay"]]).to.deep.equal([404, "true"]);
    const hers = await call(
      "POST",
      "/contacts",
      { nombre: "Ana", numero: number },
      { "idempotency-key": `hers-${number}` },
    );
    expect([hers.status, hers.text.includes("erased")]).to.deep.equal([409, true]);
    const late = await call("POST", "/chats/enviar/plantilla/business", template, {
      "idempotency-key": `late-+${number}`,
    });
    expect(late.status).to.equal(409);
    const kin = await call("POST", "/contacts", { ...neighbour, numero: "59171100001" }, { "idempotency-key": "kin" });
    expect([kin.status, kin.json]).to.deep.equal([201, kept.json]);
  });

  it("removes the contact's rows from files of refused rows, and keeps the others", async () => {
    const { json: made } = await call("POST", "/contacts", { nombre: "Rita", numero: "59178887790" });
    const { refused_csv: file } = await erasures.import(
      'numero,nombre,tags\n+591 78887790,"Rita, la de ""siempre""",Ninguno\n59178887791,"Otra\r\npersona",Ninguno\n',
    );
    const before = (await world.get(file)).text;
    expect(before).to.include("Rita");
    expect((await call("DELETE", `/contacts/${made.id}`)).status).to.equal(204);
    expect((await world.get(file)).text).to.equal(
      'motivo,numero,nombre,tags\r\nun tag no existe,59178887791,"Otra\r\npersona",Ninguno\r\n',
    );
  });

  it("does not block other requests of the business while it searches the event log", async () => {
    const { json: made } = await call("POST", "/contacts", { nombre: "Lenta", numero: "59178887795" });
    await world.rows(`
      create function wait() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(4711); return new; end $$;
      create trigger wait before update on realtime_events for each row execute function wait()`);
    let erased: Promise<Answer> | undefined;
    await world.database.transaction(async (transaction) => {
      await transaction.rows({ name: "", text: "select pg_advisory_xact_lock(4711)" }, []);
      erased = call("DELETE", `/contacts/${made.id}`);
      const waits = `
        select from pg_locks as held join pg_database as base on base.oid = held.database
        where held.locktype = 'advisory' and not held.granted and base.datname = current_database()`;
      await eventually(async () => (await world.rows(waits)).length === 1);
      expect((await call("POST", "/contacts", { numero: "59178887796" })).status).to.equal(201);
    });
    expect((await erased)?.status).to.equal(204);
    await world.rows("drop trigger wait on realtime_events; drop function wait");
  });
});
