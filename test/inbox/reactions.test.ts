import { expect } from "chai";
import fc from "fast-check";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { noNews } from "../../src/inbox/public.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import type { Answer } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aWebhook, startWorld, type World } from "../support/world.ts";
import { incomingOn } from "./incoming-support.ts";

describe("reactions and answers of customers", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2)], environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  let count = 0;
  const newPhone = (): string => String(59_178_000_000 + ++count);
  const newId = (): string => `wamid.reaction.${++count}`;
  const texting = (from: string, id: string, changes: object = {}) => ({
    ...{ from, id, timestamp: "1760000000", type: "text", text: { body: "hola" } },
    ...changes,
  });
  /** @param at - seconds after the message */
  const reacting = (from: string, messageId: string, emoji: string | undefined, at = 10) => ({
    ...{ from, id: newId(), timestamp: String(1_760_000_000 + at), type: "reaction" },
    reaction: { message_id: messageId, ...(emoji !== undefined && { emoji }) },
  });
  const tell = async (value: object, businessId = 1): Promise<void> => {
    expect((await world.webhook(aWebhook(businessId, value))).status).to.equal(200);
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  };
  const tellAll = async (messages: readonly object[]): Promise<void> => {
    for (const message of messages) await tell({ messages: [message] });
  };

  /** A chat with an incoming and an outgoing message, which both have a platform id. */
  const talk = async () => {
    const phone = newPhone();
    const [theirs, ours] = [newId(), newId()];
    await tell({ contacts: [{ profile: { name: "Ana" }, wa_id: phone }], messages: [texting(phone, theirs)] });
    const [chat] = await world.rows<{ id: number }>(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
                             platform_message_id, occurred_at, reference, attempt)
       select business_id, chat_id, conversation_id, 'out', 'text', 'Con gusto', 'user', 'Ada', 'sent', $2, now(),
              gen_random_uuid(), 1
       from messages where business_id = 1 and platform_message_id = $1 returning chat_id as id`,
      [theirs, ours],
    );
    return { phone, theirs, ours, chatId: chat?.id ?? 0 };
  };
  const messagesOf = async (chatId: number): Promise<Answer["json"][]> => {
    const answer = await world.get(`/chats/${chatId}/messages`);
    expect(answer.status).to.equal(200);
    return answer.json.data;
  };
  const messageOf = async (chatId: number, platformId: string): Promise<Answer["json"]> =>
    (await messagesOf(chatId)).find(({ platform_message_id: id }) => id === platformId);
  const reactionsTo = async (chatId: number, platformId: string): Promise<object[]> =>
    (await messageOf(chatId, platformId)).reacciones;
  const thumb = [{ autor: "Ana", emoji: "👍" }];
  const named = (phone: string, message: object) => ({
    contacts: [{ profile: { name: "Ana" }, wa_id: phone }],
    messages: [message],
  });

  it("are shown at the message of either side, and not as messages of their own (Webhook.4)", async () => {
    const { phone, theirs, ours, chatId } = await talk();
    await tell(named(phone, reacting(phone, ours, "👍")));
    await tell(named(phone, reacting(phone, theirs, "👨‍👩‍👧‍👦")));
    expect(await reactionsTo(chatId, ours)).to.deep.equal(thumb);
    expect(await reactionsTo(chatId, theirs)).to.deep.equal([{ autor: "Ana", emoji: "👨‍👩‍👧‍👦" }]);
    expect(await messagesOf(chatId)).to.have.length(2);
  });

  it("send message:changed only to clients of the business, move no chat up and do not count as unread", async () => {
    const { phone, ours, chatId } = await talk();
    const [listener, stranger] = await Promise.all([world.listen(101), world.listen(201)]);
    const before = (await world.get(`/chats/${chatId}`)).json;
    await tell(named(phone, reacting(phone, ours, "👍")));
    const { payload } = await listener.hears(({ name }) => name === "message:changed");
    expect(payload).to.include({ empresa_id: 1, chat_id: chatId });
    expect(payload.mensaje).to.deep.include({ platform_message_id: ours, reacciones: thumb });
    const after = (await world.get(`/chats/${chatId}`)).json;
    expect(before.no_leidos).to.equal(1);
    for (const field of ["ultimo_mensaje", "no_leidos", "mensaje", "estado"]) {
      expect(after[field], field).to.deep.equal(before[field]);
    }
    await tell({ messages: [texting(newPhone(), newId())] });
    await listener.hears(({ name }) => name === "inbox:reorder");
    expect(listener.heard.map(({ name }) => name)).to.deep.equal(["message:changed", "message:new", "inbox:reorder"]);
    expect(stranger.heard).to.deep.equal([]);
  });

  it("open the service window like any message of the customer", async () => {
    const { phone, ours, chatId } = await talk();
    const windowOf = async () => (await world.get(`/chats/${chatId}`)).json.ventana_hasta;
    expect(await windowOf()).to.equal(null);
    const nowSeconds = Math.floor(Date.now() / 1_000) - 60;
    await tell({ messages: [reacting(phone, ours, "👍", nowSeconds - 1_760_000_000)] });
    expect(await windowOf()).to.equal(new Date((nowSeconds + 24 * 60 * 60) * 1_000).toISOString());
  });

  it("are replaced by the customer's next one, and removed by an empty one", async () => {
    const { phone, ours, chatId } = await talk();
    await tellAll([reacting(phone, ours, "👍", 1), reacting(phone, ours, "❤️", 2)]);
    expect(await reactionsTo(chatId, ours)).to.deep.equal([{ autor: "Ana", emoji: "❤️" }]);
    await tellAll([reacting(phone, ours, "", 3)]);
    expect(await reactionsTo(chatId, ours)).to.deep.equal([]);
    await tellAll([reacting(phone, ours, "👍", 4), reacting(phone, ours, undefined, 5)]);
    expect(await reactionsTo(chatId, ours)).to.deep.equal([]);
  });

  it("are shown beside a reaction of the business", async () => {
    const { phone, theirs, chatId } = await talk();
    await world.rows(
      `update messages set reactions = '[{"from": 101, "author": "Ada Admin", "emoji": "🙏"}]'
       where business_id = 1 and platform_message_id = $1`,
      [theirs],
    );
    await tell(named(phone, reacting(phone, theirs, "👍")));
    const both = [{ autor: "Ada Admin", emoji: "🙏" }, ...thumb];
    expect(await reactionsTo(chatId, theirs)).to.deep.equal(both);
    await tell(named(phone, reacting(phone, theirs, "", 20)));
    expect(await reactionsTo(chatId, theirs)).to.deep.equal(both.slice(0, 1));
  });

  it("show the customer's last one in any order of delivery, and announce each once", async () => {
    const gave = [
      [1, "👍"],
      [2, "❤️"],
      [3, ""],
    ] as const;
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0, 1],
      [2, 0, 1, 2, 0],
    ];
    for (const order of orders) {
      const { phone, ours, chatId } = await talk();
      await tellAll(order.map((index) => reacting(phone, ours, gave[index]?.[1], gave[index]?.[0])));
      expect(await reactionsTo(chatId, ours), `apart: ${order}`).to.deep.equal([]);
      const together = await talk();
      await tell({
        messages: order.map((index) => reacting(together.phone, together.ours, gave[index]?.[1], gave[index]?.[0])),
      });
      expect(await reactionsTo(together.chatId, together.ours), `together: ${order}`).to.deep.equal([]);
    }

    const { phone, ours, chatId } = await talk();
    const once = reacting(phone, ours, "👍");
    await Promise.all(Array.from({ length: 20 }, () => world.webhook(aWebhook(1, named(phone, once)))));
    await tell({ messages: [] });
    expect(await reactionsTo(chatId, ours)).to.deep.equal(thumb);
    const events = await world.rows(
      "select from realtime_events where name = 'message:changed' and (payload->>'chatId')::bigint = $1",
      [chatId],
    );
    expect(events).to.have.length(1);
  });

  it("keep the latest one after random deliveries in any order and batches, and messages are stored once", async () => {
    const incoming = incomingOn(world.database);
    const given = fc.uniqueArray(
      fc.record({
        at: fc.nat(1_000),
        emoji: fc.constantFrom("👍", "❤️", ""),
      }),
      {
        ...{ selector: ({ at }) => at, minLength: 1, maxLength: 5 },
      },
    );
    const news = given.chain((once) =>
      fc.tuple(
        fc.constant(once),
        fc.shuffledSubarray([...once, ...once], { minLength: once.length * 2 }),
        fc.array(fc.nat(once.length * 2), { maxLength: 3 }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(news, async ([once, all, cuts]) => {
        const { phone: from, theirs, ours, chatId } = await talk();
        const common = { sender: "number-1", from, name: "Ana" };
        const bounds = [0, ...cuts.sort((a, b) => a - b), all.length];
        for (const [index, start] of bounds.slice(0, -1).entries()) {
          const reactions = all.slice(start, bounds[index + 1]).map(({ at, emoji }) => ({
            ...{ ...common, messageId: ours, emoji, occurredAt: new Date(1_760_000_000_000 + at * 1_000) },
          }));
          const again = { ...common, platformMessageId: theirs, kind: "text", body: "hola", occurredAt: new Date() };
          await incoming.record({
            ...noNews,
            messages: [again],
            reactions,
          });
        }
        const last = once.reduce((latest, each) => (each.at > latest.at ? each : latest));
        const expected = last.emoji === "" ? [] : [{ autor: "Ana", emoji: last.emoji }];
        expect(await reactionsTo(chatId, ours)).to.deep.equal(expected);
        expect(await messagesOf(chatId)).to.have.length(2);
      }),
      { numRuns: 40 },
    );
  });

  it("count as given on arrival if the platform's date is in the future, so that later ones replace them", async () => {
    const { phone, ours, chatId } = await talk();
    const now = () => Date.now() / 1_000 - 1_760_000_000;
    await tell(named(phone, reacting(phone, ours, "👍", Math.ceil(now()) + 86_400 * 365)));
    expect(await reactionsTo(chatId, ours)).to.deep.equal(thumb);
    const at = await world.rows<{ at: string }>(
      "select reactions->0->>'at' as at from messages where business_id = 1 and platform_message_id = $1",
      [ours],
    );
    expect(Date.parse(at[0]?.at ?? "")).to.be.at.most(Date.now());
    await tell(named(phone, reacting(phone, ours, "❤️", Math.ceil(now()) + 1)));
    expect(await reactionsTo(chatId, ours)).to.deep.equal([{ autor: "Ana", emoji: "❤️" }]);
  });

  it("may come in one webhook with their message and with statuses", async () => {
    const { phone, ours, chatId } = await talk();
    const fresh = newId();
    await tell({
      ...named(phone, reacting(phone, fresh, "👍")),
      messages: [reacting(phone, fresh, "👍"), texting(phone, fresh), reacting(phone, ours, "❤️")],
      statuses: [{ id: ours, status: "read", timestamp: "1760000100", recipient_id: phone }],
    });
    expect(await messageOf(chatId, fresh)).to.deep.include({ reacciones: thumb });
    expect(await messageOf(chatId, ours)).to.deep.include({
      estado: "read",
      reacciones: [{ autor: "Ana", emoji: "❤️" }],
    });
    const events = await world.rows<{ name: string }>(
      "select name from realtime_events where (payload->>'chatId')::bigint = $1 order by number desc limit 4",
      [chatId],
    );
    expect(events.map(({ name }) => name)).to.have.members([
      ...["message:status", "message:changed", "message:new", "inbox:reorder"],
    ]);
  });

  it("are dropped if the message is unknown, of another business or in another customer's chat", async () => {
    const { phone, ours, chatId } = await talk();
    await tellAll([
      reacting(phone, "wamid.unknown", "👍"),
      reacting(newPhone(), ours, "👍"),
      { ...reacting(phone, ours, "👍"), reaction: "👍" },
      { ...reacting(phone, ours, "👍"), reaction: { message_id: 5 } },
    ]);
    await tell({ messages: [reacting(phone, ours, "👍")] }, 2);
    expect(await reactionsTo(chatId, ours)).to.deep.equal([]);
    expect(await messagesOf(chatId)).to.have.length(2);
    const strangers = await world.rows(`select from contacts where business_id = 2 and phone = $1`, [phone]);
    expect(strangers).to.deep.equal([]);
  });

  it("name the quoted message, which may come in the same webhook (Webhook.5)", async () => {
    const { phone, ours, chatId } = await talk();
    const [first, second, stray] = [newId(), newId(), newId()];
    await tell({
      messages: [
        texting(phone, first, { context: { from: "59120000001", id: ours } }),
        texting(phone, second, { context: { from: phone, id: first } }),
        texting(phone, stray, { context: { from: phone, id: "wamid.unknown" } }),
      ],
    });
    expect((await messageOf(chatId, first)).responde_a).to.equal((await messageOf(chatId, ours)).id);
    expect((await messageOf(chatId, second)).responde_a).to.equal((await messageOf(chatId, first)).id);
    expect((await messageOf(chatId, stray)).responde_a).to.equal(null);
  });

  it("include answers of the business, which are sent and announced with the quoted message", async () => {
    const { phone, chatId } = await talk();
    const { id } = await world.control("POST", `/customers/${phone}/say`, { to: "number-1", text: "¿Y la cuenta?" });
    const theirs = await eventually(() => messageOf(chatId, id));
    const sender = await resolve(world.container, tokens.senderDirectory).of(1, cloudChannel);
    if (!sender) throw new Error("no sender");
    const inbox = await world.listen(101);
    const sentId = await resolve(world.container, tokens.sendMessage).execute(sender, {
      ...{ businessId: 1, thread: { chatId }, to: phone, content: { text: "Aquí está" } },
      author: { kind: "user", name: "Ana Agente", userId: 102 },
      replyTo: { id: theirs.id, platformMessageId: id },
    });
    const { payload } = await inbox.hears(({ name }) => name === "message:new");
    expect(payload.mensaje).to.include({ platform_message_id: sentId, responde_a: theirs.id });
    const [sent] = await world.control("GET", `/messages?to=${phone}`);
    expect(sent).to.deep.include({ id: sentId, context: { message_id: id } });
  });

  it("name no quoted message of another chat", async () => {
    const [one, other] = [await talk(), await talk()];
    const id = newId();
    await tell({ messages: [texting(one.phone, id, { context: { id: other.ours } })] });
    expect((await messageOf(one.chatId, id)).responde_a).to.equal(null);
  });
});
