import { expect } from "chai";
import { PostgresCampaignMessages } from "../../src/inbox/adapters/postgres/sends/campaign-messages.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook } from "../support/world.ts";
import { CampaignWorld, contactId } from "./campaign-support.ts";

describe("the chats that campaigns write to", () => {
  let all: CampaignWorld;
  before(async () => {
    all = await CampaignWorld.start();
  });
  after(() => all.world.stop());

  const chatOf = async (contact: number): Promise<number> => {
    const [chat] = await all.rows<{ id: number }>("select id from chats where business_id = 1 and contact_id = $1", [
      contact,
    ]);
    return chat?.id ?? 0;
  };

  it("are announced with a new version when they get a tag or are opened again", async () => {
    const [open, closed] = [await chatOf(contactId(1)), await chatOf(contactId(2))];
    await all.rows("update chats set last_message_at = now() where id = any($1)", [[open, closed]]);
    await all.rows("update conversations set closed_at = now() where chat_id = $1", [closed]);
    const versions = new Map<number, number>();
    for (const id of [open, closed]) versions.set(id, (await all.world.get(`/chats/${id}`)).json.version);
    const inbox = await all.world.listen(101);
    const tagged = await all.register(all.body(2, { tags: [101] }));
    await all.becomes(tagged, { state: "completed" }, { read: 2 });

    for (const id of [open, closed]) {
      const { payload } = await inbox.hears(({ name, payload }) => name === "chat:changed" && payload.chat_id === id);
      expect(payload.tags.map(({ id: tag }: { id: number }) => tag)).to.deep.equal([101]);
      expect(payload.estado).to.equal("bot");
      expect(payload.version).to.be.above(versions.get(id) ?? 0);
      expect((await all.world.get(`/chats/${id}`)).json.version).to.equal(payload.version);
    }
    const again = await all.register(all.body(2, { tags: [101] }));
    await all.becomes(again, { state: "completed" }, { read: 2 });
    await inbox.hears(({ name, payload }) => name === "campaign:progress" && payload.campaign_id === again);
    expect(inbox.heard.filter(({ name }) => name === "chat:changed")).to.have.length(2);
  });

  it("are announced with their contact when a send shows that the contact opted out", async () => {
    const inbox = await all.world.listen(101);
    await all.fault({ code: 131050 });
    const id = await all.register(all.body(1));
    await all.becomes(id, { state: "completed" });
    const { payload } = await inbox.hears(({ name }) => name === "contact:changed");
    expect(payload.contacto).to.deep.include({ id: contactId(1), opted_out: true });
  });

  it("are locked before events are numbered, for all campaigns together", async () => {
    const later = { schedule_at: "2099-01-01T00:00:00Z" };
    const campaigns = [await all.register(all.body(20, later)), await all.register(all.body(20, later))];
    const [locked, other] = [contactId(11), contactId(12)];
    const chat = await chatOf(locked);
    const news = (campaignId: number, contact: number, tags: readonly number[]) => ({
      origin: {
        ...{ campaignId, templateId: 101, media: null, stepId: 101, tags, channel: cloudChannel, authorName: "Una" },
      },
      messages: [
        {
          ...{ contactId: contact, onlyIfKept: false, reference: crypto.randomUUID(), attempt: 1, body: "Hola" },
          ...{ state: "sent" as const, platformMessageId: null, errorReason: null },
        },
      ],
    });
    const [first = 0, second = 0] = campaigns;
    await all.rows("insert into realtime_counters (business_id, last_number) values (1, 0) on conflict do nothing");
    let recorded: Promise<unknown> | undefined;
    await all.world.database.transaction(async (holder) => {
      const run = (text: string, values: readonly unknown[] = []) => holder.rows({ name: "", text }, values);
      await run("select from chats where business_id = 1 and id = $1 for no key update", [chat]);
      recorded = all.world.database.transaction((own) =>
        new PostgresCampaignMessages(own).record(
          [{ businessId: 1, contactUpdates: [], campaigns: [news(first, other, []), news(second, locked, [103])] }],
          false,
        ),
      );
      const waits = `
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%chat_tags%'`;
      await eventually(async () => (await all.rows(waits)).length === 1);
      // An incoming message locks its chat and then this counter. If the transaction that waits for the chat held the
      // counter, the two would deadlock.
      await run("select from realtime_counters where business_id = 1 for no key update nowait");
    });
    await recorded;
    expect(await all.rows("select from messages where campaign_id = any($1)", [campaigns])).to.have.length(2);
  });

  it("show when a customer opts out on the platform", async () => {
    const inbox = await all.world.listen(101);
    const { phone = "" } =
      (await all.rows<{ phone: string }>("select phone from contacts where id = $1", [contactId(30)]))[0] ?? {};
    const preference = { wa_id: phone, detail: "stop", category: "marketing_messages", value: "stop" };
    const stamped = { ...preference, timestamp: String(Math.floor(Date.now() / 1000)) };
    await all.world.webhook(aWebhook(1, { contacts: [{ wa_id: phone }], user_preferences: [stamped] }));
    const { payload } = await inbox.hears(({ name }) => name === "contact:changed");
    expect(payload.contacto).to.deep.include({ id: contactId(30), opted_out: true });
  });
});
