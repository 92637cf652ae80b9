import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { createClient } from "redis";
import { openPeers, RealtimePublisher } from "../../src/infra/realtime/peers.ts";
import type { RealtimeSettings } from "../../src/infra/realtime/settings.ts";
import { eventually } from "../support/wait.ts";
import { presence, silent, World, withSubjects } from "./support.ts";

/** Each gateway stands for a process. Its sweep is off unless a test turns it on. */
describe("Real-time gateways on one Redis", () => {
  let redis: TestRedis;
  let world: World;
  /** Keeps this run's messages apart from those of other test runs, which may use the same Redis. */
  const redisPrefix = `recado-test-${process.pid}`;

  before(async function () {
    const found = await TestRedis.open();
    if (!found) {
      console.warn("      no Redis: put redis-server on the PATH or set REDIS_URL to run these");
      return this.skip();
    }
    redis = found;
    world = await World.open();
  });
  after(async () => {
    await redis?.close();
    await world?.close();
  });
  afterEach(() => world?.reset());

  async function liveClient(settings: Partial<RealtimeSettings> = {}) {
    const { gateway, url } = await world.gateway({ redisUrl: redis.url, redisPrefix, ...settings });
    const client = world.client(url, { token: "ana" });
    await eventually(() => client.heard.length === 1);
    return { gateway, client };
  }

  it("send events to each other's clients, each once and in order", async () => {
    const here = await liveClient();
    const there = await liveClient();
    await redis.hasSubscribers(2, redisPrefix);
    here.gateway.publish(await world.change(1, Array(450).fill({ text: "ñ" })));
    await eventually(() => there.client.lastSeq === 450);
    there.gateway.publish(await world.change(1));
    await eventually(() => here.client.lastSeq === 451 && there.client.lastSeq === 451);
    const everyNumber = Array.from({ length: 451 }, (_, index) => index + 1);
    for (const { client } of [here, there]) expect(client.numbers).to.deep.equal(everyNumber);
    expect(there.client.heard).to.deep.equal(here.client.heard);
  });

  it("get events from a process without sockets, but not from other installations", async () => {
    const { client } = await liveClient();
    await redis.hasSubscribers(1, redisPrefix);
    const publishers = [redisPrefix, `${redisPrefix}-other`].map(
      (prefix) => new RealtimePublisher({ redisUrl: redis.url, redisPrefix: prefix, logger: silent }),
    );
    for (const publisher of publishers) {
      publisher.start();
      world.onEnd(() => publisher.close());
    }
    const [own, other] = publishers;
    await eventually(async () => {
      other?.publish([{ businessId: 1, number: client.lastSeq + 1, name: "alien", payload: {}, at: new Date() }]);
      own?.publish(await world.change(1));
      return client.numbers.length >= 3;
    });
    expect(client.heard.filter(({ name }) => name === "alien")).to.deep.equal([]);
    expect(client.numbers).to.deep.equal(client.numbers.map((_, index) => index + 1));
  });

  it("share who types, who views chats, and who leaves", async () => {
    world.sessions.set("beto", { businessId: 1, userId: 12 });
    const settings = { redisUrl: redis.url, redisPrefix, presence, visibility: withSubjects };
    const [here, there] = [await world.gateway(settings), await world.gateway(settings)];
    await redis.hasSubscribers(2, redisPrefix);
    const [ana, beto] = [world.client(here.url, { token: "ana" }), world.client(there.url, { token: "beto" })];
    await eventually(() => ana.heard.length === 1 && beto.heard.length === 1);
    const told = (client: typeof ana, of: string) =>
      client.heard.filter(({ name }) => name === of).map(({ payload }) => payload.users ?? payload.user);
    ana.socket.emit("typing", 7);
    await eventually(() => told(beto, "types").length === 1);
    ana.socket.emit("viewing", 7);
    await eventually(() => told(beto, "views").length === 1);
    beto.socket.emit("viewing", 7);
    await eventually(() => told(ana, "views").length === 2);
    // A client that connects later learns who is already viewing the chat.
    const late = world.client(there.url, { token: "beto" });
    await eventually(() => late.heard.length === 1);
    late.socket.emit("viewing", 7);
    await eventually(() => told(late, "views").length === 1);
    ana.socket.disconnect();
    await eventually(() => told(beto, "views").length === 3);
    expect(told(beto, "types")).to.deep.equal(["User 11"]);
    expect(told(beto, "views")).to.deep.equal([["User 11"], ["User 11", "User 12"], ["User 12"]]);
    expect(told(late, "views")).to.deep.equal([["User 11", "User 12"], ["User 12"]]);
  });

  it("get events even if very many typing events are sent", async () => {
    const { client } = await liveClient();
    await redis.hasSubscribers(1, redisPrefix);
    const peers = openPeers({ redisUrl: redis.url, redisPrefix, logger: silent });
    peers.start();
    const [first, second] = [await world.change(1), await world.change(1)];
    await eventually(() => {
      peers.tell(1, first);
      return client.lastSeq === 1;
    });
    for (let n = 0; n < 1_000; n += 1) peers.signal(2, { kind: "typing" });
    peers.tell(1, second);
    await eventually(() => client.lastSeq === 2);
    peers.close();
  });

  it("continue with their own reading while Redis is away, and share events again afterwards", async function () {
    if (!redis.isOurs) {
      console.warn("      only a redis-server of our own is stopped: put one on the PATH and unset REDIS_URL");
      return this.skip();
    }
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    world.onEnd(() => void process.off("unhandledRejection", note));
    const warnings: string[] = [];
    const logger = { ...silent, warn: (_fields: object, message: string) => void warnings.push(message) };
    const here = await liveClient({ logger });
    const there = await liveClient({ sweepMs: 20, logger });
    await redis.hasSubscribers(2, redisPrefix);
    const events = await world.change(1, [{}, {}]);
    redis.freeze();
    // The frozen Redis never answers these messages. They still wait for an answer when `stop` breaks the connection.
    for (let times = 0; times < 200; times++) here.gateway.publish(events);
    await eventually(() => there.client.lastSeq === 2);
    await redis.stop();
    here.gateway.publish(await world.change(1));
    await eventually(() => there.client.lastSeq === 3);
    await redis.start();
    await redis.hasSubscribers(2, redisPrefix);
    await eventually(async () => {
      there.gateway.publish(await world.change(1));
      return here.client.lastSeq > 3;
    });
    expect(here.client.numbers).to.deep.equal(here.client.numbers.map((_, index) => index + 1));
    expect(unhandled, "would end the process").to.deep.equal([]);
    expect(warnings).to.include("Redis is unreachable: events arrive with the next sweep");
  });
});

