import { expect } from "chai";
import type { ClaimedDelivery, DeliveryQueue, WebhookSender } from "../../src/webhooks/application/ports.ts";
import { DeliverWebhooks } from "../../src/webhooks/public.ts";

const lease = { businessId: 1, webhookId: 1, token: "lease" };
const delivery: ClaimedDelivery = { id: 1, subject: "chat:1", failures: 0 };
const event = { businessId: 1, number: 1, name: "message:new", payload: {}, at: new Date(0) };

/** After this many events, the queue reports no more events, so that a failing test also ends. */
const mostEvents = 500;

const failed = (error: unknown) => expect.fail(String(error));
const refuse = () => Promise.reject(new Error("nothing is disabled here"));
const unitOfWork = { run: refuse, sweep: refuse };

describe("Deliveries during continuous events", () => {
  it("begin without waiting for a pause between events", async () => {
    const stopping = new AbortController();
    let logged = 0;
    let loggedAtFirst = mostEvents;
    const waiting = [delivery];
    const free = [lease];
    const queue: DeliveryQueue = {
      // Another event is logged while the earlier ones are assigned to the endpoint.
      fanOut: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        logged += 1;
        return logged < mostEvents ? 1 : 0;
      },
      lease: async () => free.splice(0),
      claim: async () => waiting.splice(0),
      open: async () => ({ event, type: "message.new", url: "http://crm.test/", addressNumber: 1, secrets: [] }),
      settle: async () => false,
      release: async () => {},
    };
    const sender: WebhookSender = {
      send: async () => {
        loggedAtFirst = logged;
        stopping.abort();
        return { status: 200, answer: "", error: null };
      },
    };
    const deliver = new DeliverWebhooks(queue, sender, () => ({}), unitOfWork, failed);
    await deliver.execute(stopping.signal);
    await deliver.idle();
    expect(loggedAtFirst).to.be.below(mostEvents / 10);
  });
});

describe("Deliveries of businesses in several databases", () => {
  it("begin at once for all endpoints, even if only one database has more than one batch", async () => {
    const leases = (count: number, from: string) =>
      Array.from({ length: count }, (_, at) => ({ businessId: 1, webhookId: at, token: `${from} ${at}` }));
    const rounds = [[...leases(100, "first"), ...leases(20, "second")], leases(5, "rest")];
    const begun = new Set<string>();
    const queue: DeliveryQueue = {
      fanOut: async () => 0,
      lease: async () => rounds.shift() ?? [],
      claim: async ({ token }) => {
        begun.add(token);
        return null;
      },
      open: async () => null,
      settle: async () => false,
      release: async () => {},
    };
    const sender: WebhookSender = { send: () => refuse() };
    const deliver = new DeliverWebhooks(queue, sender, () => ({}), unitOfWork, failed);
    await deliver.execute(new AbortController().signal);
    await deliver.idle();
    expect(begun.size).to.equal(125);
  });
});

describe("First attempts about one chat", () => {
  for (const [what, hiccup] of [
    ["cannot be read", () => Promise.reject(new Error("no connection"))],
    ["is left for the next lease", async () => null],
  ] as const) {
    it(`keep the order of events if one of them ${what}`, async () => {
      const claims: ClaimedDelivery[][] = [
        [1, 2, 3].map((id) => ({ id, subject: id < 3 ? "chat:1" : "chat:2", failures: 0 })),
      ];
      const free = [lease];
      const sent: number[] = [];
      const queue: DeliveryQueue = {
        fanOut: async () => 0,
        lease: async () => free.splice(0),
        claim: async () => claims.shift() ?? [],
        open: async (_, number) => {
          const open = { event: { ...event, number }, type: "message.new", url: "http://crm.test/", addressNumber: 1 };
          return number === 1 ? hiccup() : { ...open, secrets: [] };
        },
        settle: async () => false,
        release: async () => {},
      };
      const sender: WebhookSender = {
        send: async ({ id }) => {
          sent.push(Number(id.split("_").at(-1)));
          return { status: 200, answer: "", error: null };
        },
      };
      const deliver = new DeliverWebhooks(
        queue,
        sender,
        () => ({}),
        unitOfWork,
        () => {},
      );
      await deliver.execute(new AbortController().signal);
      await deliver.idle();
      expect(sent).to.deep.equal([3]);
    });
  }
});
