import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { mostEarlyNews } from "../../src/inbox/adapters/postgres/incoming/early-news.ts";
import type { IncomingMessage } from "../../src/inbox/public.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { tellOn } from "./incoming-support.ts";
import { openMessage } from "./open-message.ts";

interface Row {
  readonly id: number;
  readonly body: string;
  readonly reactions: readonly { readonly emoji: string }[];
  readonly reply_to_id: number | null;
}

describe("news about a message that arrives before the message", () => {
  let world: World;
  before(async () => {
    // Even with two cells, both businesses are in the first cell. `tellOn` writes only to this cell.
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(3)], environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  let count = 0;
  const newPhone = (): string => String(59_177_000_000 + ++count);
  const newId = (): string => `wamid.before.${++count}`;
  const tell: ReturnType<typeof tellOn> = (news) => tellOn(world, cloudChannel)(news);
  const saying = (
    from: string,
    platformMessageId: string,
    changes: Partial<IncomingMessage> = {},
  ): IncomingMessage => ({
    ...{ sender: "number-1", platformMessageId, from, kind: "text", body: "Hola", occurredAt: new Date() },
    ...changes,
  });
  const about = (from: string, messageId: string, sender = "number-1") => ({ sender, from, messageId });
  const reaction = (from: string, messageId: string, emoji: string, sender?: string) => ({
    ...about(from, messageId, sender),
    ...{ emoji, occurredAt: new Date() },
  });
  const rowOf = async (id: string) =>
    (await world.rows<Row>("select * from messages where platform_message_id = $1", [id]))[0];
  const emojisOf = async (id: string) => (await rowOf(id))?.reactions.map(({ emoji }) => emoji);
  const applyEarly = () => resolve(world.container, tokens.applyEarlyStatuses).execute();
  const kept = () => world.rows("select from early_news");

  it("includes a withdrawal, which empties the message when it arrives, and no event contains its text", async () => {
    const [phone, id] = [newPhone(), newId()];
    for (let times = 0; times < 2; times += 1) await tell({ withdrawals: [about(phone, id)] });
    await tell({ messages: [saying(phone, id, { body: "retirado antes" })] });
    expect((await rowOf(id))?.body).to.equal("");
    expect(await world.rows("select from realtime_events where payload::text like '%retirado antes%'")).to.deep.equal(
      [],
    );
    expect(await kept()).to.deep.equal([]);
  });

  it("is limited for each business and in total, and the oldest is deleted first", async () => {
    const fill = (each: number) =>
      world.rows(
        `insert into early_news (business_id, platform_message_id, provider, kind, customer, answer, sender, emoji, at,
                                 heard_at)
         select business, 'forged.' || place, $1, 'reaction', '1', '', 'number-1', '👍', now(),
                now() - make_interval(secs => 300 - place / 1000.0)
         from unnest(array[1, 3]) as business, generate_series(1, $2::integer) as place`,
        [cloudChannel, each],
      );
    const keptOf = async (businessId: number) =>
      (
        await world.rows<{ id: string }>(
          `select platform_message_id as id from early_news where business_id = $1 order by heard_at`,
          [businessId],
        )
      ).map(({ id }) => id);
    await fill(mostEarlyNews);
    const latest = newId();
    await tell({ reactions: [reaction(newPhone(), latest, "👍")] });
    const left = await keptOf(1);
    expect([left.length, left[0], left.at(-1)]).to.deep.equal([mostEarlyNews, "forged.2", latest]);
    expect(await keptOf(3)).to.have.length(mostEarlyNews);
    await world.rows("delete from early_news");
    await fill(52_000);
    await resolve(world.container, tokens.applyEarlyStatuses).purge();
    expect((await keptOf(1)).length + (await keptOf(3)).length).to.be.within(100_000, 100_010);
    expect((await keptOf(1)).at(-1)).to.equal("forged.52000");
    await world.rows("delete from early_news");
  });

  it("includes the latest reaction, which is shown at the message, also at one of ours that gets its id later", async () => {
    const [phone, theirs, ours] = [newPhone(), newId(), newId()];
    const opened = await openMessage(resolve(world.container, tokens.outgoingMessages), phone);
    for (const emoji of ["👍", "🎉"]) {
      await tell({ reactions: [reaction(phone, theirs, emoji), reaction(phone, ours, emoji)] });
    }
    await tell({ messages: [saying(phone, theirs)] });
    expect(await emojisOf(theirs)).to.deep.equal(["🎉"]);
    await world.rows("update early_news set heard_at = now() - interval '5 minutes'");
    const outgoing = resolve(world.container, tokens.outgoingMessages);
    await outgoing.settle(opened, { kind: "accepted", platformMessageId: ours });
    await eventually(async () => (await emojisOf(ours))?.[0] === "🎉");
  });

  it("includes a reply, which names the quoted message as soon as that arrives, and is announced as changed", async () => {
    const [phone, answered, answer] = [newPhone(), newId(), newId()];
    for (let times = 0; times < 2; times += 1) await tell({ messages: [saying(phone, answer, { replyTo: answered })] });
    await tell({ messages: [saying(phone, answered)] });
    await applyEarly();
    const [first, reply] = [await rowOf(answered), await rowOf(answer)];
    expect(reply?.reply_to_id).to.equal(first?.id);
    const told = await world.rows(
      "select from realtime_events where name = 'message:changed' and (payload->'message'->>'id')::bigint = $1",
      [reply?.id],
    );
    expect(told).to.have.length(1);
  });

  it("has no effect in other chats and businesses, and does not replace the customer's own", async () => {
    const [phone, id] = [newPhone(), newId()];
    await tell({ reactions: [reaction(phone, id, "👍")] });
    await tell({
      reactions: [reaction(newPhone(), id, "💣"), reaction(phone, id, "💣", "number-3")],
      withdrawals: [about(newPhone(), id), about(phone, id, "number-3")],
      messages: [saying(newPhone(), newId(), { replyTo: id })],
    });
    await tell({ messages: [saying(phone, id)] });
    await applyEarly();
    expect(await emojisOf(id)).to.deep.equal(["👍"]);
    expect((await rowOf(id))?.body).to.equal("Hola");
    expect(await world.rows("select from messages where reply_to_id = $1", [(await rowOf(id))?.id])).to.deep.equal([]);
  });

  it("is deleted after a quarter of an hour, and guesses are not stored at all", async () => {
    await world.rows("delete from early_news");
    const [phone, id] = [newPhone(), newId()];
    await tell({ withdrawals: [{ ...about(phone, newId()), isGuess: true }] });
    expect(await kept()).to.deep.equal([]);
    await tell({ withdrawals: [about(phone, id)] });
    await world.rows("update early_news set heard_at = now() - interval '16 minutes'");
    await resolve(world.container, tokens.applyEarlyStatuses).purge();
    await tell({ messages: [saying(phone, id)] });
    expect((await rowOf(id))?.body).to.equal("Hola");
  });
});
