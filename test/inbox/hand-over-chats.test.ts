import { expect } from "chai";
import { HandOverChats } from "../../src/inbox/public.ts";
import type { LoggedEvent } from "../../src/kernel/events.ts";

const changed: LoggedEvent = { businessId: 1, number: 1, name: "chat:changed", payload: {}, at: new Date(0) };
const refuse = () => Promise.reject(new Error("nothing else runs here"));

describe("the chats of a user who left, in a run that is aborted", () => {
  it("are left to the next run after a batch, and the user stays in the list", async () => {
    const aborting = new AbortController();
    let batches = 0;
    const settled: number[] = [];
    const user = { businessId: 1, userId: 7 };
    const handOver = new HandOverChats(
      {
        list: async () => [user],
        chats: async (_, limit) => (batches < 5 ? Array.from({ length: limit }, (_, id) => id) : []),
        settle: async ({ userId }) => void settled.push(userId),
      },
      {
        run: async () => {
          batches += 1;
          if (batches === 2) aborting.abort();
          return Array.from({ length: batches <= 5 ? 100 : 0 }, () => changed) as never;
        },
        sweep: refuse,
      },
      { publish: () => {} },
      async () => {},
      (error) => expect.fail(String(error)),
    );
    expect(await handOver.execute(aborting.signal)).to.equal(200);
    expect([batches, settled]).to.deep.equal([2, []]);
    expect(await handOver.execute()).to.equal(300);
    expect(settled).to.deep.equal([7]);
  });
});
