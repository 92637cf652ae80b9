import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { expect } from "chai";
import { bytesUnderWay } from "../../src/infra/http/middleware/bytes-under-way.ts";
import { limitRate } from "../../src/infra/http/middleware/rate-limit.ts";
import { HttpProblem } from "../../src/infra/http/routing/dialect.ts";
import { type LaneName, type Lanes, openLanes } from "../../src/infra/http/routing/lanes.ts";
import { defineRoute, Reply, type Route } from "../../src/infra/http/routing/route.ts";
import { refuseTooMany } from "../../src/infra/http/server.ts";
import { Busy } from "../../src/kernel/errors.ts";
import { FairQueue } from "../../src/kernel/fair-queue.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

type Handle = Route["handle"];

const route = (path: string, handle: Handle, more: Partial<Route> = {}): Route =>
  ({
    ...defineRoute({
      method: "post",
      path,
      operationId: `use-${path.slice(1)}`,
      tag: "things",
      summary: "Does",
      auth: "key-or-token",
      scope: "send",
      responses: { 200: { description: "ok" } },
      dialect: { unexpected: () => [500, { success: false }] },
      handle,
    }),
    ...more,
  }) as Route;

const anyBody = { type: "object", properties: {} } as const;

/** The App Key in these tests is the id of the business. */
const byKey = async (ctx: { get(name: string): string; state: Record<string, unknown> }, next: () => Promise<void>) => {
  if (ctx.get("x-api-key") === "") throw new HttpProblem(401, "Invalid API key");
  ctx.state.caller = { businessId: Number(ctx.get("x-api-key")), keyId: 1, scopes };
  await next();
};

