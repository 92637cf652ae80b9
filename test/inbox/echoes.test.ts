import { expect } from "chai";
import fc from "fast-check";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { EchoedMessage } from "../../src/inbox/public.ts";
import { type ChatChannelName, cloudChannel, qrChannel } from "../../src/kernel/channels.ts";
import type { DeliveryStatus, OpenedMessage, OutgoingMessages } from "../../src/messaging/public.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { tellOn } from "./incoming-support.ts";
import { openMessage } from "./open-message.ts";

interface Row {
  readonly id: number;
  readonly body: string;
  readonly state: string;
  readonly direction: string;
  readonly author: string;
  readonly author_name: string;
  readonly platform_message_id: string | null;
}

describe("echoes of a business's messages", () => {
  let world: World;
  let messages: OutgoingMessages;
  before(async () => {
    // Even with two cells, both businesses are in the first cell. `tellOn` writes only to this cell.
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(3)], environment: { ROLE: "api" } });
    messages = resolve(world.container, tokens.outgoingMessages);
    await world.rows(
      `insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
       select business_id, 'qr', 'qr-' || business_id, '', phone, sealed_token from senders`,
    );
  });
  after(() => world.stop());

  let count = 0;
  const newPhone = (): string => String(59_176_000_000 + ++count);
  const newId = (): string => `wamid.echo.${++count}`;
  const told = () => tellOn(world, cloudChannel);
  const echoTo = (to: string, changes: Partial<EchoedMessage> = {}): EchoedMessage => ({
    ...{ sender: "number-1", platformMessageId: newId(), to, kind: "text", body: "Hola", occurredAt: new Date() },
    ...changes,
  });
  const accepted = (platformMessageId: string) => ({ kind: "accepted", platformMessageId }) as const;
  const rowsTo = (phone: string, businessId = 1): Promise<Row[]> =>
    world.rows<Row>(
      `select message.* from messages as message
       join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
       join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where message.business_id = $2 and contact.phone = $1 order by message.id`,
      [phone, businessId],
    );
  const seen = async (phone: string) =>
    (await rowsTo(phone)).map(({ state, platform_message_id }) => [state, platform_message_id]);
  const eventsOf = (id: number | undefined) =>
    world
      .rows<{ name: string }>(
        `select name from realtime_events
         where coalesce(payload->'message'->>'id', payload->>'messageId', payload->'lastMessage'->>'id')::bigint = $1
         order by number`,
        [id],
      )
      .then((rows) => rows.map(({ name }) => name));

  it("show a message written elsewhere as sent by the business, and open no service window", async () => {
    const phone = newPhone();
    const echo = echoTo(phone, { body: "Desde el teléfono" });
    await told()({ echoes: [echo] });
    const [row, ...others] = await rowsTo(phone);
    expect(others).to.deep.equal([]);
    expect(row).to.include({
      ...{ body: "Desde el teléfono", state: "sent", direction: "out", author: "business", author_name: "Negocio 1" },
      platform_message_id: echo.platformMessageId,
    });
    const [chat] = await world.rows(
      `select unread, last_inbound_at, last_message_at is not null as listed from chats
       where id = (select chat_id from messages where id = $1)`,
      [row?.id],
    );
    expect(chat).to.deep.equal({ unread: 0, last_inbound_at: null, listed: true });
    expect(await eventsOf(row?.id)).to.deep.equal(["message:new", "inbox:reorder"]);
    const answer = await world.control("GET", `/messages?to=${phone}`);
    expect(answer).to.deep.equal([]);
  });

  it("get delivery statuses like any other message", async () => {
    const phone = newPhone();
    const echo = echoTo(phone);
    await told()({ echoes: [echo] });
    await told()({ statuses: [{ sender: "number-1", platformMessageId: echo.platformMessageId, state: "read" }] });
    expect(await seen(phone)).to.deep.equal([["read", echo.platformMessageId]]);
  });

  it("settle the message with their reference, and create no second one", async () => {
    const phone = newPhone();
    const { reference } = await openMessage(messages, phone);
    const echo = echoTo(phone, { reference, body: "otra cosa" });
    await told()({ echoes: [echo, echo] });
    await told()({ echoes: [echo] });
    expect(await seen(phone)).to.deep.equal([["sent", echo.platformMessageId]]);
  });

  it("each settle the oldest message with the same text that awaits its answer", async () => {
    const phone = newPhone();
    await openMessage(messages, phone);
    await openMessage(messages, phone);
    const [first, second, third] = [echoTo(phone), echoTo(phone), echoTo(phone)];
    await told()({ echoes: [first, first] });
    expect(await seen(phone)).to.deep.equal([
      ["sent", first.platformMessageId],
      ["sending", null],
    ]);
    await told()({ echoes: [second, third] });
    expect(await seen(phone)).to.deep.equal([
      ["sent", first.platformMessageId],
      ["sent", second.platformMessageId],
      ["sent", third.platformMessageId],
    ]);
  });

  it("do not settle a message that has another text or chat, is too old, or has failed", async () => {
    const [phone, other] = [newPhone(), newPhone()];
    const opened = await openMessage(messages, phone);
    await openMessage(messages, other);
    await told()({ echoes: [echoTo(phone, { body: "Adiós" })] });
    await world.rows("update messages set created_at = now() - interval '11 minutes' where id = $1", [opened.id]);
    await told()({ echoes: [echoTo(phone)] });
    await messages.settle(opened, { kind: "not-sent", reason: "no" });
    await told()({ echoes: [echoTo(phone)] });
    expect((await rowsTo(phone)).map(({ state }) => state)).to.deep.equal(["failed", "sent", "sent", "sent"]);
    expect((await rowsTo(other)).map(({ state }) => state)).to.deep.equal(["sending"]);
  });

  it("keep the settled message unchanged when the answer comes, unless its id is still free", async () => {
    const phone = newPhone();
    const opened = await openMessage(messages, phone);
    const echo = echoTo(phone);
    await told()({ echoes: [echo] });
    expect(await messages.settle(opened, { kind: "unknown", reason: "late" })).to.deep.equal([]);
    expect(await messages.settle(opened, accepted(echo.platformMessageId))).to.deep.equal([]);
    expect(await seen(phone)).to.deep.equal([["sent", echo.platformMessageId]]);
    const [free, taken] = [newId(), newId()];
    await messages.settle(opened, accepted(free));
    await told()({ echoes: [echoTo(phone, { platformMessageId: taken })] });
    await messages.settle(opened, accepted(taken));
    expect(await seen(phone)).to.deep.equal([
      ["sent", free],
      ["sent", taken],
    ]);
  });

  it("keep their id if they were stored before an answer names it", async () => {
    const phone = newPhone();
    const opened = await openMessage(messages, phone);
    const echo = echoTo(phone, { body: "con otro texto" });
    await told()({ echoes: [echo] });
    await messages.settle(opened, accepted(echo.platformMessageId));
    expect(await seen(phone)).to.deep.equal([
      ["sent", null],
      ["sent", echo.platformMessageId],
    ]);
  });

  it("are stored once by several workers at the same time, and settle one message", async () => {
    const [phone, written] = [newPhone(), newPhone()];
    await openMessage(messages, phone);
    await openMessage(messages, phone);
    const [echo, foreign] = [echoTo(phone), echoTo(written)];
    await Promise.all(Array.from({ length: 12 }, () => told()({ echoes: [foreign, echo] })));
    expect(await seen(phone)).to.deep.equal([
      ["sent", echo.platformMessageId],
      ["sending", null],
    ]);
    expect(await seen(written)).to.deep.equal([["sent", foreign.platformMessageId]]);
  });

  it("have no effect on another business whose reference they name", async () => {
    const phone = newPhone();
    const theirs = await openMessage(messages, phone, 3);
    await told()({ echoes: [echoTo(phone, { reference: theirs.reference })] });
    expect((await rowsTo(phone, 3)).map(({ state }) => state)).to.deep.equal(["sending"]);
    expect((await rowsTo(phone, 1)).map(({ state }) => state)).to.deep.equal(["sent"]);
  });

  it("leave a closed chat with its agent until the customer writes", async () => {
    const phone = newPhone();
    await told()({ echoes: [echoTo(phone)] });
    const [row] = await rowsTo(phone);
    const chatOf = async () =>
      (
        await world.rows(
          "select state, support_user_id from chats where id = (select chat_id from messages where id = $1)",
          [row?.id],
        )
      )[0];
    await world.rows("update chats set support_user_id = 102 where id = (select chat_id from messages where id = $1)", [
      row?.id,
    ]);
    await world.rows(
      "update conversations set closed_at = now() where chat_id = (select chat_id from messages where id = $1)",
      [row?.id],
    );
    await told()({ echoes: [echoTo(phone)] });
    expect(await chatOf()).to.deep.equal({ state: "bot", support_user_id: 102 });
    const message = {
      sender: "number-1",
      platformMessageId: newId(),
      from: phone,
      kind: "text",
      body: "Ya",
      occurredAt: new Date(),
    };
    await told()({ messages: [message] });
    expect(await chatOf()).to.deep.equal({ state: "bot", support_user_id: null });
  });

  it("go to the chat of their own channel", async () => {
    const phone = newPhone();
    await openMessage(messages, phone);
    await tellOn(world, qrChannel)({ echoes: [echoTo(phone, { sender: "qr-1" })] });
    const rows = await world.rows(
      `select chat.provider, message.state from messages as message join chats as chat on chat.id = message.chat_id
       join contacts as contact on contact.id = chat.contact_id where contact.phone = $1 order by message.id`,
      [phone],
    );
    expect(rows).to.deep.equal([
      { provider: "platform-apicloud", state: "sending" },
      { provider: "qr", state: "sent" },
    ]);
  });

  it("lead to one message in its furthest state in any order and batches of answers, echoes and statuses", async () => {
    const early = resolve(world.container, tokens.applyEarlyStatuses);
    const ranks = ["sending", "sent", "delivered", "read"];
    type Step = { readonly kind: "answer" | "echo" | DeliveryStatus["state"]; readonly twice: boolean };
    const steps = fc.shuffledSubarray<Step["kind"]>(["answer", "echo", "sent", "delivered", "read"], { minLength: 1 });
    const given = fc.tuple(steps, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(given, async ([order, twice, withReference]) => {
        const phone = newPhone();
        const opened: OpenedMessage = await openMessage(messages, phone);
        const id = newId();
        const echo = echoTo(phone, { platformMessageId: id });
        const tell = told();
        for (const [index, kind] of order.entries()) {
          for (let times = twice[index] ? 2 : 1; times > 0; times -= 1) {
            if (kind === "answer") await messages.settle(opened, accepted(id));
            else if (kind === "echo") await tell({ echoes: [echo] });
            else {
              const status = { sender: "number-1", platformMessageId: id, state: kind };
              await tell({ statuses: [withReference ? { ...status, reference: opened.reference } : status] });
            }
          }
        }
        await early.execute();
        const isKnown = withReference || order.includes("answer") || order.includes("echo");
        const furthest = order.map((kind) => (kind === "answer" || kind === "echo" ? "sent" : kind));
        const state = isKnown ? ranks[Math.max(...furthest.map((each) => ranks.indexOf(each)))] : "sending";
        // The platform's answer starts a search for early statuses. This search may still be running.
        await eventually(
          async () => JSON.stringify(await seen(phone)) === JSON.stringify([[state, isKnown ? id : null]]),
        );
        const [row] = await rowsTo(phone);
        const events = await eventsOf(row?.id);
        expect(
          events.filter((name) => name === "message:new"),
          order.join(),
        ).to.have.length(isKnown ? 1 : 0);
      }),
      { numRuns: 60 },
    );
  });

  it("find the customer's chat by the id on a channel without numbers", async () => {
    const page: ChatChannelName = "platform-page";
    await world.rows(
      `insert into senders (business_id, provider, platform_id, account_id, phone, sealed_token)
       select 1, $1, 'page-1', '', phone, sealed_token from senders where provider = 'qr' and business_id = 1`,
      [page],
    );
    const tell = tellOn(world, page);
    const from = "24601000000000001";
    await tell({
      messages: [
        { sender: "page-1", platformMessageId: newId(), from, kind: "text", body: "Hola", occurredAt: new Date() },
      ],
    });
    const [chat] = await world.rows<{ id: number }>(
      "select chat.id from chats as chat join contacts as contact on contact.id = chat.contact_id where contact.platform_id = $1",
      [from],
    );
    const author = { kind: "business", name: "Negocio", userId: null } as const;
    const media = { type: "image", link: "https://files.test/a.jpg" } as const;
    const text = {
      businessId: 1,
      thread: { chatId: chat?.id ?? 0 },
      to: from,
      content: { text: "Mira", media },
      author,
    };
    await messages.open(text, page);
    await messages.open({ ...text, content: { text: "", media } }, page);
    const body = "Mira\n\nhttps://files.test/a.jpg";
    await tell({
      echoes: [
        echoTo(from, { sender: "page-1", platformMessageId: "m_link", body }),
        echoTo(from, { sender: "page-1", platformMessageId: "m_image", kind: "image", body: "" }),
      ],
    });
    const rows = await world.rows(
      "select state, platform_message_id as id from messages where chat_id = $1 and direction = 'out' order by id",
      [chat?.id],
    );
    expect(rows).to.have.deep.members([
      { state: "sent", id: "m_link" },
      { state: "sent", id: "m_image" },
    ]);
  });

  for (const order of ["in one batch", "one after the other"]) {
    it(`are also incoming messages of the business that got them, ${order}, each with its own file`, async () => {
      const [id, to, from] = [newId(), newPhone(), newPhone()];
      const file = { kind: "image", place: { at: "message", messageId: id } } as const;
      const both = { platformMessageId: id, kind: "image", body: "foto", file, occurredAt: new Date() } as const;
      const tell = tellOn(world, qrChannel);
      const echoes = [{ ...both, sender: "qr-1", to }];
      const arrived = [{ ...both, sender: "qr-3", from }];
      if (order === "in one batch") await tell({ messages: arrived, echoes });
      else {
        await tell({ messages: arrived });
        await tell({ echoes });
      }
      const stored = await world.rows(
        `select message.business_id, message.direction, chat.unread, chat.last_inbound_at is not null as inbound, file.sender
         from messages as message
         join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
         join incoming_files as file on file.business_id = message.business_id and file.message_id = message.id
         where message.platform_message_id = $1 order by message.business_id`,
        [id],
      );
      expect(stored).to.deep.equal([
        { business_id: 1, direction: "out", unread: 0, inbound: false, sender: "qr-1" },
        { business_id: 3, direction: "in", unread: 1, inbound: true, sender: "qr-3" },
      ]);
    });
  }

  it("do not settle a message that was opened after they were written", async () => {
    const phone = newPhone();
    const opened = await openMessage(messages, phone);
    const echo = echoTo(phone, { occurredAt: new Date(Date.now() - 9 * 60_000) });
    await told()({ echoes: [echo] });
    await messages.settle(opened, { kind: "not-sent", reason: "no connection" });
    expect((await seen(phone)).map(([state]) => state).sort()).to.deep.equal(["failed", "sent"]);
  });

  it("settle a document without a text that awaits its answer", async () => {
    const phone = newPhone();
    const opened = await messages.open(
      {
        ...{ businessId: 1, thread: { phone, contactName: "Ana" }, to: phone },
        content: { text: "", media: { type: "document", link: "https://media.test/media/factura.pdf" } },
        author: { kind: "business", name: "Negocio", userId: null },
      },
      cloudChannel,
    );
    if (!opened) throw new Error("no thread was made");
    const file = { kind: "document", name: "factura.pdf", place: { at: "id", id: "1" } } as const;
    const echo = echoTo(phone, { kind: "document", body: "factura.pdf", file });
    await told()({ echoes: [echo] });
    await messages.settle(opened, accepted(echo.platformMessageId));
    expect(await seen(phone)).to.deep.equal([["sent", echo.platformMessageId]]);
  });

  it("do not block each other when 1,000 statuses come in opposite orders", async () => {
    const phone = newPhone();
    const echoes = Array.from({ length: 1_000 }, (_, index) => echoTo(phone, { body: `${index}` }));
    await told()({ echoes });
    const ids = echoes.map(({ platformMessageId }) => platformMessageId);
    const tell = (order: readonly string[], state: "delivered" | "read") =>
      told()({ statuses: order.map((platformMessageId) => ({ sender: "number-1", platformMessageId, state })) });
    const reversed = ids.toReversed();
    await Promise.all([tell(ids, "delivered"), tell(reversed, "read"), tell(ids, "read"), tell(reversed, "delivered")]);
    expect(new Set((await seen(phone)).map(([state]) => state))).to.deep.equal(new Set(["read"]));
  });
});
