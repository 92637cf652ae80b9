import { expect } from "chai";
import { PostgresOutgoingMessages } from "../../src/inbox/adapters/postgres/sends/outgoing-messages.ts";
import type { EchoedMessage, IncomingMessage, IncomingNews } from "../../src/inbox/domain/incoming.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { qrChannel } from "../../src/kernel/channels.ts";
import type { DeliveryStatus, Sender } from "../../src/messaging/public.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { tellOn } from "./incoming-support.ts";

const [shop, stall] = ["phone-shop", "phone-stall"] as const;
const numbers = { [shop]: "59125000001", [stall]: "59125000002" } as const;

interface Stored {
  readonly direction: string;
  readonly body: string;
  readonly state: string;
  readonly phone: string;
  readonly reactions: readonly { readonly emoji: string }[];
}

describe("message ids chosen by paired phones", () => {
  let world: World;
  let tell: (news: Partial<IncomingNews>) => Promise<unknown>;
  before(async () => {
    const otherSenders = [shop, stall].map((platformId) => ({
      ...{ channel: qrChannel as typeof qrChannel, platformId, accountId: "", phone: numbers[platformId] },
      token: platformId,
    }));
    world = await startWorld({ businesses: [aBusiness(1, { otherSenders })], environment: { ROLE: "api" } });
    tell = tellOn(world, qrChannel);
  });
  after(() => world.stop());

  let count = 0;
  const newId = (): string => `3EB0${String(++count).padStart(4, "0")}`;
  const said = (sender: string, from: string, platformMessageId: string): IncomingMessage => {
    return { sender, from, platformMessageId, kind: "text", body: "Hola", occurredAt: new Date() };
  };
  const echoed = (sender: string, to: string, platformMessageId: string): EchoedMessage => {
    return { sender, to, platformMessageId, kind: "text", body: "Hola", occurredAt: new Date() };
  };
  const withId = (id: string): Promise<Stored[]> =>
    world.rows<Stored>(
      `select message.direction, message.body, message.state, contact.phone, message.reactions
       from messages as message
       join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
       join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
       where message.business_id = 1 and message.platform_message_id = $1 order by message.direction, contact.phone`,
      [id],
    );
  const short = ({ direction, phone }: Stored): string => `${direction} ${phone}`;

  for (const together of [true, false]) {
    it(`do not mix up two phones of the business that write to each other, ${together ? "in one webhook" : "in several webhooks"}`, async () => {
      const id = newId();
      const [echoes, messages] = [[echoed(shop, numbers[stall], id)], [said(stall, numbers[shop], id)]];
      if (together) await tell({ echoes, messages });
      else for (const news of [{ echoes }, { messages }, { echoes }, { messages }]) await tell(news);
      expect((await withId(id)).map(short)).to.deep.equal([`in ${numbers[shop]}`, `out ${numbers[stall]}`]);
    });
  }

  it("may be equal for customers who write to two phones", async () => {
    const id = newId();
    await tell({ messages: [said(shop, "59175000001", id), said(stall, "59175000002", id)] });
    await tell({ messages: [said(shop, "59175000001", id), said(stall, "59175000002", id)] });
    expect((await withId(id)).map(short)).to.deep.equal(["in 59175000001", "in 59175000002"]);
  });

  it("find the message of the right phone for a status, a reaction, a reply and a withdrawal", async () => {
    const id = newId();
    const [one, other] = ["59175000011", "59175000012"];
    await tell({ echoes: [echoed(shop, one, id), echoed(stall, other, id)] });
    const read: DeliveryStatus = { sender: stall, platformMessageId: id, state: "read" };
    const reaction = { sender: shop, from: one, messageId: id, emoji: "👍", occurredAt: new Date() };
    await tell({ statuses: [read], reactions: [reaction] });
    const stored = await withId(id);
    expect(stored.map(({ state, reactions }) => [state, reactions.length])).to.deep.equal([
      ["sent", 1],
      ["read", 0],
    ]);
    const answer = newId();
    await tell({ messages: [{ ...said(stall, other, answer), replyTo: id }] });
    const replies = await world.rows(
      `select answered.state from messages as message join messages as answered
         on answered.business_id = message.business_id and answered.id = message.reply_to_id
       where message.business_id = 1 and message.platform_message_id = $1`,
      [answer],
    );
    expect(replies).to.deep.equal([{ state: "read" }]);
    const taken = newId();
    await tell({ messages: [said(shop, one, taken), said(stall, other, taken)] });
    await tell({ withdrawals: [{ sender: stall, from: other, messageId: taken }] });
    expect((await withId(taken)).map(({ body }) => body)).to.deep.equal(["Hola", ""]);
  });

  it("may be equal for an accepted answer and a message on another phone", async () => {
    const id = newId();
    await tell({ messages: [said(stall, "59175000021", id)] });
    const { database } = world;
    const outgoing = new PostgresOutgoingMessages(
      oneCell(database),
      60,
      (phone) => Buffer.from(phone),
      () => {},
    );
    const thread = { phone: "59175000022", contactName: "Ana" };
    const author = { kind: "business", name: "Negocio", userId: null } as const;
    const message = { businessId: 1, thread, to: thread.phone, content: { text: "Hola" }, author };
    const opened = await outgoing.open(message, qrChannel);
    if (!opened) throw new Error("no thread was made");
    const sender: Sender = {
      ...{ id: 1, channel: qrChannel, platformId: shop, accountId: "", phone: numbers[shop], accessToken: "" },
    };
    await outgoing.settle(opened, { kind: "accepted", platformMessageId: id }, sender);
    await tell({ statuses: [{ sender: shop, platformMessageId: id, state: "delivered" }] });
    expect((await withId(id)).map(({ direction, state }) => `${direction} ${state}`)).to.deep.equal([
      "in received",
      "out delivered",
    ]);
  });

  it("still find messages that were stored before ids were kept per phone", async () => {
    const id = newId();
    await tell({ echoes: [echoed(shop, "59175000031", id)] });
    await world.rows("update messages set id_scope = '' where platform_message_id = $1", [id]);
    await tell({ echoes: [echoed(shop, "59175000031", id)] });
    await tell({ statuses: [{ sender: shop, platformMessageId: id, state: "read" }] });
    expect((await withId(id)).map(({ state }) => state)).to.deep.equal(["read"]);
  });

  it("in early news wait for the message of the same phone", async () => {
    const id = newId();
    const [one, other] = ["59175000041", "59175000042"];
    const reaction = { sender: shop, from: one, messageId: id, emoji: "👍", occurredAt: new Date() };
    await tell({ reactions: [reaction] });
    await tell({ messages: [said(stall, other, id)] });
    await tell({ echoes: [echoed(shop, one, id)] });
    expect((await withId(id)).map(({ direction, reactions }) => [direction, reactions.length])).to.deep.equal([
      ["in", 0],
      ["out", 1],
    ]);
  });
});