describe("admission", () => {
  let app: SampleApp;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  async function serveRoutes(routes: readonly Route[], changes: Parameters<typeof serveSample>[1] = {}) {
    app = await serveSample(routes, {
      authenticators: { "key-or-token": byKey, session: byKey, "key-or-session": byKey, "key-or-body-token": byKey },
      ...changes,
    } as Parameters<typeof serveSample>[1]);
  }

  const ask = (path: string, business: number, more: Parameters<typeof request>[1] = {}) =>
    request(`${app.url}${path}`, { method: "POST", ...more, headers: { "x-api-key": `${business}`, ...more.headers } });

  /** A raw connection that collects the received bytes. */
  function dial(): { readonly socket: Socket; answer: () => string } {
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("error", () => {});
    sockets.push(socket);
    return { socket, answer: () => text };
  }

  const oneLane = (name: LaneName, widths: { width: number; widthPerKey: number }): Lanes => ({
    ...openLanes(),
    [name]: new FairQueue({ name, queuePerKey: 2, queue: 10, waitMs: 60_000, ...widths }),
  });

  for (const [isOwnDoing, status, message] of [
    [true, 429, "Too many requests"],
    [false, 503, "Service unavailable"],
  ] as const) {
    it(`answers ${status} with Retry-After if there is no room, ${isOwnDoing ? "" : "not "}because of the caller`, async () => {
      await serveRoutes([route("/full", () => Promise.reject(new Busy("places", isOwnDoing, 7)))]);
      const answer = await ask("/full", 1);
      expect(answer).to.deep.include({ status, json: { message } });
      expect(answer.headers["retry-after"]).to.equal("7");
      expect(app.refusals).to.deep.equal([{ reason: "places", status }]);
      expect(app.logged.filter(({ level }) => level === "error")).to.deep.equal([]);
    });
  }

  it("refuses a business before it reads the body if the work should not start", async () => {
    await serveRoutes([route("/things", () => "done", { body: anyBody })], {
      admit: (businessId) => {
        if (businessId === 1) throw new Busy("database", true, 1);
      },
    });
    const { socket, answer } = dial();
    socket.write("POST /things HTTP/1.1\r\nHost: a\r\nx-api-key: 1\r\nContent-Length: 9\r\n\r\n");
    await once(socket, "connect");
    await ask("/things", 2, { body: {} });
    socket.write("123456789");
    await eventually(async () => answer().startsWith("HTTP/1.1 429"));
  });

  it("keeps a place for slow work of other businesses, and refuses a business whose own queue is full", async () => {
    const waiting: (() => void)[] = [];
    const slow = route("/slow", () => new Promise((end) => waiting.push(() => end("done"))), { lane: "reports" });
    await serveRoutes([slow], { lanes: oneLane("reports", { width: 2, widthPerKey: 1 }) });
    const own = [1, 1, 1].map((business) => ask("/slow", business));
    await eventually(async () => waiting.length === 1);
    await eventually(async () => (await ask("/slow", 1)).status === 429);
    const other = ask("/slow", 2);
    await eventually(async () => waiting.length === 2);
    while (waiting.length > 0) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
    const end = setInterval(() => waiting.shift()?.(), 5);
    expect((await Promise.all([...own, other])).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    clearInterval(end);
  });

  it("frees the place of a streamed answer when its client is gone, and stops its work", async () => {
    const lanes = oneLane("exports", { width: 1, widthPerKey: 1 });
    let ended: unknown;
    const endless = route(
      "/endless",
      ({ signal }: { signal: AbortSignal }) => {
        signal.addEventListener("abort", () => {
          ended = signal.reason;
        });
        const content = new Readable({ read: () => {} });
        content.push("a");
        return new Reply(200, content, {}, "text/csv");
      },
      { lane: "exports" },
    );
    await serveRoutes([endless], { lanes });
    const { socket, answer } = dial();
    socket.write("POST /endless HTTP/1.1\r\nHost: a\r\nx-api-key: 1\r\nContent-Length: 0\r\n\r\n");
    await eventually(async () => answer().includes("200 OK"));
    expect(lanes.exports.stats().running).to.equal(1);
    socket.destroy();
    await eventually(async () => lanes.exports.stats().running === 0);
    expect(ended).to.be.instanceOf(Error);
  });

  it("frees the place of an answer that waits for an unanswered one on its connection", async () => {
    const lanes = oneLane("exports", { width: 1, widthPerKey: 1 });
    const long = route("/long", () => new Reply(200, Readable.from(["a"]), {}, "text/csv"), { lane: "exports" });
    const never = route("/never", () => new Promise(() => {}));
    await serveRoutes([long, never], { lanes });
    const { socket } = dial();
    const head = "HTTP/1.1\r\nHost: a\r\nx-api-key: 1\r\nContent-Length: 0\r\n\r\n";
    socket.write(`POST /never ${head}POST /long ${head}`);
    await eventually(() => lanes.exports.stats().running === 1);
    socket.destroy();
    await eventually(() => lanes.exports.stats().running === 0);
  });

  it("answers some simultaneous requests of one connection, and refuses the others", async () => {
    let done = 0;
    await serveRoutes([route("/slow", () => new Promise((end) => setImmediate(() => end(++done))))]);
    const { socket, answer } = dial();
    let parsed = 0;
    app.server.on("request", () => {
      parsed += 1;
    });
    const one = "POST /slow HTTP/1.1\r\nHost: a\r\nx-api-key: 1\r\nContent-Length: 0\r\n\r\n";
    socket.write(one.repeat(100));
    await eventually(() => socket.closed);
    // The server does not parse what follows the refused request. Parsing it would take time from other clients.
    expect(parsed).to.equal(3);
    const statuses = [...answer().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses.filter((status) => status === "200")).to.have.length(done);
    expect(statuses.at(-1)).to.equal("429");
    expect(done).to.be.within(1, 2);
  });

  it("counts requests for unknown paths against their address", async () => {
    await serveRoutes([route("/things", () => "done")], { limitRate: limitRate({ perSecond: 2, burst: 0 }) });
    const answers = await Promise.all([1, 2, 3].map(() => request(`${app.url}/nothing`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([404, 404, 429]);
  });

  it("counts preflights of browsers against their address", async () => {
    await serveRoutes([route("/things", () => "done")], { limitRate: limitRate({ perSecond: 2, burst: 0 }) });
    const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
    const ask = () => request(`${app.url}/things`, { method: "OPTIONS", headers });
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 204, 429]);
  });

  describe("for bodies", () => {
    const large = 5 * 1024 * 1024;
    const hold = (path: string, business: number) => {
      const dialled = dial();
      dialled.socket.write(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${business}\r\nContent-Type: application/json\r\nContent-Length: ${large}\r\n\r\n{`,
      );
      return dialled;
    };

    it("limits the bytes of one business, but not those of another", async () => {
      await serveRoutes([route("/things", () => "done", { body: anyBody, bodyLimit: large })], {
        boundBytes: bytesUnderWay(),
      });
      const [, , third] = [hold("/things", 1), hold("/things", 1), hold("/things", 1)];
      await eventually(async () => third.answer().startsWith("HTTP/1.1 429"));
      const body = `{"a":"${"b".repeat(large - 20)}"}`;
      expect((await ask("/things", 2, { rawBody: body })).status).to.equal(200);
      expect((await ask("/things", 1, { body: {} })).status).to.equal(200);
    });

    it("keeps room for businesses if unknown callers send many bytes", async () => {
      const open = route("/open", () => "done", { auth: "none", body: anyBody, bodyLimit: large });
      await serveRoutes([open, route("/things", () => "done", { body: anyBody, bodyLimit: large })], {
        boundBytes: bytesUnderWay(),
      });
      const held = Array.from({ length: 8 }, (_, n) => hold("/open", n));
      await eventually(() => held.some(({ answer }) => answer().startsWith("HTTP/1.1 429")));
      expect((await ask("/things", 1, { rawBody: `{"a":"${"b".repeat(large - 20)}"}` })).status).to.equal(200);
    });

    it("refuses bodies with 503 if all together exceed the process's limit", async () => {
      await serveRoutes([route("/things", () => "done", { body: anyBody, bodyLimit: large })], {
        boundBytes: bytesUnderWay(),
      });
      const held = Array.from({ length: 12 }, (_, business) => hold("/things", business + 1));
      await eventually(async () => held.some(({ answer }) => answer().startsWith("HTTP/1.1 503")));
      expect(app.refusals[0]).to.deep.equal({ reason: "bytes", status: 503 });
    });

    it("answers a client that still sends its body before the connection ends", async () => {
      await serveRoutes([route("/things", () => "done", { body: anyBody })]);
      const { socket, answer } = dial();
      socket.write("POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
      // The bytes come slowly. A byte that arrived after the server closed the connection would reset the connection,
      // and the client would see an error instead of the answer.
      const dripping = setInterval(() => socket.write("1\r\na\r\n"), 100);
      await eventually(() => socket.closed).finally(() => clearInterval(dripping));
      expect(answer()).to.match(/^HTTP\/1\.1 401/);
      expect(answer()).to.match(/\r\nConnection: close\r\n/i);
    });

    it("stops reading a body that continues after its answer", async () => {
      await serveRoutes([route("/things", () => "done", { body: anyBody })]);
      const { socket } = dial();
      let sent = 0;
      const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, 97), Buffer.from("\r\n")]);
      socket.write("POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
      const pour = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on("drain", pour);
      pour();
      await eventually(() => socket.closed);
      expect(sent).to.be.below(24 * 1024 * 1024);
    });
  });

  it("closes connections above the limit of an address, with an answer", async () => {
    await serveRoutes([route("/things", () => "done")]);
    refuseTooMany(app.server, { connections: 3, connectionsPerAddress: 2 }, (reason, status) =>
      app.refusals.push({ reason, status }),
    );
    const [first, second] = [dial(), dial()];
    await Promise.all([once(first.socket, "connect"), once(second.socket, "connect")]);
    const third = dial();
    await eventually(() => third.socket.closed);
    expect(third.answer()).to.match(/^HTTP\/1\.1 429 (.|\r\n)*Retry-After: 5/);
    expect(app.refusals).to.deep.equal([{ reason: "connections", status: 429 }]);
    first.socket.destroy();
    await eventually(async () => {
      const again = dial();
      again.socket.write("POST /things HTTP/1.1\r\nHost: a\r\nx-api-key: 1\r\nContent-Length: 0\r\n\r\n");
      await Promise.race([once(again.socket, "data"), once(again.socket, "close")]);
      return again.answer().startsWith("HTTP/1.1 200");
    });
  });
});
