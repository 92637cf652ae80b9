import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { acceptFaster } from "../../src/infra/http/acceptors.ts";
import { closeServer, listen } from "../../src/infra/http/server.ts";

describe("acceptors of connections", () => {
  let server: Server;
  let port: number;
  const clients: Socket[] = [];

  beforeEach(async () => {
    server = createServer((_req, res) => res.end("here"));
    port = await listen(server, 0, "127.0.0.1");
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await closeServer(server, 1_000);
  });

  async function answer(): Promise<string> {
    const asked = request({ port, host: "127.0.0.1", agent: false }).end();
    const [response] = await once(asked, "response");
    return (await response.toArray()).join("");
  }

  /** The most connections that the server accepted in one turn of the event loop. */
  async function mostPerTurn(connections: number): Promise<number> {
    let inTurn = 0;
    let most = 0;
    let accepted = 0;
    const count = () => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, inTurn);
      if (++accepted === connections) server.off("connection", count);
    };
    server.on("connection", count);
    for (let n = 0; n < connections; n++) clients.push(connect(port, "127.0.0.1"));
    while (accepted < connections) await new Promise((resolve) => setImmediate(resolve));
    return most;
  }

  it("accept several connections per turn of the event loop", async () => {
    expect(await mostPerTurn(32)).to.equal(1);
    await acceptFaster(server, 4);
    expect(await mostPerTurn(32)).to.be.within(2, 4);
  });

  it("leave the queue of connections as long as it was", async function () {
    const rush = 800;
    // Linux shortens longer queues to this number. Other systems have no such file.
    const longest = await readFile("/proc/sys/net/core/somaxconn", "utf8").catch(() => "0");
    if (Number(longest) < rush) this.skip();
    await acceptFaster(server, 2);
    let connected = 0;
    // The server accepts no connection during this loop, so all clients must fit into the queue. A client that does not
    // fit would connect only after a second, when the system tries again.
    for (let n = 0; n < rush; n++) clients.push(connect(port, "127.0.0.1", () => (connected += 1)));
    await sleep(600);
    expect(connected).to.equal(rush);
  });

  it("leave no process behind that would keep the port open", async function () {
    // Linux lists a child until its parent has noticed its end. Other systems have no such file.
    const list = `/proc/self/task/${process.pid}/children`;
    if (!existsSync(list)) this.skip();
    const children = () => readFileSync(list, "utf8");
    const before = children();
    await acceptFaster(server, 4);
    expect(children()).to.equal(before);
  });

  it("serve requests on each descriptor, and stop together", async () => {
    await acceptFaster(server, 4);
    const answers = await Promise.all(Array.from({ length: 16 }, answer));
    expect(answers).to.deep.equal(Array(16).fill("here"));
    expect(await closeServer(server, 1_000)).to.equal(true);
    expect(await answer().catch(({ code }) => code)).to.equal("ECONNREFUSED");
    server = createServer();
    await listen(server, port, "127.0.0.1");
  });
});
