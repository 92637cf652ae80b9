import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { eventually } from "../support/wait.ts";
import { Hooks } from "./support.ts";

/** The test fails if the delivery has not succeeded after this many events. */
const mostEvents = 30;

describe("A delivery that failed once because of the database", () => {
  let hooks: Hooks;
  before(async () => {
    hooks = await Hooks.start();
  });
  after(() => hooks.stop());
  afterEach(() => hooks.clear());

  for (const [step, failing] of [["open", 2] as const, ["settle", 1] as const]) {
    it(`continues even if its endpoint is kept busy (${step})`, async () => {
      const queue = resolve(hooks.world.container, tokens.deliveryQueue);
      const own = queue[step].bind(queue) as (...values: unknown[]) => Promise<never>;
      let calls = 0;
      let failed: unknown;
      const failsOnce = (...values: unknown[]): Promise<never> => {
        calls += 1;
        if (calls !== failing) return own(...values);
        failed = values[1];
        return Promise.reject(new Error("canceling statement due to statement timeout"));
      };
      Object.assign(queue, { [step]: failsOnce });
      const receiver = await hooks.receiver();
      const held: ServerResponse[] = [];
      receiver.answering = (_, response) => void held.push(response);
      const hook = await hooks.hook(receiver.url);
      let said = 0;
      const next = async () => {
        said += 1;
        await hooks.says(`Hola ${said}`, `5917001${String(said).padStart(4, "0")}`);
        await eventually(async () => (await hooks.deliveries(hook, "?limit=100")).length === said);
      };
      const isDelivered = async () =>
        (await hooks.deliveries(hook, "?limit=100")).some(({ id, state }) => id === failed && state === "delivered");
      try {
        await next();
        await receiver.gets(1);
        await next();
        if (step === "open") await eventually(() => failed !== undefined);
        // A new event arrives before the earlier ones are answered, so the endpoint always has work.
        while (said < mostEvents && !(await isDelivered())) {
          const earlier = held.splice(0);
          await next();
          for (const response of earlier) response.writeHead(200).end();
        }
        expect(await isDelivered()).to.equal(true);
      } finally {
        Object.assign(queue, { [step]: own });
        receiver.takes();
        for (const response of held.splice(0)) response.writeHead(200).end();
      }
    });
  }
});
