import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aWebhook, startWorld, type World } from "../support/world.ts";

interface StoredMessage {
  readonly id: number;
  readonly chat_id: number;
  readonly conversation_id: number;
  readonly kind: string;
  readonly body: string;
  readonly details: Answer["json"];
}

interface Chat {
  readonly id: number;
  readonly ad_id: string | null;
  readonly ad_referral: Answer["json"];
  readonly last_message_at: Date;
  readonly last_inbound_at: Date;
}

describe("webhooks of customers and platform", () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      businesses: [aBusiness(1), aBusiness(2), aBusiness(3)],
      environment: { ROLE: "api" },
    });
  });
  after(() => world.stop());
  afterEach(() => world.rows("delete from incoming_webhooks"));

  let count = 0;
  const newPhone = (): string => String(59_177_000_000 + ++count);
  const newId = (): string => `wamid.in.${++count}`;
  const texting = (from: string, body: string, changes: object = {}) => ({
    from,
    id: newId(),
    timestamp: "1760000000",
    type: "text",
    text: { body },
    ...changes,
  });
  const tell = async (value: object, businessId = 1): Promise<void> => {
    const answer = await world.webhook(aWebhook(businessId, value));
    expect(answer.json).to.deep.equal({ success: true });
  };
  const allProcessed = () => eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  const telling = async (value: object, businessId = 1): Promise<void> => {
    await tell(value, businessId);
    await allProcessed();
  };
  const messagesOf = (phone: string, businessId = 1): Promise<StoredMessage[]> =>
    world.rows<StoredMessage>(
      `select message.* from messages as message
       join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
       join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where message.business_id = $2 and contact.phone = $1 order by message.id`,
      [phone, businessId],
    );
  const chatOf = async (phone: string): Promise<Chat> => {
    const [chat, ...others] = await world.rows<Chat>(
      `select chat.* from chats as chat join contacts as contact
         on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where chat.business_id = 1 and phone = $1`,
      [phone],
    );
    if (!chat || others.length > 0) throw new Error(`not one chat with ${phone}`);
    return chat;
  };

  describe("a customer's message", () => {
    it("creates a missing contact, chat and conversation with the bot", async () => {
      const phone = newPhone();
      const id = newId();
      const messages = [texting(phone, "hola ñandú 😀", { id })];
      await telling({ contacts: [{ profile: { name: "Ana" }, wa_id: phone }], messages });
      const made = await world.rows(
        `select contact.name, contact.platform_id, chat.provider, chat.bot_available, chat.last_inbound_at,
                conversation.state, message.direction, message.kind, message.body, message.author, message.author_name,
                message.state as message_state, message.platform_message_id, message.occurred_at, message.details
         from contacts as contact
         join chats as chat on chat.business_id = contact.business_id and chat.contact_id = contact.id
         join messages as message on message.business_id = chat.business_id and message.chat_id = chat.id
         join conversations as conversation
           on conversation.business_id = chat.business_id and conversation.id = message.conversation_id
         where contact.business_id = 1 and contact.phone = $1`,
        [phone],
      );
      expect(made).to.deep.equal([
        {
          name: "Ana",
          platform_id: phone,
          provider: "platform-apicloud",
          bot_available: true,
          last_inbound_at: new Date(1_760_000_000_000),
          state: "bot",
          direction: "in",
          kind: "text",
          body: "hola ñandú 😀",
          author: "contact",
          author_name: "Ana",
          message_state: "received",
          platform_message_id: id,
          occurred_at: new Date(1_760_000_000_000),
          details: null,
        },
      ]);
    });

    it("joins the open conversation, and does not rename the contact", async () => {
      const contacts = [{ profile: { name: "Otro" }, wa_id: "59170000101" }];
      await telling({ contacts, messages: [texting("59170000101", "otra vez")] });
      const messages = await messagesOf("59170000101");
      expect(messages.at(-1)).to.include({ body: "otra vez", chat_id: 101, conversation_id: 101 });
      expect(await world.rows("select name from contacts where id = 101")).to.deep.equal([{ name: "Carla Cliente" }]);
    });

    it("opens a new conversation after a closed one, which is pending if the bot is off", async () => {
      const phone = newPhone();
      await telling({ messages: [texting(phone, "uno")] });
      await world.rows(
        `with closed as (update conversations set closed_at = now() where id = $1)
         update chats set bot_available = false where id = $2`,
        [(await messagesOf(phone))[0]?.conversation_id, (await chatOf(phone)).id],
      );
      await telling({ messages: [texting(phone, "dos")] });
      const conversations = await world.rows(
        "select state, closed_at is null as open from conversations where chat_id = $1 order by id",
        [(await chatOf(phone)).id],
      );
      expect(conversations).to.deep.equal([
        { state: "bot", open: false },
        { state: "pending", open: true },
      ]);
    });

    it("finds the contact by its number at the platform", async () => {
      const [phone, platformId] = [newPhone(), newPhone()];
      await world.rows("insert into contacts (business_id, name, phone, platform_id) values (1, 'Ana', $1, $2)", [
        phone,
        platformId,
      ]);
      await telling({ messages: [texting(platformId, "hola")] });
      expect((await messagesOf(phone)).map(({ body }) => body)).to.deep.equal(["hola"]);
      expect(await messagesOf(platformId)).to.deep.equal([]);
    });

    const kinds: [type: string, content: object, body: string][] = [
      ["button", { text: "Sí", payload: "YES" }, "Sí"],
      ["interactive", { type: "button_reply", button_reply: { id: "1", title: "Confirmar" } }, "Confirmar"],
      ["interactive", { type: "list_reply", list_reply: { id: "2", title: "Envío", description: "x" } }, "Envío"],
      ["image", { id: "55", mime_type: "image/jpeg", caption: "mi casa" }, "mi casa"],
      ["image", { id: "56", mime_type: "image/jpeg" }, ""],
      ["document", { id: "57", filename: "factura.pdf" }, "factura.pdf"],
      ["location", { latitude: -17.78, longitude: -63.18, name: "Plaza", address: "Calle 1" }, "Plaza"],
      ["location", { latitude: -17.78, longitude: -63.18 }, ""],
      [
        "order",
        { catalog_id: "9", text: "con ají", product_items: [{ product_retailer_id: "p", quantity: 2 }] },
        "con ají",
      ],
      ["system", { body: "El cliente cambió de número", type: "user_changed_number" }, "El cliente cambió de número"],
      ["hologram", { whatever: [1, { deep: true }] }, ""],
      ["hasOwnProperty", { a: 1 }, ""],
    ];
    for (const [type, content, body] of kinds) {
      it(`of the kind ${type} shows '${body}' and keeps the other data from the platform`, async () => {
        const phone = newPhone();
        const { text: _, ...message } = texting(phone, "", { type, [type]: content, context: { id: "wamid.before" } });
        await telling({ messages: [message] });
        const [stored] = await messagesOf(phone);
        expect(stored).to.include({ kind: type, body });
        expect(stored?.details).to.deep.equal({ [type]: content, context: { id: "wamid.before" } });
      });
    }

    it("may contain zero characters and halves of characters, which are removed or replaced", async () => {
      const phone = newPhone();
      const raw = JSON.stringify(aWebhook(1, { messages: [texting(phone, "a#b%c", { more: { "k#": "v#%" } })] }))
        .replaceAll("#", "\\u0000")
        .replaceAll("%", "\\ud83d");
      expect((await world.webhook(raw)).status).to.equal(200);
      await allProcessed();
      const [stored] = await messagesOf(phone);
      expect(stored?.body).to.equal("ab\ufffdc");
      expect(stored?.details).to.deep.equal({ more: { k: "v\ufffd" } });
    });

    it("cuts a long name of its sender between characters", async () => {
      const phone = newPhone();
      const contacts = [{ profile: { name: `${"x".repeat(199)}😀` }, wa_id: phone }];
      await telling({ contacts, messages: [texting(phone, "hola")] });
      expect(await world.rows("select name from contacts where phone = $1", [phone])).to.deep.equal([
        { name: "x".repeat(199) },
      ]);
    });

    it("is ignored without an id, a sender or a kind, and the messages beside it are stored", async () => {
      const phone = newPhone();
      const broken = [
        texting(phone, "no id", { id: undefined }),
        texting(phone, "no sender", { from: "nobody" }),
        texting(phone, "no kind", { type: 5 }),
        null,
        "text",
      ];
      await telling({ messages: [...broken, texting(phone, "bien")], contacts: [null, { wa_id: phone }] });
      expect((await messagesOf(phone)).map(({ body }) => body)).to.deep.equal(["bien"]);
    });

    it("counts as sent now if its time is in the future or invalid", async () => {
      const phone = newPhone();
      const ahead = String(Math.floor(Date.now() / 1000) + 86_400);
      await telling({
        messages: [texting(phone, "uno", { timestamp: ahead }), texting(phone, "dos", { timestamp: "x" })],
      });
      const [row] = await world.rows<{ late: number }>(
        `select count(*) as late from messages where chat_id = $1 and occurred_at > now()`,
        [(await chatOf(phone)).id],
      );
      expect(row).to.deep.equal({ late: 0 });
    });

    it("is stored once if it comes twice, twice in one webhook, or twenty times at once (Webhook.3)", async () => {
      const [twice, within, parallel] = [newPhone(), newPhone(), newPhone()];
      const message = texting(twice, "dos veces");
      await telling({ messages: [message] });
      await telling({ messages: [message] });
      expect(await messagesOf(twice)).to.have.length(1);

      const same = texting(within, "en uno");
      await telling({ messages: [same, same] });
      expect(await messagesOf(within)).to.have.length(1);

      const repeated = texting(parallel, "veinte");
      await Promise.all(Array.from({ length: 20 }, () => tell({ messages: [repeated] })));
      await allProcessed();
      expect(await messagesOf(parallel)).to.have.length(1);
      const events = await world.rows<{ name: string }>(
        `select name from realtime_events where (payload->>'chatId')::bigint = $1 order by number`,
        [(await chatOf(parallel)).id],
      );
      expect(events.map(({ name }) => name)).to.deep.equal(["message:new", "inbox:reorder"]);
    });

    it("keeps its place among the messages of one webhook", async () => {
      const phone = newPhone();
      const texts = ["uno", "dos", "tres", "cuatro"];
      await telling({ messages: texts.map((text) => texting(phone, text)) });
      expect((await messagesOf(phone)).map(({ body }) => body)).to.deep.equal(texts);
    });

    it("is ignored if no business has its number", async () => {
      const phone = newPhone();
      await telling({ messages: [texting(phone, "¿hola?")] }, 99);
      await telling({ messages: [texting(phone, "¿hola?")] }, 1);
      expect(await messagesOf(phone)).to.have.length(1);
      expect(await world.rows("select distinct business_id from contacts where phone = $1", [phone])).to.deep.equal([
        { business_id: 1 },
      ]);
    });

    it("moves its chat up and is announced at once, only in its business", async () => {
      const [ours, theirs] = await Promise.all([world.listen(102), world.listen(202)]);
      const phone = newPhone();
      await telling({ contacts: [{ profile: { name: "Ana" }, wa_id: phone }], messages: [texting(phone, "hola")] });
      await telling({ messages: [texting(phone, "en otra empresa")] }, 2);
      const message = await ours.hears(({ name }) => name === "message:new");
      const row = await ours.hears(({ name }) => name === "inbox:reorder");
      await theirs.hears(({ name }) => name === "inbox:reorder");
      const chat = await chatOf(phone);
      expect(message.payload).to.include({ empresa_id: 1, chat_id: chat.id });
      expect(message.payload.mensaje).to.deep.include({
        direccion: "entrante",
        tipo: "text",
        texto: "hola",
        autor: "contacto",
        autor_nombre: "Ana",
        estado: "received",
        error: null,
        fecha: "2025-10-09T08:53:20.000Z",
      });
      expect(row.payload).to.deep.include({ empresa_id: 1, chat_id: chat.id, estado: "bot" });
      expect(row.payload.ultimo_mensaje).to.equal(chat.last_message_at.toISOString());
      expect(ours.heard.map(({ name }) => name)).to.deep.equal(["message:new", "inbox:reorder"]);
      expect(theirs.heard.map(({ payload }) => payload.empresa_id)).to.deep.equal([2, 2]);
    });
  });

  describe("the ad that a customer came from", () => {
    const click = (phone: string, adId: string, timestamp: number, changes: object = {}) =>
      texting(phone, `desde ${adId}`, {
        timestamp: String(timestamp),
        referral: { source_type: "ad", source_id: adId, headline: `Anuncio ${adId}`, ...changes },
      });

    it("stays with the chat, and with the conversation it began", async () => {
      const phone = newPhone();
      await telling({ messages: [click(phone, "ad-1", 1_760_000_000)] });
      await telling({ messages: [texting(phone, "y sin anuncio", { timestamp: "1760000100" })] });
      const chat = await chatOf(phone);
      expect(chat).to.include({ ad_id: "ad-1" });
      expect(chat.ad_referral).to.include({ source_id: "ad-1", headline: "Anuncio ad-1" });
      expect(await world.rows("select ad_id from conversations where chat_id = $1", [chat.id])).to.deep.equal([
        { ad_id: "ad-1" },
      ]);
    });

    it("is the one that was clicked last, even if another one was delivered last", async () => {
      const [forward, backward, together] = [newPhone(), newPhone(), newPhone()];
      const clicks = (phone: string) => [click(phone, "ad-old", 1_760_000_000), click(phone, "ad-new", 1_760_000_500)];
      for (const message of clicks(forward)) await telling({ messages: [message] });
      for (const message of clicks(backward).reverse()) await telling({ messages: [message] });
      await telling({ messages: clicks(together).reverse() });
      for (const phone of [forward, backward, together]) expect(await chatOf(phone)).to.include({ ad_id: "ad-new" });
    });

    it("is not stored for a post that is not an ad", async () => {
      const phone = newPhone();
      await telling({ messages: [click(phone, "post-1", 1_760_000_000, { source_type: "post" })] });
      expect(await chatOf(phone)).to.include({ ad_id: null });
    });
  });

  describe("the delivery of a message", () => {
    /** An outgoing message in this state. It has no platform id if the state is `sending` or `unknown`. */
    const sentMessage = async (state = "sent", businessId = 1, id: number | null = null) => {
      const reference = randomUUID();
      const platformId = `wamid.out.${++count}`;
      const [message] = await world.rows<{ id: number }>(
        `insert into messages (business_id, id, chat_id, conversation_id, direction, kind, body, author, author_name,
                               state, reference, attempt, platform_message_id, lease_until)
         values ($1, coalesce($6, nextval(pg_get_serial_sequence('messages', 'id'))), $2, $2, 'out', 'template', 'Hola', 'business', 'Negocio', $3, $4, 1, $5,
                 case when $3 = 'sending' then now() + interval '1 hour' end)
         returning id`,
        [
          businessId,
          businessId * 100 + 1,
          state,
          reference,
          ["sending", "unknown"].includes(state) ? null : platformId,
          id,
        ],
      );
      return { id: message?.id ?? 0, reference, platformId, businessId };
    };
    type Sent = Awaited<ReturnType<typeof sentMessage>>;
    const status = ({ platformId }: Pick<Sent, "platformId">, name: string, changes: object = {}) => ({
      id: platformId,
      status: name,
      timestamp: "1760000000",
      recipient_id: "59170000101",
      ...changes,
    });
    const failure = {
      errors: [{ code: 131_026, title: "Undeliverable", error_data: { details: "no such customer" } }],
    };
    const stored = async ({ businessId, id }: Sent) => {
      const [row] = await world.rows<{ state: string; error_code: number | null; platform_message_id: string | null }>(
        `select state, error_code, error_reason, platform_message_id, lease_until from messages
         where business_id = $1 and id = $2`,
        [businessId, id],
      );
      return row;
    };
    const statesTold = async ({ id }: Sent): Promise<string[]> => {
      const rows = await world.rows<{ state: string }>(
        `select payload->>'state' as state from realtime_events
         where name = 'message:status' and (payload->>'messageId')::bigint = $1 order by number`,
        [id],
      );
      return rows.map(({ state }) => state);
    };

    it("only moves forward, in any order of statuses and with repetitions (Webhook.3)", async () => {
      const orders = [
        ["sent", "delivered", "read"],
        ["read", "delivered", "sent"],
        ["delivered", "sent", "read"],
        ["read", "read", "sent", "delivered"],
        ["sent", "read"],
      ];
      for (const order of orders) {
        const message = await sentMessage();
        for (const name of order) await telling({ statuses: [status(message, name)] });
        expect(await stored(message), order.join()).to.include({ state: "read" });
        const together = await sentMessage();
        await telling({ statuses: order.map((name) => status(together, name)) });
        expect(await stored(together), `${order.join()} together`).to.include({ state: "read" });
      }
    });

    it("is announced to users of the inbox, each state once", async () => {
      const message = await sentMessage();
      for (const name of ["delivered", "sent", "delivered", "read", "read"]) {
        await telling({ statuses: [status(message, name)] });
      }
      expect(await statesTold(message)).to.deep.equal(["delivered", "read"]);
    });

    it("fails with the platform's reason after `sent`, and never after `delivered`", async () => {
      const [failed, delivered] = [await sentMessage(), await sentMessage("delivered")];
      const listener = await world.listen(102);
      await telling({ statuses: [failed, delivered].map((message) => status(message, "failed", failure)) });
      expect(await stored(failed)).to.include({
        state: "failed",
        error_code: 131_026,
        error_reason: "no such customer",
      });
      expect(await stored(delivered)).to.include({ state: "delivered", error_code: null });
      const told = await listener.hears(({ name }) => name === "message:status");
      expect(told.payload).to.deep.include({
        empresa_id: 1,
        chat_id: 101,
        mensaje_id: failed.id,
        estado: "failed",
        error: { codigo: 131_026, motivo: "no such customer" },
      });
    });

    it("opts the contact out if it failed for that reason", async () => {
      const message = await sentMessage("sent", 3);
      const errors = [{ code: 131_050, title: "Opted out" }];
      await telling({ statuses: [status(message, "failed", { errors })] }, 3);
      const [contact] = await world.rows<{ at: Date | null }>(
        "select opted_out_at as at from contacts where business_id = 3 and id = 301",
      );
      expect(contact?.at).to.be.instanceOf(Date);
    });

    for (const state of ["sending", "unknown"]) {
      it(`settles a message that is ${state}, found by its reference, and keeps the platform's id`, async () => {
        const message = await sentMessage(state);
        await telling({ statuses: [status(message, "delivered", { biz_opaque_callback_data: message.reference })] });
        expect(await stored(message)).to.include({
          state: "delivered",
          platform_message_id: message.platformId,
          lease_until: null,
        });
      });
    }

    it("of a message that is being sent announces the new message once", async () => {
      const message = await sentMessage("sending");
      const known = { biz_opaque_callback_data: message.reference };
      for (const name of ["sent", "delivered"]) await telling({ statuses: [status(message, name, known)] });
      const events = await world.rows<{ name: string; state: string }>(
        `select name, coalesce(payload->'message'->>'state', payload->>'state') as state from realtime_events
         where coalesce(payload->'message'->>'id', payload->>'messageId')::bigint = $1 order by number`,
        [message.id],
      );
      expect(events).to.deep.equal([
        { name: "message:new", state: "sent" },
        { name: "message:status", state: "delivered" },
      ]);
    });

    it("is ignored if neither id nor reference are known, and if the state is unknown", async () => {
      const message = await sentMessage();
      await telling({
        statuses: [
          status({ platformId: "wamid.nobody" }, "read", { biz_opaque_callback_data: randomUUID() }),
          status({ platformId: "wamid.nobody" }, "read", { biz_opaque_callback_data: "no uuid'" }),
          status(message, "held"),
          status(message, "warning", { id: 5 }),
          null,
        ],
      });
      expect(await stored(message)).to.include({ state: "sent" });
    });

    it("cannot change another business's message by its reference or by the platform's id", async () => {
      const theirs = await sentMessage("unknown", 2);
      const delivered = await sentMessage("sent", 2);
      // These messages of business 1 have the same ids as those of business 2. A query by id alone would find both.
      const twins = [await sentMessage("sent", 1, theirs.id), await sentMessage("sent", 1, delivered.id)];
      await telling({
        statuses: [
          status({ platformId: "wamid.mine" }, "read", { biz_opaque_callback_data: theirs.reference }),
          status(delivered, "read"),
        ],
      });
      expect(await stored(theirs)).to.include({ state: "unknown", platform_message_id: null });
      for (const message of [delivered, ...twins]) expect(await stored(message)).to.include({ state: "sent" });
    });

    it("never changes a customer's message", async () => {
      const phone = newPhone();
      const incoming = texting(phone, "hola");
      await telling({ messages: [incoming] });
      await telling({ statuses: [status({ platformId: incoming.id }, "read")] });
      expect((await messagesOf(phone))[0]).to.include({ state: "received" });
    });
  });

  describe("a customer's choice about marketing", () => {
    const word = (wa_id: string, value: string, timestamp: number, changes: object = {}) => ({
      wa_id,
      category: "marketing_messages",
      value,
      timestamp,
      ...changes,
    });
    const optedOutAt = async (phone: string): Promise<Date | null | undefined> => {
      const rows = await world.rows<{ at: Date | null }>(
        "select opted_out_at as at from contacts where business_id = 1 and phone = $1",
        [phone],
      );
      return rows[0]?.at;
    };
    const stop = 1_760_000_000;
    const resume = stop + 60;

    it("is stored, also for an unknown customer", async () => {
      const phone = newPhone();
      await telling({ user_preferences: [word(phone, "stop", stop)] });
      expect(await optedOutAt(phone)).to.deep.equal(new Date(stop * 1000));
      await telling({ user_preferences: [word(phone, "resume", resume)] });
      expect(await optedOutAt(phone)).to.equal(null);
    });

    it("is the later one of two in any order of delivery (Webhook.3)", async () => {
      const [apart, together] = [newPhone(), newPhone()];
      await telling({ user_preferences: [word(apart, "resume", resume)] });
      await telling({ user_preferences: [word(apart, "stop", stop)] });
      await telling({ user_preferences: [word(together, "resume", resume), word(together, "stop", stop)] });
      expect(await optedOutAt(apart)).to.equal(null);
      expect(await optedOutAt(together)).to.equal(null);
    });

    it("is ignored if it has another subject, an unknown value, or is about another business", async () => {
      const phone = newPhone();
      await telling({ messages: [texting(phone, "hola")] });
      const others = [
        word(phone, "stop", stop, { category: "service" }),
        word(phone, "pause", stop),
        word("x", "stop", 1),
      ];
      await telling({ user_preferences: others });
      await telling({ user_preferences: [word(phone, "stop", stop)] }, 2);
      expect(await optedOutAt(phone)).to.equal(null);
    });
  });
});
