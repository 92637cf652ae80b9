import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { cloudChannel, qrChannel } from "../../src/kernel/channels.ts";
import type { DeliveryStatus, OpenedMessage, OutgoingMessages } from "../../src/messaging/public.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { tellOn } from "./incoming-support.ts";
import { openMessage } from "./open-message.ts";

describe("delivery statuses that arrive before the platform's answer", () => {
  let world: World;
  let messages: OutgoingMessages;
  before(async () => {
    // Even with two cells, both businesses are in the first cell. `tellOn` writes only to this cell.
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(3)], environment: { ROLE: "api" } });
    messages = resolve(world.container, tokens.outgoingMessages);
  });
  after(() => world.stop());
  afterEach(() => world.rows("delete from early_statuses"));

  let count = 0;
  const newPhone = (): string => String(59_174_000_000 + ++count);
  const newId = (): string => `wamid.early.${++count}`;
  const status = (
    platformMessageId: string,
    state: DeliveryStatus["state"],
    changes: Partial<DeliveryStatus> = {},
  ): DeliveryStatus => ({ ...{ sender: "number-1", platformMessageId, state }, ...changes });
  const tell = (...statuses: DeliveryStatus[]) => tellOn(world, cloudChannel)({ statuses });
  const accept = (opened: OpenedMessage, platformMessageId: string) =>
    messages.settle(opened, { kind: "accepted", platformMessageId });
  const rowOf = async ({ id }: OpenedMessage) =>
    (
      await world.rows<{ state: string; error_code: number | null }>(
        "select state, error_code from messages where id = $1",
        [id],
      )
    )[0];
  const kept = () => world.rows("select business_id, state, provider from early_statuses order by business_id");

  it("are applied when the answer names the message, which gets the furthest one", async () => {
    const [opened, id] = [await openMessage(messages, newPhone()), newId()];
    await tell(status(id, "delivered"), status(id, "sent"));
    await tell(status(id, "read"));
    await tell(status(id, "delivered"));
    expect(await kept()).to.deep.equal([{ business_id: 1, state: "read", provider: cloudChannel }]);
    expect((await rowOf(opened))?.state).to.equal("sending");
    await accept(opened, id);
    await eventually(async () => (await rowOf(opened))?.state === "read");
    expect(await kept()).to.deep.equal([]);
  });

  it("bring the platform's reason for a failure, and the opt-out", async () => {
    const phone = newPhone();
    const [opened, id] = [await openMessage(messages, phone), newId()];
    await tell(status(id, "failed", { error: { code: 131050, reason: "no", optedOut: true } }));
    await accept(opened, id);
    await eventually(async () => (await rowOf(opened))?.state === "failed");
    expect((await rowOf(opened))?.error_code).to.equal(131050);
    const [contact] = await world.rows("select opted_out_at is not null as out from contacts where phone = $1", [
      phone,
    ]);
    expect(contact).to.deep.equal({ out: true });
  });

  it("are stored only for their sender's business, and not if the sender is unknown or they carry a reference", async () => {
    const [opened, id] = [await openMessage(messages, newPhone()), newId()];
    await openMessage(messages, newPhone(), 3);
    await tell(
      status(id, "read", { sender: "number-3" }),
      status(id, "read", { sender: "nobody's" }),
      status(newId(), "read", { reference: "00000000-0000-4000-8000-000000000000" }),
    );
    await tellOn(world, qrChannel)({ statuses: [status(id, "read")] });
    expect(await kept()).to.deep.equal([{ business_id: 3, state: "read", provider: cloudChannel }]);
    await accept(opened, id);
    await resolve(world.container, tokens.applyEarlyStatuses).execute();
    expect((await rowOf(opened))?.state).to.equal("sent");
  });

  it("are applied to recipients of campaigns too", async () => {
    const [contact] = await world.rows<{ id: number; chat: number; conversation: number }>(
      `select contact.id, chat.id as chat, conversation.id as conversation from contacts as contact
       join chats as chat on chat.contact_id = contact.id join conversations as conversation on conversation.chat_id = chat.id
       where contact.business_id = 1 limit 1`,
    );
    const [sender] = await world.rows<{ id: number }>("select id from senders where business_id = 1");
    const id = newId();
    const [campaign] = await world.rows<{ id: number }>(
      `insert into campaigns (business_id, name, user_id, template_id, step_id, sender_id, tags, template, timezone, total,
                              state)
       values (1, 'C', 101, 101, 101, $1, '{}', '{}', 'UTC', 1, 'running') returning id`,
      [sender?.id],
    );
    await tell(status(id, "delivered"));
    const [recipient] = await world.rows<{ reference: string }>(
      `insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters, state)
       values (1, $1, 1, $2, '1', '{}', 'sent') returning reference`,
      [campaign?.id, contact?.id],
    );
    await world.rows(
      `insert into messages (business_id, chat_id, conversation_id, direction, kind, body, author, author_name, state,
                             reference, attempt, platform_message_id, campaign_id)
       values (1, $1, $2, 'out', 'template', 'x', 'business', 'N', 'sent', $3, 1, $4, $5)`,
      [contact?.chat, contact?.conversation, recipient?.reference, id, campaign?.id],
    );
    await resolve(world.container, tokens.applyEarlyStatuses).execute();
    const [row] = await world.rows(
      `select recipient.state, message.state as shown from campaign_recipients as recipient
       join messages as message on message.reference = recipient.reference where recipient.campaign_id = $1`,
      [campaign?.id],
    );
    expect(row).to.deep.equal({ state: "delivered", shown: "delivered" });
  });

  it("are applied once by workers at the same time, whether the answer or the status is stored first", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [opened, id] = [await openMessage(messages, newPhone()), newId()];
      const early = resolve(world.container, tokens.applyEarlyStatuses);
      await Promise.all([tell(status(id, "delivered")), accept(opened, id), tell(status(id, "read")), early.execute()]);
      await early.execute();
      await eventually(async () => (await rowOf(opened))?.state === "read");
    }
    expect(await kept()).to.deep.equal([]);
  });

  it("are deleted after a quarter of an hour", async () => {
    await tell(status(newId(), "read"), status(newId(), "sent"));
    await world.rows("update early_statuses set heard_at = now() - interval '16 minutes' where state = 'read'");
    await resolve(world.container, tokens.applyEarlyStatuses).purge();
    expect(await kept()).to.deep.equal([{ business_id: 1, state: "sent", provider: cloudChannel }]);
  });

  it("are stored only while a message awaits its answer, and are still found some minutes later", async () => {
    await world.rows("update messages set state = 'sent', lease_until = null where state in ('sending', 'unknown')");
    await world.rows("update campaigns set state = 'completed', finished_at = now() - interval '1 hour'");
    await tell(...Array.from({ length: 300 }, () => status(newId(), "delivered")));
    expect(await kept()).to.deep.equal([]);
    const [opened, id] = [await openMessage(messages, newPhone()), newId()];
    await tell(status(id, "delivered"));
    await world.rows("update early_statuses set heard_at = now() - interval '5 minutes'");
    await accept(opened, id);
    await eventually(async () => (await rowOf(opened))?.state === "delivered");
  });
});
