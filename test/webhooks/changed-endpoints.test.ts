import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { eventually } from "../support/wait.ts";
import { type Hook, Hooks, type Received, type Receiver } from "./support.ts";

const isSignedBy = (secret: string, { body, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

/** Keeps the receiver from answering. The returned function answers all requests that are waiting. */
function holds(receiver: Receiver): (status: number) => void {
  const held: ServerResponse[] = [];
  receiver.answering = (_, response) => void held.push(response);
  return (status) => {
    for (const response of held.splice(0)) response.writeHead(status).end();
  };
}

describe("An endpoint that is changed during a delivery", () => {
  let hooks: Hooks;
  before(async () => {
    hooks = await Hooks.start();
  });
  after(() => hooks.stop());
  afterEach(() => hooks.clear());

  const changeUrl = async ({ id }: Hook, url: string) => {
    const changed = await hooks.ask("PUT", `/${id}`, { url, events: ["message.new"] });
    expect(changed.status, changed.text).to.equal(200);
  };
  const isDisabled = async ({ id }: Hook) => (await hooks.ask("GET", `/${id}`)).json.disabled;
  const failed = (hook: Hook, status: number) =>
    hooks.newest(hook, (delivery) => delivery.attempts === 1 && delivery.status === status);

  it("is not disabled by the old URL's 410, and gets at the new URL what the old one refused", async () => {
    const [before, now] = [await hooks.receiver(), await hooks.receiver()];
    const answerBefore = holds(before);
    const hook = await hooks.hook(before.url);
    await hooks.says("Hola");
    await before.gets(1);
    await changeUrl(hook, now.url);
    answerBefore(410);
    await failed(hook, 410);
    await hooks.says("Sigo aquí", "59170000801");
    await now.gets(1);
    expect(await isDisabled(hook)).to.equal(false);
    await hooks.makeDue();
    await now.gets(2);
    expect(now.texts).to.have.members(["Sigo aquí", "Hola"]);
    expect(before.texts).to.deep.equal(["Hola"]);
  });

  it("counts five days of failures from the first failure at its present URL", async () => {
    const [before, now] = [await hooks.receiver(), await hooks.receiver()];
    const answerBefore = holds(before);
    const hook = await hooks.hook(before.url);
    await hooks.says("Hola");
    await before.gets(1);
    await changeUrl(hook, now.url);
    answerBefore(500);
    await failed(hook, 500);
    await hooks.world.rows("update webhook_progress set failing_since = failing_since - interval '6 days'");
    now.refuses(500);
    await hooks.makeDue();
    await hooks.newest(hook, ({ attempts }) => attempts === 2);
    await hooks.says("Otra vez", "59170000802");
    await eventually(async () => (await hooks.deliveries(hook)).every(({ attempts }) => attempts > 0));
    expect(await isDisabled(hook)).to.equal(false);
  });

  it("keeps counting failures although the old URL accepted an event", async () => {
    const [before, now] = [await hooks.receiver(), await hooks.receiver()];
    const answerBefore = holds(before);
    now.refuses(500);
    const hook = await hooks.hook(before.url);
    await hooks.says("Hola");
    await before.gets(1);
    await changeUrl(hook, now.url);
    await hooks.says("Nadie", "59170000803");
    await failed(hook, 500);
    const aged =
      "update webhook_progress set failing_since = now() - interval '6 days' where failing_since is not null";
    await hooks.world.rows(aged);
    answerBefore(200);
    await eventually(async () => (await hooks.deliveries(hook)).some(({ state }) => state === "delivered"));
    await hooks.makeDue();
    await eventually(async () => (await isDisabled(hook)) === true);
  });

  it("gets no events that waited when it was disabled, even if it is enabled again soon", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(503);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    await failed(hook, 503);
    receiver.takes();
    for (const disabled of [true, false]) {
      const fields = { url: receiver.url, events: ["message.new"], disabled };
      expect((await hooks.ask("PUT", `/${hook.id}`, fields)).status).to.equal(200);
    }
    await hooks.makeDue();
    await hooks.says("Ya estoy", "59170000804");
    await receiver.gets(2);
    await eventually(async () => (await hooks.deliveries(hook)).every(({ state }) => state !== "waiting"));
    expect(receiver.texts).to.deep.equal(["Hola", "Ya estoy"]);
    const [, first] = await hooks.deliveries(hook);
    expect(first).to.include({ state: "failed", error: "disabled", attempts: 1 });
  });

  it("gets no events of a large backlog after it was disabled, except redelivered ones", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(503);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    const { id: first } = await failed(hook, 503);
    await hooks.world.rows(
      `with more as (
         insert into webhook_events (business_id, number, name, type, payload, at)
         select business_id, number + 1000000 + n, name, type, payload, at
         from webhook_events cross join generate_series(1, 25000) as n where type = 'message.new'
         returning business_id, number
       )
       insert into webhook_deliveries (business_id, webhook_id, number, subject, failures, due_at)
       select business_id, $1, number, 'chat:1', 1, now() + interval '1 hour' from more`,
      [hook.id],
    );
    await hooks.world.rows("analyze webhook_deliveries");
    receiver.takes();
    for (const disabled of [true, false]) {
      const fields = { url: receiver.url, events: ["message.new"], disabled };
      expect((await hooks.ask("PUT", `/${hook.id}`, fields)).status).to.equal(200);
    }
    const waiting = async () =>
      (await hooks.world.rows("select from webhook_deliveries where webhook_id = $1 and state = 'waiting'", [hook.id]))
        .length;
    expect(await waiting()).to.be.above(0);
    await hooks.makeDue();
    await hooks.says("Ya estoy", "59170000805");
    await receiver.gets(2);
    const [old] = await hooks.world.rows<{ id: number }>(
      // `failures = 1` excludes the delivery of "Ya estoy", which may still be stored as waiting.
      `select id from webhook_deliveries where webhook_id = $1 and state = 'waiting' and failures = 1
       order by id desc limit 1`,
      [hook.id],
    );
    for (const id of [old?.id, first]) {
      expect((await hooks.ask("POST", `/${hook.id}/deliveries/${id}/redeliver`)).status).to.equal(202);
    }
    await receiver.gets(4);
    await hooks.says("Aún", "59170000806");
    await receiver.gets(5);
    expect(receiver.texts).to.deep.equal(["Hola", "Ya estoy", "Hola", "Hola", "Aún"]);
    await resolve(hooks.world.container, tokens.deliveryUpkeep).tidy();
    expect(await waiting()).to.equal(0);
    const ended = "select from webhook_deliveries where webhook_id = $1 and state = 'failed' and error = 'disabled'";
    expect(await hooks.world.rows(ended, [hook.id])).to.have.length(24_999);
  });

  it("signs events that waited during a rotation of its secret with both secrets", async () => {
    const receiver = await hooks.receiver();
    receiver.refuses(503);
    const hook = await hooks.hook(receiver.url);
    await hooks.says("Hola");
    await failed(hook, 503);
    const { secret } = (await hooks.ask("POST", `/${hook.id}/rotate`)).json;
    receiver.takes();
    await hooks.makeDue();
    const got = await receiver.gets(2);
    expect([hook.secret, secret].map((each) => isSignedBy(each, got))).to.deep.equal([true, true]);
    const [first] = receiver.received;
    expect(first && [hook.secret, secret].map((each) => isSignedBy(each, first))).to.deep.equal([true, false]);
  });
});
