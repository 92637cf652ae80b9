import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
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

/** Leaves what it is sent without an answer until the test gives one. */
function holds(receiver: Receiver): (status: number) => void {
  const held: ServerResponse[] = [];
  receiver.answering = (_, response) => void held.push(response);
  return (status) => {
    for (const response of held.splice(0)) response.writeHead(status).end();
  };
}

describe("An endpoint that is changed while it is delivered to", () => {
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

  it("is not disabled by a 410 of the address before, and gets at the new one what that refused", async () => {
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

  it("has its five days of failures counted from those of the address that it has", async () => {
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

  it("does not begin the five days again because the address before took something", async () => {
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

  it("gets nothing of what waited as it was disabled, however soon it is enabled again", async () => {
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

  it("signs what waited while its secret was rotated with both secrets", async () => {
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
