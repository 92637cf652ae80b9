import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { lockWaits } from "../support/lock-waits.ts";
import { eventually } from "../support/wait.ts";
import { Inbox, people, sales } from "./inbox-support.ts";

const { ana, bea, carl } = people;

describe("assigning chats to agents", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
  });
  after(() => inbox.stop());
  // No chat has an agent or waits for one, and no agent is available.
  beforeEach(async () => {
    await inbox.world.rows("delete from waiting_chats where business_id = 1");
    await inbox.world.rows("update chats set support_user_id = null where business_id = 1");
    await inbox.world.rows("update users set available = false, chat_given_at = null where business_id = 1");
  });

  const makeAvailable = (...ids: number[]) =>
    inbox.world.rows("update users set available = id = any($1) where business_id = 1", [ids]);
  const toSales = (chatId: number, who: number | "key" = "key") =>
    inbox.done(who, "POST", `/chats/${chatId}/assign`, { departamento_id: sales });
  const holderOf = async (chatId: number): Promise<number | null> => (await inbox.chat("key", chatId)).soporte_id;
  const customers = async (count: number): Promise<number[]> => {
    const chatIds: number[] = [];
    for (let n = 0; n < count; n += 1) chatIds.push((await inbox.customerWrites(`cliente ${n}`)).chatId);
    return chatIds;
  };
  const assignWaiting = () => resolve(inbox.world.container, tokens.assignWaitingChats).executeFor(1);

  it("spreads chats without tickets over the agents of a department in turn (Inbox.50)", async () => {
    await makeAvailable(ana, bea);
    const holders: (number | null)[] = [];
    for (const chatId of await customers(4)) holders.push((await toSales(chatId)).soporte_id);
    expect(holders).to.deep.equal([ana, bea, ana, bea]);
  });

  it("counts chats that agents took themselves (Inbox.50)", async () => {
    await makeAvailable(ana, bea);
    const [first = 0, second = 0, third = 0] = await customers(3);
    for (const chatId of [first, second]) await inbox.done(ana, "POST", `/chats/${chatId}/take`);
    expect((await toSales(third)).soporte_id).to.equal(bea);
  });

  it("gives the next chat to the agent assigned longest ago, even if chats are closed at once (Inbox.50)", async () => {
    await makeAvailable(ana, bea);
    const holders: (number | null)[] = [];
    for (const chatId of await customers(4)) {
      holders.push((await toSales(chatId)).soporte_id);
      await inbox.done("key", "POST", `/chats/${chatId}/close`, { ticket: "completado" });
    }
    expect(holders).to.deep.equal([ana, bea, ana, bea]);
  });

  it("spreads waiting chats over the agents (Inbox.51)", async () => {
    const chatIds = await customers(4);
    for (const chatId of chatIds) await toSales(chatId);
    await makeAvailable(ana, bea);
    await assignWaiting();
    const holders: (number | null)[] = [];
    for (const chatId of chatIds) holders.push(await holderOf(chatId));
    expect(holders).to.deep.equal([ana, bea, ana, bea]);
  });

  it("moves a chat to another agent, and leaves it if no other one is available (Inbox.50)", async () => {
    await makeAvailable(ana, bea);
    const [chatId = 0, ofBea = 0] = await customers(2);
    await inbox.done(ana, "POST", `/chats/${chatId}/take`);
    await inbox.done(bea, "POST", `/chats/${ofBea}/take`);
    await inbox.world.rows("update users set chat_given_at = now() where business_id = 1 and id = $1", [bea]);
    expect((await toSales(chatId, ana)).soporte_id).to.equal(bea);
    await makeAvailable(bea);
    expect((await toSales(chatId, bea)).soporte_id).to.equal(bea);
  });

  it("keeps a chat's place in the queue if it is assigned to the same department again (Inbox.51)", async () => {
    const [first = 0, second = 0, ofBea = 0] = await customers(3);
    for (const chatId of [first, second]) await toSales(chatId);
    const { version } = await inbox.chat("key", first);
    const { version: still } = await toSales(first);
    expect(still).to.equal(version);
    await inbox.done(bea, "POST", `/chats/${ofBea}/take`);
    await makeAvailable(ana, bea);
    await assignWaiting();
    // Ana has the fewest chats, so she gets the chat that waited longest.
    expect(await holderOf(first)).to.equal(ana);
  });

  it("locks all conversations before the first chat, as other code does", async () => {
    const chatIds = await customers(2);
    for (const chatId of chatIds) await toSales(chatId);
    await makeAvailable(ana);
    const [chatId, lastId] = chatIds;
    let given: Promise<number> | undefined;
    await inbox.world.database.transaction(async (transaction) => {
      const ask = (text: string, values: unknown[] = []) => transaction.rows({ name: "", text }, values);
      await ask(
        "select from conversations where business_id = 1 and chat_id = $1 and closed_at is null for no key update",
        [lastId],
      );
      given = assignWaiting();
      await eventually(async () => (await lockWaits(inbox.world)) > 0);
      // In a deadlock, this transaction fails first: PostgreSQL detects a deadlock only after a second.
      await ask("set local lock_timeout = '500ms'");
      await ask("select from chats where business_id = 1 and id = $1 for no key update", [chatId]);
    });
    await given;
    await eventually(async () => (await Promise.all(chatIds.map(holderOf))).every((id) => id === ana));
  });

  it("keeps database connections free while many transfers to one department wait", async () => {
    await makeAvailable(ana, bea);
    const [outside = 0, ...chatIds] = await customers(41);
    let transfers: Promise<unknown> | undefined;
    await inbox.world.database.transaction(async (transaction) => {
      const hold = "select from departments where business_id = 1 and id = $1 for no key update";
      await transaction.rows({ name: "", text: hold }, [sales]);
      transfers = Promise.all(chatIds.map((chatId) => toSales(chatId)));
      // If each waiting request held a connection, none would be left for this request.
      await inbox.done(carl, "POST", `/chats/${outside}/take`);
    });
    await transfers;
    const holders = await Promise.all(chatIds.map(holderOf));
    expect(holders.filter((id) => id === ana)).to.have.length(20);
    expect(holders.filter((id) => id === bea)).to.have.length(20);
  });
});
