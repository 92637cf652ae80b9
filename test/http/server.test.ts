import { once } from "node:events";
import {
  Agent,
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import { loadShedder } from "../../src/infra/http/load-shedding.ts";
import { bodyMs } from "../../src/infra/http/middleware/body.ts";
import { plainDialect } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute } from "../../src/infra/http/routing/route.ts";
import { closeServer, createServer, handlersEnded, listen, serverLimits } from "../../src/infra/http/server.ts";
import { FairQueue } from "../../src/kernel/fair-queue.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { gate, type SampleApp, sampleRoutes, serveSample } from "./sample-app.ts";

/** Opens a connection and collects the received bytes until it is closed. */
async function raw(url: string, sent: string): Promise<{ socket: Socket; closed: Promise<string> }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
  await once(socket, "connect");
  socket.write(sent);
  const closed = once(socket, "close").then(() => Buffer.concat(chunks).toString());
  return { socket, closed };
}

/** Holds the next request to `/slow`. `entered` resolves when its handler runs. */
function holdNext(): { entered: Promise<void>; release: () => void } {
  let release = () => {};
  const entered = new Promise<void>((resolve) => {
    gate.enter = resolve;
  });
  gate.leave = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  return { entered, release };
}

describe("the HTTP server", () => {
  let app: SampleApp;
  beforeEach(async () => {
    app = await serveSample();
  });
  afterEach(() => app.close());

  it("does not start requests of a burst whose client has left", async () => {
    const burst = 40;
    let begun = 0;
    const busy = (_req: unknown, res: { end(): void }) => {
      begun += 1;
      const until = performance.now() + 10;
      while (performance.now() < until);
      res.end();
    };
    const server = createServer({ callback: () => busy });
    const port = await listen(server, 0, "127.0.0.1");
    const sockets = Array.from({ length: burst }, () => connect(port, "127.0.0.1").on("error", () => {}));
    const askAll = () => sockets.map((socket) => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    const answered = sockets.map((socket) => once(socket, "data"));
    askAll();
    await Promise.all(answered);
    begun = 0;
    const first = Promise.race(sockets.map((socket) => once(socket, "data")));
    askAll();
    await first;
    for (const socket of sockets) socket.destroy();
    expect(await closeServer(server, 5_000)).to.equal(true);
    // If the server still had requests of the burst, all of them would begin within these turns of the event loop.
    for (let turn = 0; turn < burst * 2; turn += 1) await new Promise(setImmediate);
    expect(begun).to.be.within(1, burst - 1);
  });

  it("answers one business during another's burst", async () => {
    const burst = 40;
    const answeredOf = { 1: 0, 2: 0 };
    let before = burst;
    const busy = (req: IncomingMessage, res: ServerResponse) => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      const business = req.headers.business === "2" ? 2 : 1;
      answeredOf[business] += 1;
      if (business === 2) before = answeredOf[1];
      res.end();
    };
    const businessOf = ({ headers }: IncomingMessage) => Number(headers.business);
    const server = createServer({ callback: () => busy }, {}, { businessOf });
    const port = await listen(server, 0, "127.0.0.1");
    const sockets = Array.from({ length: burst + 1 }, () => connect(port, "127.0.0.1").on("error", () => {}));
    const ask = (from: number, to: number, business: number) =>
      sockets.slice(from, to).map((socket) => {
        socket.write(`GET / HTTP/1.1\r\nHost: a\r\nBusiness: ${business}\r\n\r\n`);
        return once(socket, "data");
      });
    await Promise.all(ask(0, burst + 1, 3));
    answeredOf[1] = 0;
    await Promise.all([...ask(0, burst, 1), ...ask(burst, burst + 1, 2)]);
    for (const socket of sockets) socket.destroy();
    await closeServer(server, 5_000);
    expect(answeredOf[1]).to.equal(burst);
    expect(before).to.be.below(burst / 2);
  });

  it("refuses requests of a burst as soon as those before them fill the queue", async () => {
    const burst = 40;
    const queue = { name: "database", width: 1, widthPerKey: 1, queuePerKey: 100, queue: 100, waitMs: 60_000 };
    const full = new FairQueue({ ...queue, overload: { perKey: 5, all: 5, least: 0 } });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begun = 0;
    let isWarm = false;
    const handle = async (_req: unknown, res: ServerResponse) => {
      if (!isWarm) return res.end();
      begun += 1;
      const until = performance.now() + 3;
      while (performance.now() < until);
      // These awaits stand for middleware that runs before the handler asks the database.
      for (let n = 0; n < 5; n += 1) await undefined;
      await full.run(7, () => finished);
      return res.end();
    };
    const isAnswered = loadShedder({ gate: full, countRefusal: () => {} });
    const server = createServer({ callback: () => handle }, {}, { isAnswered, businessOf: () => 7 });
    const port = await listen(server, 0, "127.0.0.1");
    const sockets = Array.from({ length: burst }, () => connect(port, "127.0.0.1").on("error", () => {}));
    const askAll = () =>
      sockets.map(async (socket) => {
        socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        return String((await once(socket, "data"))[0]);
      });
    await Promise.all(askAll());
    isWarm = true;
    const refused: string[] = [];
    const answers = askAll();
    for (const answer of answers) void answer.then((said) => said.startsWith("HTTP/1.1 200") || refused.push(said));
    await eventually(() => begun + refused.length === burst);
    finish();
    await Promise.all(answers);
    for (const socket of sockets) socket.destroy();
    await closeServer(server, 5_000);
    // One request holds the queue's only place, and five wait for it.
    expect(begun).to.equal(6);
    for (const said of refused) expect(said).to.match(/^HTTP\/1\.1 429 .*Retry-After: 2\r\n/s);
  });

  describe("when it is closed", () => {
    it("answers open requests, accepts no more, and leaves no connection open", async () => {
      const agent = new Agent({ keepAlive: true });
      const { entered, release } = holdNext();
      const inFlight = request(`${app.url}/slow`, { agent });
      await entered;
      let isClosed = false;
      const closed = closeServer(app.server, 60_000).finally(() => {
        isClosed = true;
      });
      const refused = await request(`${app.url}/nothing`, { method: "PUT" }).catch((error) => error.code);
      expect(refused).to.equal("ECONNREFUSED");
      expect(isClosed).to.equal(false);
      release();
      expect((await inFlight).json).to.deep.equal({ done: true });
      expect(await closed).to.equal(true);
      agent.destroy();
    });

    it("closes idle connections at once", async () => {
      const { socket, closed } = await raw(app.url, "PUT /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
      await once(socket, "data");
      expect(await closeServer(app.server, 60_000)).to.equal(true);
      expect(await closed).to.match(/^HTTP\/1.1 204 /);
    });

    it("closes unused connections at once, such as those of load balancers", async () => {
      const { closed } = await raw(app.url, "");
      expect((await request(`${app.url}/nothing`, { method: "PUT" })).status).to.equal(204);
      expect(await closeServer(app.server, 60_000)).to.equal(true);
      expect(await closed).to.equal("");
    });

    it("answers further requests of a connection, and asks it to close", async () => {
      const { entered, release } = holdNext();
      const get = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
      const { socket, closed } = await raw(app.url, get);
      await entered;
      const isClosed = closeServer(app.server, 60_000);
      socket.write("PUT /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
      while (app.observed.length === 0) await new Promise((resolve) => setImmediate(resolve));
      release();
      expect(await isClosed).to.equal(true);
      expect(await closed).to.match(/^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 204 [\s\S]*Connection: close/);
    });

    it("closes connections that take too long, also of other protocols", async () => {
      const { entered, release } = holdNext();
      const held = request(`${app.url}/slow`).catch((error) => error.code);
      await entered;
      const upgraded = createServer({ callback: () => () => {} });
      upgraded.on("upgrade", (_req, socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
      const port = await listen(upgraded, 0, "127.0.0.1");
      const headers = "Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
      const { socket, closed } = await raw(`http://127.0.0.1:${port}`, `GET / HTTP/1.1\r\n${headers}\r\n`);
      await once(socket, "data");
      expect(await Promise.all([closeServer(app.server, 20), closeServer(upgraded, 20)])).to.deep.equal([false, false]);
      expect(await held).to.equal("ECONNRESET");
      await closed;
      release();
    });
  });

  it("reports when the last handler has ended, even if its client is gone", async () => {
    const { entered, release } = holdNext();
    const held = request(`${app.url}/slow`).catch((error) => error.code);
    await entered;
    expect(await closeServer(app.server, 1)).to.equal(false);
    expect(await held).to.equal("ECONNRESET");
    let haveEnded = false;
    const ended = handlersEnded(app.server).then(() => {
      haveEnded = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(haveEnded).to.equal(false);
    release();
    await ended;
  });

  it("fails if its port is in use", async () => {
    const other: Server = createHttpServer();
    const { port } = new URL(app.url);
    const error = await listen(other, Number(port), "127.0.0.1").catch((failure) => failure);
    expect(error).to.include({ code: "EADDRINUSE" });
  });

  it("refuses headers over 16 KiB", async () => {
    const answer = await request(`${app.url}/things?${"a".repeat(17_000)}`);
    expect(answer.status).to.equal(431);
  });

  it("refuses more than 100 headers, however many, and counts it", async () => {
    const refusals: string[] = [];
    const onRefusal = (reason: string, status: number) => refusals.push(`${reason} ${status}`);
    const server = createServer({ callback: () => (_req, res) => res.end("taken") }, {}, { onRefusal });
    const url = `http://127.0.0.1:${await listen(server, 0, "127.0.0.1")}`;
    for (const [count, status] of [
      [100, 200],
      [101, 431],
      [2_000, 431],
    ] as const) {
      const more = "a: b\r\n".repeat(count - 2);
      const { closed } = await raw(url, `GET / HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`);
      expect(await closed).to.match(new RegExp(`^HTTP/1\\.1 ${status} .*\r\nConnection: close\r\n`, "s"));
    }
    await closeServer(server, 5_000);
    expect(refusals).to.deep.equal(["headers 431", "headers 431"]);
  });

  it("refuses more than 100 headers before their end, and takes other requests of new connections", async () => {
    const refusals: string[] = [];
    const onRefusal = (reason: string, status: number) => refusals.push(`${reason} ${status}`);
    const server = createServer({ callback: () => (_req, res) => res.end("taken") }, {}, { onRefusal });
    const url = `http://127.0.0.1:${await listen(server, 0, "127.0.0.1")}`;
    for (let n = 1; n <= 3; n += 1) {
      const { closed } = await raw(url, `GET / HTTP/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(2_000)}`);
      expect(await closed).to.match(/^HTTP\/1\.1 431 .*At most 100 headers are allowed"}$/s);
      const more = "a: b\r\n".repeat(97);
      const taken = await raw(url, `GET / HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`);
      expect(await taken.closed).to.match(/^HTTP\/1\.1 200 .*taken/s);
      expect(refusals).to.have.length(n);
    }
    await closeServer(server, 5_000);
  });

  it("begins no upgrade with more than 100 headers, and answers others while it is refused", async () => {
    const server = createServer({ callback: () => (_req, res) => res.end("taken") });
    const begun: unknown[] = [];
    server.on("upgrade", ({ url }) => begun.push(url));
    const url = `http://127.0.0.1:${await listen(server, 0, "127.0.0.1")}`;
    // Node passes headers in parts of 31. With these counts, the last part has 8, 30, 31, 1 and 31 headers.
    for (const count of [101, 123, 124, 125, 155]) {
      const more = "a: b\r\n".repeat(count - 3);
      const { closed } = await raw(
        url,
        `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n${more}\r\n`,
      );
      // Node reuses parsers: one of these two connections gets the parser of the upgrade.
      const plain = [1, 2].map(() => raw(url, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
      for (const { closed: answered } of await Promise.all(plain)) expect(await answered).to.match(/taken/);
      expect(await closed, `${count}`).to.match(/^HTTP\/1\.1 431 /);
      expect(begun, `${count}`).to.deep.equal([]);
    }
    await closeServer(server, 5_000);
  });

  it("limits the headers of a connection that shares its parser with an open upgrade", async () => {
    const server = createServer({ callback: () => (_req, res) => res.end("taken") });
    server.on("upgrade", (_req, socket) => socket.on("error", () => {}).write("HTTP/1.1 101 X\r\n\r\n"));
    const url = `http://127.0.0.1:${await listen(server, 0, "127.0.0.1")}`;
    const upgrade = await raw(url, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    await once(upgrade.socket, "data");
    const other = await raw(url, "GET / HTTP/1.1\r\nHost: x\r\n");
    upgrade.socket.destroy();
    await upgrade.closed;
    other.socket.write(`${"a: b\r\n".repeat(150)}\r\n`);
    expect(await other.closed).to.match(/^HTTP\/1\.1 431 /);
    await closeServer(server, 5_000);
  });

  it("counts requests without a host or with an unknown expectation like others", async () => {
    for (const [bad, status] of [
      ["GET / HTTP/1.1\r\n\r\n", 400],
      ["GET / HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n", 417],
    ] as const) {
      let began = 0;
      const refusals: string[] = [];
      const hooks = { onRefusal: (reason: string) => refusals.push(reason) };
      const server = createServer({ callback: () => () => {} }, {}, hooks);
      for (const event of ["request", "checkExpectation"]) server.on(event, () => (began += 1));
      const port = await listen(server, 0, "127.0.0.1");
      const { closed } = await raw(`http://127.0.0.1:${port}`, bad.repeat(1_000));
      expect(await closed).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(refusals).to.deep.equal(["pipelined"]);
      expect(began).to.be.below(10);
      await closeServer(server, 1_000);
    }
  });

  it("refuses a request with two hosts or none before the application", async () => {
    for (const hosts of ["Host: x\r\nHost: x\r\n", "Host: x\r\nX-A: b\r\nhOST: y\r\n", "Host:\r\nHost:\r\n"]) {
      const { closed } = await raw(app.url, `GET /things HTTP/1.1\r\n${hosts}\r\n`);
      const answer = await closed;
      expect(answer).to.match(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/json/);
      expect(answer).to.match(/\r\n\r\n\{"message":"There must be one Host header"\}$/);
    }
    expect(await (await raw(app.url, "GET /things HTTP/1.1\r\n\r\n")).closed).to.match(/^HTTP\/1\.1 400 /);
    expect(await (await raw(app.url, "PUT /nothing HTTP/1.0\r\n\r\n")).closed).to.match(/^HTTP\/1\.1 204 /);
    app.observed.length = 0;
    expect(app.observed).to.deep.equal([]);
    const { closed } = await raw(app.url, "PUT /nothing HTTP/1.1\r\nHost: x\r\nX-Host: y\r\nConnection: close\r\n\r\n");
    expect(await closed).to.match(/^HTTP\/1\.1 204 /);
  });

  describe("disconnects clients that are too slow", () => {
    let slow: SampleApp;
    beforeEach(async () => {
      const limits = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 };
      slow = await serveSample(undefined, {}, limits);
    });
    afterEach(() => slow.close());

    for (const [what, sent] of [
      ["to send headers", "GET /things HTTP/1.1\r\nHost: x\r\n"],
      ["to send a body", "DELETE /things HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"],
      [
        "to send a body in chunks",
        "DELETE /things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
      ],
    ] as const) {
      it(what, async () => {
        const { closed } = await raw(slow.url, sent);
        expect(await closed).to.match(/^HTTP\/1.1 408 Request Timeout/);
      });
    }
  });

  it("has limits for the times of headers, bodies, whole requests and idle connections", () => {
    const server = createServer({ callback: () => () => {} });
    const { headersTimeout, requestTimeout, keepAliveTimeout } = serverLimits;
    expect(server).to.include({ headersTimeout, requestTimeout, keepAliveTimeout });
    for (const limit of [headersTimeout, bodyMs, keepAliveTimeout]) expect(limit).to.be.within(1, 120_000);
    // With 2 Mbit/s, an upload of 100 MB takes less than 500 seconds.
    expect(requestTimeout).to.be.within(500_000, 1_800_000);
  });

  describe("limits the time for a complete body", () => {
    let slow: SampleApp;
    const ends: string[] = [];
    beforeEach(async () => {
      const upload = defineRoute({
        method: "post",
        path: "/upload",
        operationId: "upload",
        tag: "things",
        summary: "Take a file",
        dialect: plainDialect,
        responses: { 200: { description: "ok" } },
        auth: "none",
        body: "multipart",
        bodyLimit: 1_000,
        handle: async ({ body: { content } }) => {
          for await (const chunk of content) ends.push(String(chunk));
          return {};
        },
      });
      slow = await serveSample([...sampleRoutes, upload], { bodyMs: 50 });
    });
    afterEach(() => slow.close());

    for (const [path, type] of [
      ["DELETE /things", "application/json"],
      ["POST /raw", "application/octet-stream"],
    ] as const) {
      it(`and ends ${path} with 408 after it`, async () => {
        const { closed } = await raw(
          slow.url,
          `${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 10\r\n\r\n{`,
        );
        const answer = await closed;
        expect(answer).to.match(/^HTTP\/1.1 408 Request Timeout[\s\S]*Connection: close/);
        expect(answer).to.match(/\{"message":"Request body took too long"\}$/);
      });
    }

    it("but lets an upload take longer", async () => {
      const [head, tail] = ["--b\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\nabc", "\r\n--b--\r\n"];
      const headers = "Host: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\n";
      const length = `Content-Length: ${head.length + tail.length}\r\n`;
      const { socket, closed } = await raw(slow.url, `POST /upload HTTP/1.1\r\n${headers}${length}\r\n${head}`);
      // The second request starts later than the upload, and times out. So the upload has lasted longer than the limit.
      const { closed: other } = await raw(slow.url, "POST /raw HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{");
      await other;
      socket.write(tail);
      expect(await closed).to.match(/^HTTP\/1.1 200 /);
      expect(ends.join("")).to.equal("abc");
    });
  });

  it("survives a client that disconnects during its body", async () => {
    for (const encoding of ["identity", "gzip"]) {
      const headers = `Host: x\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\n`;
      const { socket } = await raw(app.url, `DELETE /things HTTP/1.1\r\n${headers}Content-Length: 10\r\n\r\n{`);
      const before = app.observed.length;
      socket.destroy();
      await once(socket, "close");
      while (app.observed.length === before) await new Promise((resolve) => setImmediate(resolve));
      expect(app.observed.at(-1)?.status).to.equal(400);
    }
  });
});
