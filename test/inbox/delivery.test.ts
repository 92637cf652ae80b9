import { expect } from "chai";
import fc from "fast-check";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { PostgresIncomingStore } from "../../src/inbox/adapters/postgres/incoming/incoming-store.ts";
import { noNews } from "../../src/inbox/public.ts";
import { type DeliveryState, deliveryStates, type ReportedState, reportedStates } from "../../src/kernel/delivery.ts";
import type { OpenedMessage, OutgoingMessages } from "../../src/messaging/public.ts";
import { startWorld, type World } from "../support/world.ts";
import { incomingOn } from "./incoming-support.ts";
import { openMessage } from "./open-message.ts";

type News =
  | { readonly kind: "statuses"; readonly states: readonly ReportedState[] }
  | { readonly kind: "answer"; readonly state: "sent" | "unknown" };

const statuses = fc.array(fc.constantFrom(...reportedStates), { minLength: 1, maxLength: 4 });
/** Webhooks with statuses, and answers to the request that sent the message. A lost answer is `unknown`. */
const news = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: statuses.map((states): News => ({ kind: "statuses", states })) },
    { weight: 1, arbitrary: fc.constantFrom("sent", "unknown").map((state): News => ({ kind: "answer", state })) },
  ),
  { minLength: 1, maxLength: 4 },
);

const statesIn = (told: News): readonly DeliveryState[] => (told.kind === "answer" ? [told.state] : told.states);
const furthestOf = (all: readonly News[]): string | undefined =>
  deliveryStates[Math.max(...all.flatMap(statesIn).map((state) => deliveryStates.indexOf(state)))];

describe("delivery states", () => {
  let world: World;
  let messages: OutgoingMessages;
  let incoming: PostgresIncomingStore;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    messages = resolve(world.container, tokens.outgoingMessages);
    incoming = incomingOn(world.database);
  });
  after(() => world.stop());

  let count = 0;
  async function stateAfter(all: readonly News[]): Promise<string | undefined> {
    count += 1;
    const message = await openMessage(messages, String(59_178_000_000 + count));
    for (const each of all) await tell(message, `wamid.delivery.${count}`, each);
    const [row] = await world.rows<{ state: string }>("select state from messages where business_id = 1 and id = $1", [
      message.id,
    ]);
    return row?.state;
  }

  async function tell(message: OpenedMessage, platformMessageId: string, told: News): Promise<void> {
    if (told.kind === "statuses") {
      const { reference } = message;
      const given = told.states.map((state) => ({ sender: "number-1", platformMessageId, reference, state }));
      await incoming.record({
        ...noNews,
        statuses: given,
      });
    } else if (told.state === "sent") {
      await messages.settle(message, { kind: "accepted", platformMessageId });
    } else {
      await messages.settle(message, { kind: "unknown", reason: "timeout" });
    }
  }

  it("are the furthest reported one in any order of reports and with repetitions", async () => {
    const told = news.chain((once) =>
      fc.tuple(fc.constant(once), fc.shuffledSubarray([...once, ...once], { minLength: once.length * 2 })),
    );
    await fc.assert(
      fc.asyncProperty(told, async ([once, shuffledTwice]) => {
        expect(await stateAfter(once)).to.equal(furthestOf(once));
        expect(await stateAfter(shuffledTwice)).to.equal(furthestOf(once));
      }),
      { numRuns: 30 },
    );
  });

  const examples: [what: string, all: News[], state: string][] = [
    [
      "change from `sent` to a failure",
      [
        { kind: "answer", state: "sent" },
        { kind: "statuses", states: ["failed"] },
      ],
      "failed",
    ],
    [
      "change from a failure only to a delivery",
      [
        { kind: "statuses", states: ["failed"] },
        { kind: "statuses", states: ["sent"] },
      ],
      "failed",
    ],
    [
      "do not change from a delivery to a failure",
      [
        { kind: "statuses", states: ["delivered"] },
        { kind: "statuses", states: ["failed"] },
      ],
      "delivered",
    ],
  ];
  for (const [what, all, state] of examples) {
    it(what, async () => {
      expect(await stateAfter(all)).to.equal(state);
    });
  }
});
