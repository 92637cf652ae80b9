import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import type { OpenedMessage, OutgoingMessages } from "../../src/messaging/public.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook, startWorld, type World } from "../support/world.ts";
import { openMessage } from "./open-message.ts";

describe("outgoing messages that await their answer", () => {
  let world: World;
  let messages: OutgoingMessages;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    messages = resolve(world.container, tokens.outgoingMessages);
  });
  after(() => world.stop());

  let phones = 59_179_000_000;
  const open = (businessId = 1): Promise<OpenedMessage> => openMessage(messages, String(++phones), businessId);
  const rowOf = async ({ businessId, id }: OpenedMessage) => {
    const [row] = await world.rows<{ state: string; platform_message_id: string | null }>(
      `select state, platform_message_id, lease_until, error_code, error_reason, attempt from messages
       where business_id = $1 and id = $2`,
      [businessId, id],
    );
    return row;
  };
  const eventsOf = async ({ businessId, id }: OpenedMessage): Promise<string[]> => {
    const rows = await world.rows<{ name: string; state: string }>(
      `select name, coalesce(payload->'message'->>'state', payload->>'state') as state from realtime_events
       where business_id = $1 and coalesce(payload->'message'->>'id', payload->>'messageId')::bigint = $2
       order by number`,
      [businessId, id],
    );
    return rows.map(({ name, state }) => `${name} ${state}`);
  };
  const leaseRunsOut = ({ id }: OpenedMessage) =>
    world.rows("update messages set lease_until = now() - interval '1 second' where id = $1", [id]);
  const settleExpired = () => resolve(world.container, tokens.settleExpired).execute();
  const accepted = (platformMessageId: string) => ({ kind: "accepted", platformMessageId }) as const;

  it("have a lease of the configured length, cause no events, and do not move their chat up", async () => {
    const message = await open();
    const [row] = await world.rows<{ seconds: number; at: Date | null }>(
      `select extract(epoch from lease_until - message.created_at)::float8 as seconds, last_message_at as at
       from messages as message join chats as chat on chat.id = chat_id where message.id = $1`,
      [message.id],
    );
    expect(row?.seconds).to.equal(world.config.messages.leaseSeconds);
    expect(row?.at).to.equal(null);
    expect(await rowOf(message)).to.include({ state: "sending", attempt: 1 });
    expect(await eventsOf(message)).to.deep.equal([]);
  });

  it("keep the quoted message and the kind of their file, in a chat and to a number", async () => {
    const media = { type: "image", link: "https://files.test/a.jpg" } as const;
    const author = { kind: "business", name: "Negocio", userId: null } as const;
    const phone = String(++phones);
    const replyTo = { id: 101, platformMessageId: "wamid.before" };
    const template = { name: "t", language: "es", parameters: [], providerBId: null };
    const [inChat, toNumber, plain] = [
      await messages.open(
        { businessId: 1, thread: { chatId: 101 }, to: phone, content: { text: "Mira", media }, author, replyTo },
        cloudChannel,
      ),
      await messages.open(
        {
          ...{ businessId: 1, thread: { phone, contactName: "Ana" }, to: phone, author },
          ...{ content: { text: "Mira", media, template }, replyTo: { ...replyTo, platformMessageId: null } },
        },
        cloudChannel,
      ),
      await open(),
    ];
    const keptOf = (message: OpenedMessage | null) =>
      world.rows("select kind, reply_to_id, attachment, media_url from messages where id = $1", [message?.id]);
    const kept = { reply_to_id: 101, attachment: { kind: "image" }, media_url: media.link };
    expect(await keptOf(inChat)).to.deep.equal([{ ...kept, kind: "image" }]);
    expect(await keptOf(toNumber)).to.deep.equal([{ ...kept, kind: "template" }]);
    expect(await keptOf(plain)).to.deep.equal([{ kind: "text", reply_to_id: null, attachment: null, media_url: null }]);
    expect(inChat).to.include({ replyTo: "wamid.before" });
    expect(toNumber).not.to.have.property("replyTo");
  });

  it("become unknown and are announced once when their lease ends, until a status settles them (§2.8)", async () => {
    const [expired, alive] = [await open(), await open()];
    const inbox = await world.listen(102);
    await leaseRunsOut(expired);
    expect(await settleExpired()).to.equal(1);
    expect(await settleExpired()).to.equal(0);
    expect(await rowOf(expired)).to.include({ state: "unknown", lease_until: null, platform_message_id: null });
    expect(await rowOf(alive)).to.include({ state: "sending" });
    expect(await eventsOf(expired)).to.deep.equal(["message:new unknown"]);
    const told = await inbox.hears(({ name }) => name === "message:new");
    expect(told.payload.mensaje).to.include({ id: expired.id, estado: "unknown" });
    expect((await world.control("GET", "/messages/count")).requests).to.equal(0);

    const status = { id: "wamid.late", status: "delivered", biz_opaque_callback_data: expired.reference };
    await world.webhook(aWebhook(1, { statuses: [status] }));
    await eventually(async () => (await rowOf(expired))?.state === "delivered");
    expect(await rowOf(expired)).to.include({ platform_message_id: "wamid.late", error_reason: null });
    expect(await eventsOf(expired)).to.deep.equal(["message:new unknown", "message:status delivered"]);
  });

  it("become unknown in all businesses and any number while several processes look for them", async () => {
    const mine = await Promise.all(Array.from({ length: 20 }, () => open(1)));
    const theirs = await Promise.all(Array.from({ length: 5 }, () => open(2)));
    for (const message of [...mine, ...theirs]) await leaseRunsOut(message);
    const settled = await Promise.all([settleExpired(), settleExpired(), settleExpired()]);
    expect(settled.reduce((sum, each) => sum + each, 0)).to.equal(25);
    for (const message of [...mine, ...theirs]) expect(await eventsOf(message)).to.deep.equal(["message:new unknown"]);
  });

  it("are settled by a late answer although they were unknown, and announced as changed", async () => {
    const message = await open();
    await leaseRunsOut(message);
    await settleExpired();
    await messages.settle(message, accepted("wamid.slow"));
    expect(await rowOf(message)).to.include({ state: "sent", platform_message_id: "wamid.slow", error_reason: null });
    expect(await eventsOf(message)).to.deep.equal(["message:new unknown", "message:status sent"]);
  });

  it("keep the state of a status that arrived before the platform's answer", async () => {
    const message = await open();
    const status = { id: "wamid.fast", status: "delivered", biz_opaque_callback_data: message.reference };
    await world.webhook(aWebhook(1, { statuses: [status] }));
    await eventually(async () => (await rowOf(message))?.state === "delivered");
    for (const late of [accepted("wamid.fast"), { kind: "unknown", reason: "no answer" } as const]) {
      expect(await messages.settle(message, late)).to.deep.equal([]);
    }
    expect(await rowOf(message)).to.include({ state: "delivered", platform_message_id: "wamid.fast" });
    expect(await eventsOf(message)).to.deep.equal(["message:new delivered"]);
  });

  it("are settled once, only by the current attempt in their own business", async () => {
    const message = await open();
    expect(await messages.settle({ ...message, attempt: 2 }, accepted("wamid.2"))).to.deep.equal([]);
    expect(await messages.settle({ ...message, businessId: 2 }, accepted("wamid.2"))).to.deep.equal([]);
    expect(await rowOf(message)).to.include({ state: "sending" });
    expect(await messages.settle(message, accepted("wamid.1"))).to.have.length(2);
    // The second outcome does not change the message. It only stores that the contact opted out.
    const late = await messages.settle(message, {
      kind: "refused",
      refusal: { class: "opted-out", code: 131050, reason: "late" },
    });
    expect(late.map(({ name }) => name)).to.deep.equal(["contact:changed"]);
    expect(await rowOf(message)).to.include({ state: "sent", platform_message_id: "wamid.1" });
  });

  it("store the recipient's id at the platform, which then finds the customer", async () => {
    const message = await open();
    const phone = String(phones);
    await messages.settle(message, { ...accepted("wamid.id"), recipientId: "5491100000001" });
    const incoming = { from: "5491100000001", id: "wamid.answer", type: "text", text: { body: "hola" } };
    await world.webhook(aWebhook(1, { messages: [incoming] }));
    const [row] = await eventually(async () => {
      const rows = await world.rows(
        `select contact.phone, contact.platform_id from messages as message
         join chats as chat on chat.id = message.chat_id join contacts as contact on contact.id = chat.contact_id
         where message.platform_message_id = 'wamid.answer'`,
      );
      return rows.length > 0 && rows;
    });
    expect(row).to.deep.equal({ phone, platform_id: "5491100000001" });
  });
  it("change nothing in the contact if they went to a number that is not the contact's", async () => {
    const author = { kind: "business", name: "Negocio 1", userId: null } as const;
    const about = { businessId: 1, thread: { chatId: 101 }, to: "591799", content: { text: "Hola" }, author };
    const message = await messages.open({ ...about, takesConversation: true }, "platform-apicloud");
    if (!message) throw new Error("not opened");
    const known = () => world.rows("select platform_id, opted_out_at from contacts where business_id = 1 and id = 101");
    const before = await known();
    await messages.settle(message, { ...accepted("wamid.other"), recipientId: "5491100000009" });
    expect(await known()).to.deep.equal(before);
  });
});
