import { expect } from "chai";
import type { AdClick, DeliveryMark, IncomingMessage } from "../../src/inbox/public.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { tellOn } from "./incoming-support.ts";

describe("webhooks about chats and messages other than new messages", () => {
  let world: World;
  before(async () => {
    // Both businesses are in one cell, because these tests write only to that cell's store.
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(3)], environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  let count = 0;
  const newPhone = (): string => String(59_175_000_000 + ++count);
  const newId = (): string => `wamid.news.${++count}`;
  const tell: ReturnType<typeof tellOn> = (news) => tellOn(world, cloudChannel)(news);
  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 12, 0, second));
  const saying = (from: string, changes: Partial<IncomingMessage> = {}): IncomingMessage => ({
    ...{ sender: "number-1", platformMessageId: newId(), from, kind: "text", body: "Hola", occurredAt: at(0) },
    ...changes,
  });
  /** A chat with outgoing messages in these states, one per second. */
  const talk = async (states: readonly string[], businessId = 1) => {
    const phone = newPhone();
    await tell({ messages: [saying(phone, { sender: `number-${businessId}` })] });
    const [chat] = await world.rows<{ id: number; conversation: number }>(
      `select chat.id, conversation.id as conversation from chats as chat
       join contacts as contact on contact.id = chat.contact_id and contact.phone = $1
       join conversations as conversation on conversation.chat_id = chat.id where chat.business_id = $2`,
      [phone, businessId],
    );
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
                             reference, platform_message_id, occurred_at, lease_until)
       select $1, $2, $3, 'out', 'text', 'x', 'business', 'N', state, gen_random_uuid(), 'ours.' || gen_random_uuid(),
              $4::timestamptz + make_interval(secs => place),
              case when state = 'sending' then now() + interval '1 hour' end
       from unnest($5::text[]) with ordinality as given(state, place)`,
      [businessId, chat?.id, chat?.conversation, at(0), states],
    );
    return { phone, chatId: chat?.id ?? 0 };
  };
  const statesIn = async (chatId: number): Promise<string[]> => {
    const sql = "select state from messages where chat_id = $1 and direction = 'out' order by id";
    return (await world.rows<{ state: string }>(sql, [chatId])).map(({ state }) => state);
  };
  const mark = (customer: string, state: DeliveryMark["state"], upTo: Date, sender = "number-1"): DeliveryMark => ({
    ...{ sender, customer, state, upTo },
  });
  const namesOf = async (chatId: number): Promise<string[]> => {
    const sql = "select name from realtime_events where (payload->>'chatId')::bigint = $1 order by number";
    return (await world.rows<{ name: string }>(sql, [chatId])).map(({ name }) => name);
  };
  const sum = async (work: ReturnType<typeof tell>) => Object.fromEntries((await work).dropped);

  describe("marks", () => {
    it("advance earlier messages, but not unknown or failed ones", async () => {
      const { phone, chatId } = await talk(["sent", "delivered", "unknown", "failed", "sending", "read", "sent"]);
      await tell({ marks: [mark(phone, "read", at(6))] });
      expect(await statesIn(chatId)).to.deep.equal(["read", "read", "unknown", "failed", "sending", "read", "sent"]);
      await tell({ marks: [mark(phone, "delivered", at(60))] });
      expect(await statesIn(chatId)).to.deep.equal([
        "read",
        "read",
        "unknown",
        "failed",
        "sending",
        "read",
        "delivered",
      ]);
    });

    it("count only if they are later, are announced once, and never move back", async () => {
      const { phone, chatId } = await talk(["sent", "sent", "sent"]);
      const marks = [mark(phone, "delivered", at(3)), mark(phone, "read", at(1)), mark(phone, "delivered", at(2))];
      await tell({ marks });
      await tell({ marks });
      expect(await statesIn(chatId)).to.deep.equal(["read", "delivered", "delivered"]);
      expect((await namesOf(chatId)).filter((name) => name === "message:status")).to.have.length(3);
    });

    it("look at the latest 500 messages at most", async () => {
      const { phone, chatId } = await talk(Array(503).fill("sent"));
      await tell({ marks: [mark(phone, "read", new Date(at(0).getTime() + 3_600_000))] });
      const states = await statesIn(chatId);
      expect([states.filter((state) => state === "read").length, states[0]]).to.deep.equal([500, "sent"]);
    });

    it("change no chat of another business or sender, and are counted without a chat", async () => {
      const { phone, chatId } = await talk(["sent"], 3);
      const news = { marks: [mark(phone, "read", at(9)), mark(phone, "read", at(9), "nobody's")] };
      expect(await sum(tell(news))).to.deep.equal({ unknown_chat: 1, unknown_sender: 1 });
      expect(await statesIn(chatId)).to.deep.equal(["sent"]);
    });
  });

  describe("withdrawals", () => {
    const withdrawal = (from: string, messageId: string) => ({ sender: "number-1", from, messageId });

    it("leave only the kind of the message, once, and change the preview of the chat", async () => {
      const phone = newPhone();
      const message = saying(phone, { body: "secreto", kind: "image", details: { caption: "secreto" } });
      await tell({ messages: [message] });
      const [row] = await world.rows<{ id: number; chat_id: number }>(
        "update messages set media_url = 'https://media.test/a.png', attachment = '{}' where platform_message_id = $1 returning *",
        [message.platformMessageId],
      );
      const before = (await namesOf(row?.chat_id ?? 0)).length;
      await tell({ withdrawals: [withdrawal(phone, message.platformMessageId)] });
      await tell({ withdrawals: [withdrawal(phone, message.platformMessageId)] });
      const { data } = (await world.get(`/chats/${row?.chat_id}/messages`)).json;
      expect(data[0]).to.deep.include({ tipo: "image", texto: "", media_url: null, detalles: { eliminado: true } });
      expect((await world.get(`/chats/${row?.chat_id}`)).json.mensaje.texto).to.equal("");
      expect((await namesOf(row?.chat_id ?? 0)).slice(before)).to.deep.equal(["message:changed", "chat:changed"]);
    });

    it("may come together with their message", async () => {
      const phone = newPhone();
      const message = saying(phone, { body: "adelantado" });
      await tell({ messages: [message], withdrawals: [withdrawal(phone, message.platformMessageId)] });
      const [row] = await world.rows("select body, details from messages where platform_message_id = $1", [
        message.platformMessageId,
      ]);
      expect(row).to.deep.equal({ body: "", details: { withdrawn: true } });
      const told = await world.rows(
        "select from realtime_events where payload::text like '%adelantado%' and business_id = 1",
      );
      expect(told).to.deep.equal([]);
    });

    it("remove only the customer's own messages, and are counted otherwise", async () => {
      const [phone, other] = [newPhone(), newPhone()];
      const message = saying(phone);
      await tell({ messages: [message] });
      const { phone: reader, chatId } = await talk(["sent"]);
      const [ours] = await world.rows<{ id: string }>(
        "select platform_message_id as id from messages where chat_id = $1 and direction = 'out'",
        [chatId],
      );
      const withdrawals = [
        withdrawal(other, message.platformMessageId),
        withdrawal(reader, ours?.id ?? ""),
        withdrawal(phone, "nothing"),
        { ...withdrawal(phone, message.platformMessageId), sender: "number-3" },
      ];
      expect(await sum(tell({ withdrawals }))).to.deep.equal({ unknown_message: 4 });
      const rows = await world.rows("select from messages where chat_id = $1 and body = ''", [chatId]);
      expect(rows).to.deep.equal([]);
    });
  });

  describe("clicks on ads", () => {
    const click = (from: string, second: number, adId: string): AdClick => ({
      ...{ sender: "number-1", from, referral: { adId, details: { headline: adId } }, occurredAt: at(second) },
    });
    const adOf = async (chatId: number) =>
      (await world.rows("select ad_id, ad_referral, last_inbound_at from chats where id = $1", [chatId]))[0];

    it("give the chat its ad, the latest one, without opening a window", async () => {
      const { phone, chatId } = await talk([]);
      const before = (await namesOf(chatId)).length;
      await tell({ clicks: [click(phone, 5, "ad-2"), click(phone, 3, "ad-1")] });
      await tell({ clicks: [click(phone, 4, "ad-3")] });
      expect(await adOf(chatId)).to.deep.equal({
        ...{ ad_id: "ad-2", ad_referral: { headline: "ad-2" }, last_inbound_at: at(0) },
      });
      expect((await namesOf(chatId)).slice(before)).to.deep.equal(["chat:changed"]);
    });

    it("are counted without creating a chat if the customer has none", async () => {
      const phone = newPhone();
      expect(await sum(tell({ clicks: [click(phone, 1, "ad")] }))).to.deep.equal({ unknown_chat: 1 });
      expect(await world.rows("select from contacts where phone = $1", [phone])).to.deep.equal([]);
    });
  });

  it("are counted by reason if they concern nothing known, and never fail", async () => {
    const phone = newPhone();
    const reaction = { sender: "number-1", from: phone, messageId: "nothing", emoji: "👍", occurredAt: at(0) };
    const news = {
      messages: [saying(phone, { sender: "nobody's" })],
      statuses: [{ sender: "nobody's", platformMessageId: "x", state: "read" as const }],
      reactions: [reaction, { ...reaction, sender: "nobody's" }],
    };
    expect(await sum(tell(news))).to.deep.equal({ unknown_sender: 3, unknown_message: 1 });
  });

  it("have the same result in one batch from many workers at once, without blocking", async () => {
    const chats = await Promise.all(Array.from({ length: 4 }, () => talk(["sent", "sent", "sent"])));
    const messages = chats.map(({ phone }) => saying(phone, { body: "Ya" }));
    const all = (turn: number) => {
      const given = chats.map((_, index) => (index + turn) % chats.length);
      const inTurn = given.flatMap((index) => chats[index] ?? []);
      return {
        messages: given.flatMap((index) => messages[index] ?? []),
        echoes: inTurn.map(({ phone }, index) => ({
          ...{ sender: "number-1", to: phone, platformMessageId: `echo.${phone}`, kind: "text", body: "eco" },
          occurredAt: at(20 + index),
        })),
        marks: inTurn.map(({ phone }) => mark(phone, turn % 2 === 0 ? "read" : "delivered", at(2))),
        reactions: given.flatMap((index) => {
          const [chat, message] = [chats[index], messages[index]];
          if (!chat || !message) return [];
          return {
            sender: "number-1",
            from: chat.phone,
            messageId: message.platformMessageId,
            emoji: "👍",
            occurredAt: at(1),
          };
        }),
      };
    };
    await Promise.all(Array.from({ length: 12 }, (_, turn) => tell(all(turn))));
    for (const { chatId } of chats) {
      const states = await statesIn(chatId);
      expect(states).to.deep.equal(["read", "read", "sent", "sent"]);
      const rows = await world.rows("select from messages where chat_id = $1", [chatId]);
      expect(rows).to.have.length(6);
    }
  });
});
