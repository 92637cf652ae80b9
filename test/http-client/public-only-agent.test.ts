import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import type https from "node:https";
import type { LookupFunction } from "node:net";
import { expect } from "chai";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { pooled } from "../../src/infra/http-client/pooled-agent.ts";
import { PublicOnlyAgent } from "../../src/infra/http-client/public-only-agent.ts";
import { eventually } from "../support/wait.ts";
import { useRealNetwork } from "./nocked.ts";
import { answer, certificate, serveRaw } from "./servers.ts";

type Found = { error: Error | null; address: string | LookupAddress[]; family?: number | undefined };

describe("PublicOnlyAgent", () => {
  const agent = new PublicOnlyAgent();

  /** Looks up the address as if it were a name. */
  const lookUp = (address: string, all: boolean): Promise<Found> =>
    new Promise((resolve) => {
      agent.options.lookup?.(address, { all }, (error, found, family) => resolve({ error, address: found, family }));
    });

  it("returns public addresses, all or one", async () => {
    for (const [address, family] of [["8.8.8.8", 4] as const, ["2606:4700::1111", 6] as const]) {
      expect(await lookUp(address, true)).to.deep.include({ error: null, address: [{ address, family }] });
      expect(await lookUp(address, false)).to.deep.equal({ error: null, address, family });
    }
  });

  it("refuses private addresses that its library accepts", async () => {
    for (const address of ["168.63.129.16", "::7f00:1", "::fffe:7f00:1", "4000::1", "8000::1", "fec0::1"]) {
      for (const all of [true, false]) expect((await lookUp(address, all)).error, address).to.be.instanceOf(Error);
    }
  });

  it("refuses private addresses as literals before it connects", () => {
    for (const host of ["168.63.129.16", "::7f00:1", "8000::1", "127.0.0.1", "fd00::1"]) {
      let refused: Error | null = null;
      const socket = agent.createConnection({ host, port: 443 }, (error) => {
        refused = error;
      });
      socket.destroy();
      expect(refused, host).to.be.instanceOf(Error);
    }
  });

  describe("with kept connections", () => {
    useRealNetwork();
    /** Stands for a public address, since tests can reach only this machine. `OfName` allows connections to it. */
    const publicAddress = "127.0.0.1";
    let leadsTo = publicAddress;
    let ca = "";
    before(async () => {
      ca = (await certificate()).cert;
    });
    const lookup: LookupFunction = (_, { all }, callback) =>
      all ? callback(null, [{ address: leadsTo, family: 4 }]) : callback(null, leadsTo, 4);
    class OfName extends PublicOnlyAgent {
      constructor(options: https.AgentOptions) {
        super({
          ...options,
          ca,
          servername: "localhost",
          lookup,
          allowIPAddressList: [publicAddress],
        });
      }
    }
    const start = async (times: { readonly idleSocketMs: number; readonly keptSocketMs?: number }) => {
      leadsTo = publicAddress;
      let end = () => {};
      let ended: Promise<unknown> | undefined;
      const server = await serveRaw((socket) => {
        end = () => void socket.destroy();
        ended = once(socket, "close");
        socket.write(answer("ok"));
      }, {});
      const client = new HttpClient({ agents: { https: pooled(OfName, { maxSockets: 8, ...times }) } });
      const url = `https://crm.example.com:${server.port}/`;
      const ask = () => client.request({ method: "POST", url, body: "{}" });
      const close = async () => {
        await client.close();
        await server.close();
      };
      return { server, ask, close, end: () => end(), ended: () => ended };
    };
    const refused = { kind: "not-sent", reason: "connection failed: ENOTPUBLIC" };

    it("keeps using a checked address, and refuses a private one for the next connection", async () => {
      const { server, ask, close, end } = await start({ idleSocketMs: 10_000 });
      try {
        expect(await ask()).to.include({ kind: "answer" });
        leadsTo = "127.0.0.2";
        expect(await ask()).to.include({ kind: "answer" });
        expect(server.connections()).to.equal(1);
        end();
        await eventually(async () => (await ask()).kind !== "answer");
        expect(await ask()).to.deep.equal(refused);
        expect([server.connections(), server.requests()]).to.deep.equal([1, 2]);
      } finally {
        await close();
      }
    });

    it("closes one that was idle for its time", async () => {
      const { server, ask, close, ended } = await start({ idleSocketMs: 20 });
      try {
        expect(await ask()).to.include({ kind: "answer" });
        leadsTo = "10.0.0.1";
        await ended();
        expect(await ask()).to.deep.equal(refused);
        expect(server.connections()).to.equal(1);
      } finally {
        await close();
      }
    });

    it("closes one after its total time", async () => {
      const { server, ask, close } = await start({ idleSocketMs: 10_000, keptSocketMs: 20 });
      try {
        expect(await ask()).to.include({ kind: "answer" });
        leadsTo = "10.0.0.1";
        await eventually(async () => (await ask()).kind === "not-sent");
        expect(await ask()).to.deep.equal(refused);
        expect(server.connections()).to.equal(1);
      } finally {
        await close();
      }
    });
  });

  it("reports that a name with a null byte cannot be looked up", async () => {
    for (const name of ["\0", "a\0.example.com"]) {
      expect((await lookUp(name, true)).error, name).to.be.instanceOf(Error);
    }
  });
});