/** The Redis of `REDIS_URL`, or one that is started here. */
class TestRedis {
  private process: ChildProcess | undefined;

  private constructor(
    readonly url: string,
    private readonly port: number | undefined,
  ) {}

  static async open(): Promise<TestRedis | undefined> {
    if (process.env.REDIS_URL) return new TestRedis(process.env.REDIS_URL, undefined);
    const port = await freePort();
    const redis = new TestRedis(`redis://127.0.0.1:${port}`, port);
    return (await redis.start()) ? redis : undefined;
  }

  get isOurs(): boolean {
    return this.port !== undefined;
  }

  /** False if redis-server is not installed. */
  async start(): Promise<boolean> {
    const options = ["--port", `${this.port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    const child = spawn("redis-server", options, { stdio: "ignore" });
    try {
      await once(child, "spawn");
    } catch {
      return false;
    }
    this.process = child;
    await eventually(() => this.ask(["PING"]));
    return true;
  }

  /** A frozen Redis accepts connections but never answers. */
  freeze(): void {
    this.process?.kill("SIGSTOP");
  }

  async stop(): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  close(): Promise<void> {
    return this.stop();
  }

  /** Resolves when this many connections have subscribed. */
  async hasSubscribers(count: number, prefix: string): Promise<void> {
    await eventually(async () => (await this.ask(["PUBLISH", `${prefix}:realtime:probe:0`, "[]"])) === count);
  }

  private async ask(command: string[]): Promise<unknown> {
    const client = createClient({ url: this.url, socket: { reconnectStrategy: false } });
    client.on("error", () => {});
    await client.connect();
    try {
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
