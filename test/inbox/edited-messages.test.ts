import { expect } from "chai";
import type { IncomingMessage, MessageEdit } from "../../src/inbox/public.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { Erasures } from "./erasure-support.ts";
import { tellOn } from "./incoming-support.ts";

interface Row {
  readonly id: number;
  readonly chat_id: number;
  readonly body: string;
  readonly edited_at: Date | null;
  readonly details: unknown;
}

describe("messages that their authors edit", () => {
  let world: World;
  before(async () => {
    // Even with two cells, both businesses are in the first cell. `tellOn` writes only to this cell.
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(3)], environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  let count = 0;
  const newPhone = (): string => String(59_174_000_000 + ++count);
  const newId = (): string => `wamid.edit.${++count}`;
  const tell: ReturnType<typeof tellOn> = (news) => tellOn(world, cloudChannel)(news);
  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 12, 0, second));
  const said = (from: string, changes: Partial<IncomingMessage> = {}): IncomingMessage => ({
    ...{ sender: "number-1", platformMessageId: newId(), from, kind: "text", body: "Uno", occurredAt: at(0) },
    ...changes,
  });
  const edit = (customer: string, messageId: string, body: string, second: number): MessageEdit => ({
    ...{ sender: "number-1", customer, author: "customer", messageId, body, occurredAt: at(second) },
  });
  const row = async (messageId: string): Promise<Row | undefined> =>
    (await world.rows<Row>("select * from messages where platform_message_id = $1", [messageId]))[0];
  const shown = async (messageId: string) => {
    const found = await row(messageId);
    return [found?.body, found?.edited_at?.getTime()];
  };
  const eventsOf = async (id: number | undefined) => {
    const sql = `select name, payload from realtime_events
                 where coalesce(payload->'message'->>'id', payload->'lastMessage'->>'id')::bigint = $1 order by number`;
    return world.rows<{ name: string; payload: { message?: { body: string } } }>(sql, [id]);
  };

  it("show the new text in the same message, with the time of the edit", async () => {
    const phone = newPhone();
    const message = said(phone);
    await tell({ messages: [message] });
    await tell({ edits: [edit(phone, message.platformMessageId, "Dos", 5)] });
    const { chat_id: chatId = 0 } = (await row(message.platformMessageId)) ?? {};
    const { json } = await world.get(`/chats/${chatId}/messages`);
    expect(json.data.map(({ texto, editado }: Record<string, unknown>) => [texto, editado])).to.deep.equal([
      ["Dos", at(5).toISOString()],
    ]);
    const { json: chat } = await world.get(`/chats/${chatId}`);
    expect([chat.mensaje.texto, chat.no_leidos]).to.deep.equal(["Dos", 1]);
  });

  it("are announced once by message:changed and once in their chat's row, even if the edit is repeated", async () => {
    const phone = newPhone();
    const message = said(phone);
    await tell({ messages: [message] });
    const edits = [edit(phone, message.platformMessageId, "Dos", 5)];
    await tell({ edits: [...edits, ...edits] });
    await tell({ edits });
    const events = await eventsOf((await row(message.platformMessageId))?.id);
    expect(events.map(({ name }) => name)).to.deep.equal([
      "message:new",
      "inbox:reorder",
      "message:changed",
      "chat:changed",
    ]);
    expect(events[2]?.payload.message?.body).to.equal("Dos");
  });

  it("have the text of the latest edit, in any order of edits", async () => {
    const phone = newPhone();
    const message = said(phone);
    const id = message.platformMessageId;
    await tell({ messages: [message] });
    await tell({ edits: [edit(phone, id, "Tres", 9)] });
    await tell({ edits: [edit(phone, id, "Dos", 5)] });
    expect(await shown(id)).to.deep.equal(["Tres", at(9).getTime()]);
    const other = said(phone);
    await tell({
      messages: [other],
      edits: [edit(phone, other.platformMessageId, "Tres", 9), edit(phone, other.platformMessageId, "Dos", 5)],
    });
    expect(await shown(other.platformMessageId)).to.deep.equal(["Tres", at(9).getTime()]);
  });

  it("have the new text even if the edit arrives before them", async () => {
    const phone = newPhone();
    const message = said(phone);
    await tell({ edits: [edit(phone, message.platformMessageId, "Dos", 5)] });
    await tell({ messages: [message] });
    expect(await shown(message.platformMessageId)).to.deep.equal(["Dos", at(5).getTime()]);
    expect(await world.rows("select from early_news where customer = $1", [phone])).to.deep.equal([]);
  });

  it("do not keep the earlier caption", async () => {
    const phone = newPhone();
    const message = said(phone, { kind: "image", body: "Uno", details: { image: { id: "7", caption: "Uno" } } });
    await tell({ messages: [message] });
    await tell({ edits: [edit(phone, message.platformMessageId, "Dos", 5)] });
    expect((await row(message.platformMessageId))?.details).to.deep.equal({ image: { id: "7", caption: "Dos" } });
  });

  it("stay empty if they were withdrawn", async () => {
    const phone = newPhone();
    const message = said(phone);
    const id = message.platformMessageId;
    await tell({ messages: [message] });
    await tell({ withdrawals: [{ sender: "number-1", from: phone, messageId: id }] });
    await tell({ edits: [edit(phone, id, "Dos", 5)] });
    expect((await row(id))?.body).to.equal("");
  });

  it("can only be edited by their authors", async () => {
    const [phone, stranger] = [newPhone(), newPhone()];
    const message = said(phone);
    const echo = { ...said(phone), to: phone, body: "Cuesta 100" };
    await tell({ messages: [message, said(stranger)], echoes: [echo] });
    const forged = [
      edit(stranger, message.platformMessageId, "Otro", 5),
      edit(phone, echo.platformMessageId, "Cuesta 1", 5),
      { ...edit(phone, message.platformMessageId, "Otro", 5), sender: "number-3" },
      { ...edit(phone, message.platformMessageId, "Otro", 5), author: "business" as const },
    ];
    const { dropped } = await tell({ edits: forged });
    expect(dropped.get("unknown_message")).to.equal(4);
    expect([(await row(message.platformMessageId))?.body, (await row(echo.platformMessageId))?.body]).to.deep.equal([
      "Uno",
      "Cuesta 100",
    ]);
    await tell({ edits: [{ ...edit(phone, echo.platformMessageId, "Cuesta 90", 6), author: "business" }] });
    expect((await row(echo.platformMessageId))?.body).to.equal("Cuesta 90");
  });

  it("leave no trace of the earlier text when their contact is erased", async () => {
    const erasures = await Erasures.start();
    try {
      const [phone, secret] = [newPhone(), "Vivo en la calle 7"];
      const message = said(phone, { body: secret });
      const on = tellOn(erasures.world, cloudChannel);
      await on({ messages: [message] });
      await on({ edits: [edit(phone, message.platformMessageId, "Perdón", 5), edit(phone, newId(), secret, 5)] });
      const [contact] = await erasures.world.rows<{ id: number }>("select id from contacts where phone = $1", [phone]);
      expect((await erasures.call("DELETE", `/contacts/${contact?.id}`)).status).to.equal(204);
      for (const table of ["messages", "realtime_events", "early_news", "webhook_deliveries"]) {
        const found = await erasures.world.rows(`select from ${table} as kept where kept::text like $1`, [
          `%${secret}%`,
        ]);
        expect(found, table).to.deep.equal([]);
      }
    } finally {
      await erasures.stop();
    }
  });
});
