import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type Flood, type FloodName, floods, frameOf, upgradeHeaders, upgradePath } from "../support/floods.ts";
import { eventually } from "../support/wait.ts";
import { presence, World, withSubjects } from "./support.ts";

/** The process must stop reading a flood before it has read this many bytes: eight chunks of 64 kB. */
const mostRead = 512 * 1024;

describe("a client that floods its WebSocket", () => {
  let world: World;
  before(async () => {
    world = await World.open();
  });
  after(() => world.close());
  afterEach(() => world.reset());

  /** The two ends of an open WebSocket. */
  async function ends(server: Server, url: string): Promise<{ here: Socket; there: Socket; answer: string }> {
    const accepted = once(server, "connection");
    const here = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    world.onEnd(() => void here.destroy());
    const [there] = await accepted;
    here.write(upgradeOf(upgradePath));
    let answer = "";
    const collect = (chunk: Buffer) => {
      answer += chunk.toString("latin1");
    };
    here.on("data", collect);
    await eventually(() => answer.includes('"sid"'));
    here.off("data", collect).resume();
    return { here, there, answer };
  }

  async function pour(here: Socket, { head, body }: Flood): Promise<void> {
    if (head) here.write(head);
    while (!here.destroyed) if (!here.write(body)) await once(here, "drain").catch(() => {});
  }

  async function expectCutOff({ here, there }: { here: Socket; there: Socket }, flood: Flood): Promise<void> {
    const began = performance.now();
    const closed = once(there, "close");
    void pour(here, flood);
    await closed;
    const ms = performance.now() - began;
    expect(there.bytesRead, "bytes read").to.be.below(mostRead);
    // The service closes late on purpose, since a client that is closed at once would reconnect at once.
    expect(ms, "ms until it was closed").to.be.within(500, 10_000);
  }

  for (const name of Object.keys(floods) as FloodName[]) {
    it(`is not read any more, and closed a moment later: ${name}`, async () => {
      const counted: string[] = [];
      const onRefusal = (cause: string, status: number) => void counted.push(`${cause} ${status}`);
      const { server, url } = await world.gateway({ onRefusal });
      await expectCutOff(await ends(server, url), floods[name]);
      expect(counted).to.deep.equal(["packets 101"]);
    });
  }

  for (const name of [
    "pings",
    "empty parts of a message",
    "parts that are too large",
    "pings of Engine.IO",
  ] satisfies FloodName[]) {
    it(`is cut off even if its token is valid: ${name}`, async () => {
      const { server, url } = await world.gateway();
      const both = await ends(server, url);
      both.here.write(frameOf("text", '40/realtime,{"token":"ana"}'));
      const [told] = await once(both.here, "data");
      expect(told.toString("latin1")).to.include("40/realtime");
      await expectCutOff(both, floods[name]);
    });
  }

  it("is never offered compression", async () => {
    const { server, url } = await world.gateway();
    const { answer } = await ends(server, url);
    expect(answer.toLowerCase()).to.include("101 switching").and.not.include("sec-websocket-extensions");
  });

  it("is not confused with one that says goodbye, or sends a message in parts", async () => {
    const { server, url } = await world.gateway();
    const { here, there } = await ends(server, url);
    const parts = ["40/real", "time,", '{"token":', '"ana"}'];
    parts.forEach((part, n) => {
      here.write(frameOf(n === 0 ? "text" : "more", part, { isLast: n === parts.length - 1 }));
    });
    const [told] = await once(here, "data");
    expect(told.toString("latin1")).to.include("40/realtime");
    here.write(Buffer.concat([frameOf("ping"), frameOf("close")]));
    const began = performance.now();
    here.once("end", () => here.end());
    await once(there, "close");
    expect(performance.now() - began).to.be.below(400);
  });

  it("is not confused with one that was authenticated before it got its WebSocket", async () => {
    const { url } = await world.gateway();
    const client = world.client(url, { token: "ana" }, { transports: ["polling", "websocket"], upgrade: true });
    const { engine } = client.socket.io;
    await eventually(() => client.heard.length > 0 && engine.transport.name === "websocket");
    for (let sent = 0; sent < 60; sent += 1) client.socket.emit("anything");
    await sleep(1_700);
    expect(client.farewells).to.deep.equal([]);
    expect(client.socket.connected).to.equal(true);
  });

  it("is cut off within one body of long polling", async () => {
    let handled = 0;
    const subjectIn = () => {
      handled += 1;
      return null;
    };
    const { url } = await world.gateway({ presence: { ...presence, subjectIn }, visibility: withSubjects });
    const polling = `${url}/socket.io/?EIO=4&transport=polling`;
    const opened = await (await fetch(polling)).text();
    const own = `${polling}&sid=${JSON.parse(opened.slice(1)).sid}`;
    const post = (body: string) => fetch(own, { method: "POST", body }).then(({ status }) => status);
    expect(await post('40/realtime,{"token":"ana"}')).to.equal(200);
    expect(await (await fetch(own)).text()).to.include("40/realtime");
    const packets = (count: number) => Array(count).fill('42/realtime,["typing",7]').join("\x1e");
    expect(await post(packets(20))).to.equal(200);
    await eventually(() => handled === 20);
    await post(packets(600)).catch(() => {});
    expect(handled).to.be.below(120);
    expect(await post("3")).to.equal(400);
  });

  it("is refused a second later if it wants to upgrade another path, and sends on", async () => {
    const { server, url } = await world.gateway();
    const accepted = once(server, "connection");
    const here = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
    here.on("error", () => {});
    world.onEnd(() => void here.destroy());
    const [there] = await accepted;
    here.write(upgradeOf("/livez"));
    here.write("x".repeat(100_000));
    await eventually(() => there.destroyed);
    expect(there.bytesRead).to.be.below(mostRead);
  });

  it("may go on from long polling to a WebSocket without a second handshake", async () => {
    const { url } = await world.gateway({ handshakesPerSecond: 1 });
    const { socket } = world.client(url, { token: "ana" }, { transports: ["polling", "websocket"] });
    await eventually(() => socket.io.engine?.transport?.name === "websocket");
    expect(socket.connected).to.equal(true);
  });

  it("is refused a second later if it asks for too many WebSockets, even of clients that do not exist", async () => {
    const { url } = await world.gateway({ handshakesPerSecond: 1 });
    const asked = Array.from({ length: 20 }, async () => {
      const here = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
      world.onEnd(() => void here.destroy());
      const began = performance.now();
      here.write(upgradeOf(`${upgradePath}&sid=unknown`));
      const [answer] = await once(here, "data");
      await once(here, "close");
      return { status: answer.toString("latin1", 9, 12), ms: performance.now() - began };
    });
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status === "403");
    // The limit is one handshake per second of the clock. More handshakes pass if a new second begins meanwhile.
    expect(refused.length).to.be.within(10, 19);
    for (const { ms } of refused) expect(ms).to.be.above(450);
    expect(answers.filter(({ status }) => status === "400").length).to.equal(20 - refused.length);
  });
});

function upgradeOf(path: string): string {
  const headers = Object.entries({ Host: "a", ...upgradeHeaders }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${headers.join("")}\r\n`;
}
