import type { LookupAddress } from "node:dns";
import { expect } from "chai";
import { PublicOnlyAgent } from "../../src/infra/http-client/public-only-agent.ts";

type Found = { error: Error | null; address: string | LookupAddress[]; family?: number | undefined };

describe("PublicOnlyAgent", () => {
  const agent = new PublicOnlyAgent();

  /** What a name that stands for this address is looked up to; numbers need no name server. */
  const lookUp = (address: string, all: boolean): Promise<Found> =>
    new Promise((resolve) => {
      agent.options.lookup?.(address, { all }, (error, found, family) => resolve({ error, address: found, family }));
    });

  it("finds public addresses, all or one", async () => {
    for (const [address, family] of [["8.8.8.8", 4] as const, ["2606:4700::1111", 6] as const]) {
      expect(await lookUp(address, true)).to.deep.include({ error: null, address: [{ address, family }] });
      expect(await lookUp(address, false)).to.deep.equal({ error: null, address, family });
    }
  });

  it("refuses what its library would let through", async () => {
    for (const address of ["168.63.129.16", "::7f00:1", "::fffe:7f00:1", "4000::1", "8000::1", "fec0::1"]) {
      for (const all of [true, false]) expect((await lookUp(address, all)).error, address).to.be.instanceOf(Error);
    }
  });

  it("refuses them as literals before any connection is tried", () => {
    for (const host of ["168.63.129.16", "::7f00:1", "8000::1", "127.0.0.1", "fd00::1"]) {
      let refused: Error | null = null;
      const socket = agent.createConnection({ host, port: 443 }, (error) => {
        refused = error;
      });
      socket.destroy();
      expect(refused, host).to.be.instanceOf(Error);
    }
  });

  it("passes on that a name with a null byte cannot be looked up", async () => {
    for (const name of ["\0", "a\0.example.com"]) {
      expect((await lookUp(name, true)).error, name).to.be.instanceOf(Error);
    }
  });
});
