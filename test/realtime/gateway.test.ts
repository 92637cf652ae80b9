import { expect } from "chai";
import { io, Manager } from "socket.io-client";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { PostgresEventLog } from "../../src/infra/postgres/event-log.ts";
import type { EventLog } from "../../src/kernel/events.ts";
import { eventually } from "../support/wait.ts";
import { presence, shopOrigin, World, withSubjects } from "./support.ts";

describe("the real-time gateway", () => {
  let world: World;
  before(async () => {
    world = await World.open();
  });
  after(() => world.close());
  afterEach(() => world.reset());

  /** A connected client and its gateway. */
  async function liveClient(settings: Parameters<World["gateway"]>[0] = {}, auth: object = { token: "ana" }) {
    const served = await world.gateway(settings);
    const client = world.client(served.url, auth);
    await eventually(() => client.heard.length > 0);
    return { ...served, client };
  }

  describe("sends a client the events of its business", () => {
    it("as objects with the business, the time, the number and the fields", async () => {
      const { gateway, client } = await liveClient({
        translate: ({ payload }) => ({ pedido_id: 7, empresa_id: 2, seq: 5, ...payload }),
      });
      const [event] = await world.change(1, [{ estado: "completed" }]);
      gateway.publish(event ? [event] : []);
      await eventually(() => client.numbers.length === 1);
      expect(client.heard[1]).to.deep.equal({
        name: "order:changed",
        seq: 1,
        payload: { empresa_id: 1, at: event?.at.toISOString(), seq: 1, pedido_id: 7, estado: "completed" },
      });
    });

    it("and never another business's, live or from the log", async () => {
      const { gateway, url, client } = await liveClient({ sweepMs: 20 });
      await world.change(2, [{}, {}]);
      const other = world.client(url, { token: "otto", since: 0 });
      await eventually(() => other.story.length === 3);
      gateway.publish(await world.change(2));
      gateway.publish(await world.change(1));
      await eventually(() => other.numbers.length === 3 && client.numbers.length === 1);
      expect(client.story).to.deep.equal(["ready 0", "order:changed 1"]);
      expect(other.story).to.deep.equal(["order:changed 1", "order:changed 2", "ready 2", "order:changed 3"]);
      expect(other.heard.map(({ payload }) => payload.empresa_id)).to.deep.equal([2, 2, undefined, 2]);
    });

    it("in the order of their numbers and each once, in any order of publishing", async () => {
      const { gateway, client } = await liveClient();
      const first = await world.change(1, [{}, {}, {}]);
      const second = await world.change(1, [{}, {}]);
      gateway.publish(second);
      gateway.publish(first);
      gateway.publish(second);
      await eventually(() => client.numbers.length >= 5);
      gateway.publish(await world.change(1));
      await eventually(() => client.lastSeq === 6);
      expect(client.numbers).to.deep.equal([1, 2, 3, 4, 5, 6]);
    });

    it("even if they were committed but not published", async () => {
      const { client } = await liveClient({ sweepMs: 20 });
      await world.change(1, Array(1_200).fill({}));
      await eventually(() => client.numbers.length >= 1_200);
      expect(client.numbers).to.deep.equal(Array.from({ length: 1_200 }, (_, index) => index + 1));
    });

    it("all of them if one change causes very many", async () => {
      let translated = 0;
      const { gateway, client } = await liveClient({ translate: () => ({ n: ++translated }) });
      gateway.publish(await world.change(1, Array(1_200).fill({})));
      expect(translated, "while the caller waits").to.equal(0);
      await eventually(() => client.lastSeq === 1_200);
      expect(client.numbers).to.deep.equal(Array.from({ length: 1_200 }, (_, index) => index + 1));
    });

    it("after one that cannot be translated, which a resync replaces", async () => {
      const { gateway, client } = await liveClient({
        translate: ({ payload }) => {
          if ("broken" in payload) throw new Error("no such field");
          return payload;
        },
      });
      gateway.publish(await world.change(1, [{}, { broken: true }, {}]));
      await eventually(() => client.lastSeq === 3);
      expect(client.story).to.deep.equal(["ready 0", "order:changed 1", "resync 2", "order:changed 3"]);
    });

    it("whatever the client sends", async () => {
      const { gateway, url, client } = await liveClient();
      const other = world.client(url, { token: "ana" });
      await eventually(() => other.heard.length === 1);
      for (const name of ["order:changed", "ready", "error"]) other.socket.emit(name, { empresa_id: 1, seq: 9 });
      gateway.publish(await world.change(1));
      await eventually(() => client.numbers.length === 1 && other.numbers.length === 1);
      expect(client.story).to.deep.equal(["ready 0", "order:changed 1"]);
    });
  });

  describe("during the handshake", () => {
    const refused = {
      "without a token": {},
      "with an unknown token": { token: "nobody" },
      "with a token that is not a text": { token: { $ne: "" } },
      "with an expired session": { token: "expired" },
    };
    for (const [how, auth] of Object.entries(refused)) {
      it(`refuses a client ${how}`, async () => {
        world.sessions.set("expired", { businessId: 1, userId: 11, expiresAt: new Date(Date.now() - 1) });
        const { gateway, url } = await world.gateway();
        const client = world.client(url, auth);
        await eventually(() => client.refusals.length > 0);
        expect(client.refusals).to.deep.equal(["Invalid token"]);
        expect(client.refusalCodes).to.deep.equal(["unauthorized"]);
        expect(gateway.stats()).to.deep.equal({ sockets: 0, businesses: 0 });
      });
    }

    it("refuses a `since` that is not the number of an event", async () => {
      const { url } = await world.gateway();
      const clients = [-1, 1.5, "3"].map((since) => world.client(url, { token: "ana", since }));
      await eventually(() => clients.every(({ refusals }) => refusals.length > 0));
      for (const { refusals, refusalCodes } of clients) {
        expect([refusals, refusalCodes]).to.deep.equal([["Invalid since"], ["invalid_input"]]);
      }
    });

    it("refuses every other namespace", async () => {
      const { url } = await world.gateway();
      const socket = io(url, { forceNew: true, transports: ["websocket"], auth: { token: "ana" } });
      world.onEnd(() => void socket.disconnect());
      const message = await new Promise((refused) => socket.on("connect_error", (error) => refused(error.message)));
      expect(message).to.equal("Invalid namespace");
    });

    for (const transport of ["websocket", "polling"]) {
      it(`refuses pages of foreign origins over ${transport}, but not our own`, async () => {
        const { gateway, url } = await world.gateway();
        const from = (origin: string) =>
          world.client(
            url,
            { token: "ana" },
            { transports: [transport], extraHeaders: { origin }, reconnection: false },
          );
        const foreign = [from("https://evil.example"), from(`${shopOrigin}.evil.example`), from("null")];
        const own = from(shopOrigin);
        await eventually(() => own.heard.length === 1 && foreign.every(({ refusals }) => refusals.length === 1));
        for (const client of foreign) expect(client.socket.connected).to.equal(false);
        expect(gateway.stats().sockets).to.equal(1);
      });
    }

    for (const transport of ["websocket", "polling"]) {
      it(`accepts pages of the called host over ${transport} without a list`, async () => {
        const { url } = await world.gateway({ corsOrigins: [] });
        const from = (headers: Record<string, string>) =>
          world.client(url, { token: "ana" }, { transports: [transport], extraHeaders: headers, reconnection: false });
        const own = [from({ origin: url }), from({ origin: url.replace("http", "https") })];
        const foreign = [
          from({ origin: "http://127.0.0.1:1" }),
          // Long polling cannot send another Host header.
          ...(transport === "websocket" ? [from({ origin: url, host: "elsewhere.example" })] : []),
          from({ origin: "https://elsewhere.example", "x-forwarded-host": "elsewhere.example" }),
          from({ origin: url.replace("http", "ftp") }),
        ];
        await eventually(() => own.every(({ heard }) => heard.length === 1));
        await eventually(() => foreign.every(({ refusals }) => refusals.length === 1));
      });
    }

    it("accepts pages of the host that a proxy names", async () => {
      const { url } = await world.gateway({ corsOrigins: [], hostOf: () => "panel.example:443" });
      const from = (origin: string) =>
        world.client(url, { token: "ana" }, { extraHeaders: { origin }, reconnection: false });
      const [own, foreign] = [from("https://panel.example"), from(url)];
      await eventually(() => own.heard.length === 1 && foreign.refusals.length === 1);
    });

    it("breaks the connection while tokens cannot be checked, so that the client tries again", async () => {
      let attempts = 0;
      const { url } = await world.gateway({
        authenticate: async () => {
          if (++attempts < 3) throw new Error("the database is away");
          return { businessId: 1, userId: 11 };
        },
      });
      const client = world.client(url, { token: "ana" });
      await eventually(() => client.heard.length === 1);
      expect(client.refusals).to.not.include("Invalid token");
    });

    it("limits the connections of one user", async () => {
      world.sessions.set("colleague", { businessId: 1, userId: 12 });
      let asked = 0;
      let answer = () => {};
      const allAsked = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const { gateway, url } = await world.gateway({
        maxSocketsPerUser: 3,
        // Waits until all eight clients are being authenticated, and then answers all of them.
        authenticate: async (token) => {
          if (++asked === 8) answer();
          await allAsked;
          return world.sessions.get(token) ?? null;
        },
      });
      const clients = Array.from({ length: 8 }, () => world.client(url, { token: "ana" }));
      await eventually(
        () => clients.filter(({ refusals, farewells }) => [...refusals, ...farewells].length > 0).length === 5,
      );
      expect(gateway.stats().sockets).to.equal(3);
      const late = world.client(url, { token: "ana" });
      await eventually(() => late.refusals.includes("Too many connections"));
      expect(late.refusalCodes).to.include("too_many_connections");
      const colleague = world.client(url, { token: "colleague" });
      await eventually(() => colleague.heard.length === 1);
    });
  });

  describe("sends a returning client", () => {
    it("exactly the events after its number, before live ones", async () => {
      const { gateway, url } = await world.gateway();
      await world.change(1, Array(1_203).fill({}));
      const client = world.client(url, { token: "ana", since: 3 });
      await eventually(() => client.story.includes("ready 1203"));
      gateway.publish(await world.change(1));
      await eventually(() => client.lastSeq === 1_204);
      const replayed = Array.from({ length: 1_200 }, (_, index) => `order:changed ${index + 4}`);
      expect(client.story).to.deep.equal([...replayed, "ready 1203", "order:changed 1204"]);
    });

    it("no earlier events if it names no number", async () => {
      await world.change(1, [{}, {}]);
      const { gateway, client } = await liveClient();
      gateway.publish(await world.change(1));
      await eventually(() => client.numbers.length === 1);
      expect(client.story).to.deep.equal(["ready 2", "order:changed 3"]);
    });

    it("events that this process does not know yet, if the client saw more on another process", async () => {
      const { url } = await liveClient();
      await world.change(1, [{}, {}, {}]);
      const client = world.client(url, { token: "ana", since: 2 });
      await eventually(() => client.heard.length === 2);
      expect(client.story).to.deep.equal(["order:changed 3", "ready 3"]);
    });

    it("a resync if the log no longer has all missed events", async () => {
      await world.change(1, [{}, {}, {}, {}]);
      await world.query("delete from realtime_events where number <= 2");
      const { gateway, url } = await world.gateway();
      const tooLate = world.client(url, { token: "ana", since: 1 });
      const inTime = world.client(url, { token: "ana", since: 2 });
      await eventually(() => tooLate.heard.length > 0 && inTime.story.includes("ready 4"));
      gateway.publish(await world.change(1));
      await eventually(() => tooLate.lastSeq === 5 && inTime.lastSeq === 5);
      expect(tooLate.story).to.deep.equal(["resync 4", "order:changed 5"]);
      expect(inTime.numbers).to.deep.equal([3, 4, 5]);
    });

    it("a resync if all events were deleted, or if the client is too far behind or ahead", async () => {
      await world.change(1, Array(20).fill({}));
      const { url } = await world.gateway({ replayLimit: 10 });
      const farBehind = world.client(url, { token: "ana", since: 9 });
      const near = world.client(url, { token: "ana", since: 10 });
      const ahead = world.client(url, { token: "ana", since: 21 });
      await eventually(() => [farBehind, near, ahead].every(({ lastSeq }) => lastSeq === 20));
      await world.query("delete from realtime_events");
      const purged = world.client(url, { token: "ana", since: 19 });
      await eventually(() => purged.heard.length > 0);
      expect([farBehind.story, ahead.story, purged.story]).to.deep.equal([["resync 20"], ["resync 20"], ["resync 20"]]);
      expect(near.numbers).to.have.lengthOf(10);
    });

    it("each number once and in order while others write and connections break", async () => {
      const total = 500;
      const { gateway, url } = await world.gateway({ sweepMs: 30 });
      const clients = [0, 1, 2].map(() => world.client(url, { token: "ana", since: 0 }));
      let cuts = 0;
      for (const [index, { socket }] of clients.entries()) {
        let untilCut = 10;
        socket.onAny(() => {
          if (--untilCut > 0) return;
          untilCut = 15 + 7 * index;
          cuts++;
          socket.io.engine.close();
        });
      }
      const write = async (writer: number) => {
        for (let written = 0; written < total / 5; written++) {
          const events = await world.change(1);
          // A third of the events is never published, as if the process had died after the commit.
          if ((writer + written) % 3 > 0) gateway.publish(events);
        }
      };
      await Promise.all([0, 1, 2, 3, 4].map(write));
      await eventually(() => clients.every(({ lastSeq }) => lastSeq === total), 15_000);
      const everyNumber = Array.from({ length: total }, (_, index) => index + 1);
      for (const { newNumbers, streams, story } of clients) {
        expect(newNumbers).to.deep.equal(everyNumber);
        expect(story.filter((line) => line.startsWith("resync"))).to.deep.equal([]);
        for (const { since = 0, numbers } of streams) {
          expect(numbers).to.deep.equal(numbers.map((_, index) => since + 1 + index));
        }
      }
      expect(cuts).to.be.greaterThan(20);
    });
  });

  describe("sends live clients", () => {
    it("a resync if missed events were deleted", async () => {
      const { gateway, client } = await liveClient();
      await world.change(1, [{}, {}, {}]);
      await world.query("delete from realtime_events where number <= 2");
      gateway.publish(await world.change(1));
      await eventually(() => client.lastSeq === 4);
      expect(client.story).to.deep.equal(["ready 0", "resync 2", "order:changed 3", "order:changed 4"]);
    });

    it("a resync if all events were deleted", async () => {
      const { client } = await liveClient({ sweepMs: 20 });
      await world.query(`with gone as (insert into realtime_counters values (1, 9)) select`);
      await eventually(() => client.lastSeq === 9);
      expect(client.story).to.deep.equal(["ready 0", "resync 9"]);
    });

    it("a resync if the database was restored to an earlier state", async () => {
      await world.change(1, [{}, {}, {}, {}]);
      const { gateway, client } = await liveClient({ sweepMs: 20 });
      await world.query("delete from realtime_events where number > 2");
      await world.query("update realtime_counters set last_number = 2");
      await eventually(() => client.lastSeq === 2);
      gateway.publish(await world.change(1));
      await eventually(() => client.lastSeq === 3);
      expect(client.story).to.deep.equal(["ready 4", "resync 2", "order:changed 3"]);
    });
  });

  it("sends nothing twice if the last client leaves and the next one joins while the log is read", async () => {
    let hold = Promise.resolve();
    let reads = 0;
    const log = new PostgresEventLog(oneCell(world.database));
    const held: EventLog = {
      lastNumbers: (businessIds) => log.lastNumbers(businessIds),
      read: async (...given) => {
        const page = await log.read(...given);
        if (++reads === 1) await hold;
        return page;
      },
    };
    let goOn = () => {};
    hold = new Promise((resolve) => {
      goOn = resolve;
    });
    const { gateway, url, client } = await liveClient({ log: held });
    await world.change(1);
    gateway.publish(await world.change(1));
    await eventually(() => reads === 1);
    client.socket.disconnect();
    await eventually(() => gateway.stats().businesses === 0);
    const next = world.client(url, { token: "ana", since: 0 });
    await eventually(() => next.story.includes("ready 2"));
    goOn();
    gateway.publish(await world.change(1));
    await eventually(() => next.lastSeq === 3);
    expect(next.story).to.deep.equal(["order:changed 1", "order:changed 2", "ready 2", "order:changed 3"]);
  });

  describe("ends a client's access", () => {
    it("when its session is revoked, but not that of others", async () => {
      const { gateway, url, client } = await liveClient();
      world.sessions.set("revoked", { businessId: 1, userId: 11 });
      const revoked = world.client(url, { token: "revoked" });
      const other = world.client(url, { token: "otto" });
      await eventually(() => revoked.heard.length === 1 && other.heard.length === 1);
      world.sessions.delete("revoked");
      await gateway.recheck(1);
      gateway.publish(await world.change(1));
      await eventually(() => revoked.farewells.length === 1 && client.numbers.length === 1);
      expect(revoked.farewells).to.deep.equal(["io server disconnect"]);
      expect(revoked.story).to.deep.equal(["ready 0"]);
      expect(revoked.endings).to.deep.equal(["revoked"]);
      expect([client.socket.connected, other.socket.connected]).to.deep.equal([true, true]);
    });

    it("when its token belongs to another user", async () => {
      world.sessions.set("colleague", { businessId: 1, userId: 12 });
      const { gateway, url, client } = await liveClient();
      world.onEnd(() => void world.sessions.set("ana", { businessId: 1, userId: 11 }));
      const colleague = world.client(url, { token: "colleague" });
      await eventually(() => colleague.heard.length === 1);
      world.sessions.set("ana", { businessId: 2, userId: 11 });
      world.sessions.set("colleague", { businessId: 1, userId: 13 });
      await gateway.recheckAfterGap(() => true);
      await eventually(() => [client, colleague].every(({ farewells }) => farewells.includes("io server disconnect")));
    });

    it("when its session is revoked during the handshake", async () => {
      let looked: (() => void) | undefined;
      let goOn: (() => void) | undefined;
      const lookedAt = new Promise<void>((resolve) => {
        looked = resolve;
      });
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let valid = true;
      const { gateway, url } = await world.gateway({
        authenticate: async () => {
          const identity = valid ? { businessId: 1, userId: 11 } : null;
          looked?.();
          await held;
          return identity;
        },
      });
      await world.change(1);
      const client = world.client(url, { token: "ana", since: 0 });
      await lookedAt;
      valid = false;
      await gateway.recheck(1);
      goOn?.();
      await eventually(() => client.farewells.length === 1);
      expect(client.story).to.deep.equal([]);
    });

    it("only after a check that succeeds", async () => {
      let away = false;
      const { gateway, client } = await liveClient({
        sweepMs: 20,
        authenticate: async (token) => {
          if (away) throw new Error("the database is away");
          return world.sessions.get(token) ?? null;
        },
      });
      world.onEnd(() => void world.sessions.set("ana", { businessId: 1, userId: 11 }));
      world.sessions.delete("ana");
      away = true;
      await gateway.recheck(1);
      expect(client.socket.connected).to.equal(true);
      away = false;
      await eventually(() => client.farewells.includes("io server disconnect"));
    });

    it("when its session expires", async () => {
      world.sessions.set("short", { businessId: 1, userId: 11, expiresAt: new Date(Date.now() + 300) });
      const { client } = await liveClient({ sweepMs: 20 }, { token: "short" });
      await eventually(() => client.farewells.includes("io server disconnect"));
      expect(client.endings).to.deep.equal(["expired"]);
    });
  });

  describe("drops a client that is too slow", () => {
    it("without affecting the others", async () => {
      const { gateway, url, client, connections } = await liveClient({ maxWaitingBytes: 400_000 });
      const slow = world.client(url, { token: "ana" });
      await eventually(() => slow.heard.length === 1);
      // The slow client stops reading, as if its network were dead.
      const { ws } = slow.socket.io.engine.transport as unknown as { ws: { pause(): void; terminate(): void } };
      ws.pause();
      world.onEnd(() => ws.terminate());
      const large = Array(20).fill({ text: "x".repeat(60_000) });
      await eventually(async () => {
        gateway.publish(await world.change(1, large));
        return gateway.stats().sockets === 1;
      });
      // The server closes the slow client's connection without waiting for an answer.
      await eventually(async () => (await connections()) === 1);
      gateway.publish(await world.change(1, [{ last: true }]));
      await eventually(() => client.heard.at(-1)?.payload.last);
      expect(client.socket.connected).to.equal(true);
      expect(client.numbers).to.deep.equal(client.numbers.map((_, index) => index + 1));
    });
  });

  it("sends a client that reads everything more than the limit of waiting bytes, live and from the log", async () => {
    const { gateway, url, client } = await liveClient({ maxWaitingBytes: 200_000 });
    gateway.publish(await world.change(1, Array(100).fill({ text: "x".repeat(60_000) })));
    // A single event may be larger than the limit.
    gateway.publish(await world.change(1, [{ text: "x".repeat(400_000) }, {}]));
    await eventually(() => client.lastSeq === 102);
    const back = world.client(url, { token: "ana", since: 0 });
    await eventually(() => back.story.includes("ready 102"));
    const everyNumber = Array.from({ length: 102 }, (_, index) => index + 1);
    for (const reading of [client, back]) {
      expect(reading.numbers).to.deep.equal(everyNumber);
      expect(reading.farewells).to.deep.equal([]);
    }
  });

  describe("drops a client that sends too much", () => {
    const send = ({ engine }: Manager, packet: string, times: number): void => {
      for (let sent = 0; sent < times; sent += 1) engine.write(packet);
    };

    it("after a hundred packets at once if its token is valid", async () => {
      const { client, url } = await liveClient({}, { token: "ana" });
      const modest = world.client(url, { token: "ana" });
      await eventually(() => modest.heard.length > 0);
      send(modest.socket.io, '2/realtime,["anything"]', 80);
      send(client.socket.io, '2/realtime,["anything"]', 400);
      await eventually(() => client.farewells.length > 0);
      expect(modest.farewells).to.deep.equal([]);
    });

    it("after a few packets if it has no valid token", async () => {
      const { url } = await world.gateway();
      const stranger = new Manager(url, { transports: ["websocket"], reconnection: false, forceNew: true });
      world.onEnd(() => void stranger.engine.close());
      let isClosed = false;
      stranger.on("close", () => {
        isClosed = true;
      });
      await new Promise<void>((resolve) => void stranger.once("open", resolve));
      send(stranger, '0{"token":"x"}', 50);
      await eventually(() => isClosed);
    });
  });

  it("spreads the packets of a client over turns of the event loop if many arrive at once", async () => {
    let inTurn = 0;
    let handled = 0;
    let most = 0;
    const subjectIn = () => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, inTurn);
      handled += 1;
      return null;
    };
    const { client } = await liveClient({ presence: { ...presence, subjectIn }, visibility: withSubjects });
    const { ws } = client.socket.io.engine.transport as unknown as {
      ws: { send(packet: string): void; _socket: { cork(): void; uncork(): void } };
    };
    ws._socket.cork();
    for (let packet = 0; packet < 60; packet += 1) ws.send('42/realtime,["typing",7]');
    ws._socket.uncork();
    await eventually(() => handled === 60);
    expect(most).to.be.at.most(3);
  });

  it("limits the clients of one address, and accepts others", async () => {
    const { url } = await world.gateway({
      maxClientsPerAddress: 2,
      addressOf: ({ headers }) => String(headers["x-from"] ?? "here"),
    });
    const polling = { transports: ["polling"], reconnection: false };
    const clients = [1, 2].map(() => world.client(url, { token: "ana" }, polling));
    await eventually(() => clients.every(({ heard }) => heard.length === 1));
    const third = world.client(url, { token: "ana" }, polling);
    const elsewhere = world.client(url, { token: "otto" }, { ...polling, extraHeaders: { "x-from": "elsewhere" } });
    await eventually(() => elsewhere.heard.length === 1 && third.refusals.length === 1);
    clients[0]?.socket.disconnect();
    const fourth = world.client(url, { token: "ana" }, { ...polling, reconnection: true });
    await eventually(() => fourth.heard.length === 1);
  });

  describe("with several instances", () => {
    it("sends each client its events once, without communication between the instances", async () => {
      const here = await liveClient({ sweepMs: 20 });
      const there = await liveClient({ sweepMs: 20 });
      here.gateway.publish(await world.change(1, [{}, {}]));
      there.gateway.publish(await world.change(1));
      await eventually(() => here.client.lastSeq === 3 && there.client.lastSeq === 3);
      expect(here.client.numbers).to.deep.equal([1, 2, 3]);
      expect(there.client.numbers).to.deep.equal([1, 2, 3]);
    });

    it("and no Redis announces typing only to an instance's own clients, but logged events to all", async () => {
      const settings = { sweepMs: 20, presence, visibility: withSubjects };
      const here = await liveClient(settings);
      const there = await liveClient(settings);
      world.sessions.set("bea", { businessId: 1, userId: 12 });
      const colleague = world.client(here.url, { token: "bea" });
      await eventually(() => colleague.heard.length === 1);
      colleague.socket.emit("typing", 7);
      await eventually(() => here.client.story.some((line) => line.startsWith("types")));
      here.gateway.publish(await world.change(1));
      there.gateway.publish(await world.change(1));
      await eventually(() => [here, there].every(({ client }) => client.lastSeq === 2));
      expect(there.client.story).to.deep.equal(["ready 0", "order:changed 1", "order:changed 2"]);
      expect(here.client.numbers).to.deep.equal([1, 2]);
    });

    it("serves its own clients while the common Redis is away", async () => {
      const { gateway, client } = await liveClient({ redisUrl: "redis://127.0.0.1:1" });
      gateway.publish(await world.change(1));
      await eventually(() => client.lastSeq === 1);
    });

    it("takes over the clients of a closing instance without a gap", async () => {
      const { gateway, url: closingUrl, client } = await liveClient();
      const { url } = await world.gateway();
      gateway.publish(await world.change(1));
      await eventually(() => client.numbers.length === 1);
      // The client will reconnect to the other instance, as if a load balancer led it there.
      Object.assign(client.socket.io, { uri: url });
      gateway.close();
      const late = world.client(closingUrl, { token: "ana" }, { transports: ["polling"] });
      await world.change(1);
      await eventually(() => client.story.includes("ready 2"));
      expect(client.numbers).to.deep.equal([1, 2]);
      expect(client.farewells).to.deep.equal(["transport close"]);
      await eventually(() => late.refusals.length > 0);
      expect(late.heard).to.deep.equal([]);
    });
  });

  describe("shows who views a chat", () => {
    it("without users who may no longer see it because of an event that this process missed", async () => {
      const few = { key: "few" };
      let audience = { isForFew: true };
      const { url } = await world.gateway({
        sweepMs: 20,
        presence,
        visibility: {
          ...withSubjects,
          users: async (_, ids) =>
            new Map(ids.map((id) => [id, { name: `User ${id}`, view: id === 12 ? few : withSubjects.everything }])),
          mayHear: ({ key }, given) => key !== few.key || (given as typeof audience | null)?.isForFew === true,
          audiences: async (_, ids) => new Map(ids.map((id) => [id, audience])),
        },
      });
      world.sessions.set("bea", { businessId: 1, userId: 12 });
      const [ana, bea] = [world.client(url, { token: "ana" }), world.client(url, { token: "bea" })];
      const viewersFor = ({ heard }: typeof ana) =>
        heard.filter(({ name }) => name === "views").map(({ payload }) => payload.users);
      await eventually(() => ana.heard.length === 1 && bea.heard.length === 1);
      bea.socket.emit("viewing", 7);
      await eventually(() => viewersFor(ana).length === 1 && viewersFor(bea).length === 1);
      audience = { isForFew: false };
      // The counter says 2, but the log is empty: two events were purged before this process read them.
      await world.query("insert into realtime_counters (business_id, last_number) values (1, 2)");
      await eventually(() => ana.story.includes("resync 2") && bea.story.includes("resync 2"));
      ana.socket.emit("viewing", 7);
      await eventually(() => String(viewersFor(ana).at(-1)) === "User 11");
      expect(viewersFor(bea)).to.deep.equal([["User 12"]]);
    });
  });

  describe("while the log cannot be read", () => {
    it("lets clients try again until they can join", async () => {
      let failures = 2;
      const log = new PostgresEventLog(oneCell(world.database));
      await world.change(1);
      const { url } = await world.gateway({
        log: {
          read: (...given) => log.read(...given),
          lastNumbers: async (businessIds) => {
            if (failures-- > 0) throw new Error("the database is away");
            return log.lastNumbers(businessIds);
          },
        },
      });
      const client = world.client(url, { token: "ana", since: 0 });
      await eventually(() => client.story.includes("ready 1"));
      expect(client.numbers).to.deep.equal([1]);
    });
  });

  it("counts its sockets and businesses", async () => {
    const { gateway, url, client } = await liveClient();
    const second = world.client(url, { token: "ana" });
    const other = world.client(url, { token: "otto" });
    await eventually(() => second.heard.length === 1 && other.heard.length === 1);
    expect(gateway.stats()).to.deep.equal({ sockets: 3, businesses: 2 });
    other.socket.disconnect();
    client.socket.disconnect();
    await eventually(() => gateway.stats().sockets === 1);
    expect(gateway.stats()).to.deep.equal({ sockets: 1, businesses: 1 });
  });
});
