import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, LookupFunction, Socket } from "node:net";
import { expect } from "chai";
import nock from "nock";
import { HttpClient, type HttpClientSettings, type HttpOutcome } from "../../src/infra/http-client/http-client.ts";
import { pooled } from "../../src/infra/http-client/pooled-agent.ts";
import { eventually } from "../support/wait.ts";
import { useNock, useRealNetwork } from "./nocked.ts";
import { answer, certificate, freePort, type RawServer, serveRaw } from "./servers.ts";

describe("HttpClient", () => {
  useRealNetwork();

  const opened: { close(): Promise<void> }[] = [];
  const clientWith = (settings?: HttpClientSettings): HttpClient => tracked(new HttpClient(settings));
  const raw = async (...args: Parameters<typeof serveRaw>): Promise<RawServer> => tracked(await serveRaw(...args));
  const post = (client: HttpClient, url: string): Promise<HttpOutcome> =>
    client.request({ method: "POST", url, headers: { "content-type": "application/json" }, body: '{"a":"ñ"}' });

  function tracked<T extends { close(): Promise<void> }>(one: T): T {
    opened.push(one);
    return one;
  }

  afterEach(async () => {
    // A closing client waits for its open requests. Some of these end only when the server closes, too.
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  describe("returns an answer", () => {
    it("with status, headers and text, for any status", async () => {
      let seen = "";
      const server = http.createServer((request, response) => {
        request.setEncoding("utf8");
        request.on("data", (text: string) => {
          seen += `${request.method} ${request.url} ${request.headers["content-length"]} ${text}`;
        });
        request.on("end", () => response.writeHead(503, { "x-kind": "busy" }).end('{"b":"ü"}'));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `http://127.0.0.1:${portOf(server)}/messages?x=1`;

      const outcome = await post(clientWith(), url);

      expect(outcome).to.deep.include({ kind: "answer", status: 503, text: '{"b":"ü"}' });
      expect(outcome).to.have.nested.property("headers.x-kind", "busy");
      expect(seen).to.equal('POST /messages?x=1 10 {"a":"ñ"}');
      server.closeAllConnections();
      server.close();
    });

    it("that redirects, without following it", async () => {
      const server = await raw((socket) =>
        socket.write(`HTTP/1.1 302 Found\r\nLocation: ${server.url}elsewhere\r\nContent-Length: 0\r\n\r\n`),
      );
      expect(await post(clientWith(), server.url)).to.include({ kind: "answer", status: 302 });
      expect(server.requests()).to.equal(1);
    });

    it("with a body that ends with the connection", async () => {
      const server = await raw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nuntil the end"));
      expect(await post(clientWith(), server.url)).to.include({ kind: "answer", text: "until the end" });
    });
  });

  describe("with nock", () => {
    useNock();

    it("returns the answer of nock", async () => {
      nock("https://platform.test").post("/messages", { a: "ñ" }).reply(201, { id: 7 });
      const outcome = await post(clientWith(), "https://platform.test/messages");
      expect(outcome).to.deep.include({ kind: "answer", status: 201, text: '{"id":7}' });
      expect(nock.isDone()).to.equal(true);
    });
  });

  describe("reports `not-sent`, as no byte of the request left, if", () => {
    it("no server listens", async () => {
      const outcome = await post(clientWith(), `http://127.0.0.1:${await freePort()}/`);
      expect(outcome).to.deep.equal({ kind: "not-sent", reason: "connection failed: ECONNREFUSED" });
    });

    it("the name is unknown", async () => {
      const lookup: LookupFunction = (_name, _options, done) =>
        done(Object.assign(new Error("getaddrinfo ENOTFOUND secret.example"), { code: "ENOTFOUND" }), "");
      const client = clientWith({ agents: { http: new http.Agent({ lookup }) } });
      expect(await post(client, "http://secret.example/")).to.deep.equal({
        kind: "not-sent",
        reason: "connection failed: ENOTFOUND",
      });
    });

    it("connecting takes too long", async () => {
      const client = clientWith({
        agents: { http: new http.Agent({ lookup: () => {} }) },
        timeouts: { connectMs: 30 },
      });
      expect(await post(client, "http://silent.example/")).to.deep.equal({
        kind: "not-sent",
        reason: "no connection within 30 ms",
      });
    });

    it("the TLS handshake takes too long", async () => {
      const server = await raw(() => {});
      const client = clientWith({ timeouts: { connectMs: 100 } });
      const outcome = await post(client, `https://127.0.0.1:${server.port}/`);
      expect(outcome).to.deep.equal({ kind: "not-sent", reason: "no connection within 100 ms" });
      expect(server.connections()).to.equal(1);
    });

    it("the server does not support TLS", async () => {
      const server = http.createServer();
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const outcome = await post(clientWith(), `https://127.0.0.1:${portOf(server)}/`);
      expect(outcome).to.have.property("kind", "not-sent");
      expect(outcome)
        .to.have.property("reason")
        .that.matches(/^connection failed: (EPROTO|ERR_SSL_\w+)$/);
      server.close();
    });

    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      it(`the certificate is not trusted (${version})`, async () => {
        const server = await raw(() => {}, { minVersion: version, maxVersion: version });
        expect(await post(clientWith(), server.url)).to.deep.equal({
          kind: "not-sent",
          reason: "connection failed: DEPTH_ZERO_SELF_SIGNED_CERT",
        });
        await server.close();
        opened.splice(opened.indexOf(server), 1);
        expect(server.bytes()).to.equal(0);
      });
    }

    it("no connection becomes free in time, and does not send the waiting request later", async () => {
      const held: Socket[] = [];
      const server = await raw((socket) => held.push(socket));
      const client = clientWith({ maxSockets: 1, timeouts: { connectMs: 50, totalMs: 5_000 } });
      const first = post(client, server.url);
      await eventually(() => held.length === 1);
      expect(await post(client, server.url)).to.deep.equal({ kind: "not-sent", reason: "no connection within 50 ms" });
      held[0]?.write(answer("{}"));
      expect(await first).to.include({ kind: "answer" });
      const third = post(client, server.url);
      await eventually(() => held.length === 2);
      held[1]?.write(answer("{}"));
      expect(await third).to.include({ kind: "answer" });
      expect(server.requests()).to.equal(2);
      expect(server.connections()).to.equal(1);
    });

    it("too many requests are open", async () => {
      const held: Socket[] = [];
      const server = await raw((socket) => held.push(socket));
      const client = clientWith({ maxInFlight: 1 });
      const first = post(client, server.url);
      expect(await post(client, server.url)).to.deep.equal({ kind: "not-sent", reason: "too many requests under way" });
      await eventually(() => held.length === 1);
      held[0]?.write(answer("{}"));
      await first;
      expect(server.requests()).to.equal(1);
    });

    it("the request cannot be written, with a reason without the token", async () => {
      const client = clientWith();
      const badHeader = { method: "GET", url: "http://127.0.0.1/", headers: { authorization: "Bearer a\nb" } } as const;
      expect(await client.request(badHeader)).to.deep.equal({
        kind: "not-sent",
        reason: "invalid request: ERR_INVALID_CHAR",
      });
      expect(await client.request({ method: "GET", url: "nothing" })).to.include({ kind: "not-sent" });
    });
  });

  describe("reports `unknown`, as bytes may have been sent, after an answer that is", () => {
    const fates: Record<string, [(socket: Socket) => void, reason: RegExp]> = {
      "reset before it begins": [(socket) => socket.resetAndDestroy(), /^connection broke: ECONNRESET$/],
      "closed before it begins": [(socket) => socket.end(), /^connection broke: ECONNRESET$/],
      "reset in the middle": [
        (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", () => socket.resetAndDestroy()),
        /^(answer broke off|connection broke): ECONNRESET$/,
      ],
      "closed in the middle": [
        (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
        /^answer broke off: ECONNRESET$/,
      ],
      "closed in the middle of chunks": [
        (socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"),
        /^answer broke off: ECONNRESET$/,
      ],
      "not HTTP": [(socket) => socket.end("220 mail ready\r\n"), /^connection broke: HPE_INVALID_CONSTANT$/],
      "in another protocol": [
        (socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        /^connection/,
      ],
      "larger than allowed": [(socket) => socket.write(answer("x".repeat(1_001))), /^answer larger than 1000 bytes$/],
      "larger than allowed, in chunks": [
        (socket) => {
          socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          for (let n = 0; n < 20; n++) socket.write(`64\r\n${"x".repeat(100)}\r\n`);
        },
        /^answer larger than 1000 bytes$/,
      ],
      silent: [() => {}, /^no answer within 300 ms$/],
      "silent in the middle": [
        (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
        /^no answer within 300 ms$/,
      ],
    };
    for (const [what, [fate, reason]] of Object.entries(fates)) {
      it(`${what}, and sends the request once`, async () => {
        const server = await raw(fate);
        const client = clientWith({ maxAnswerBytes: 1_000, timeouts: { totalMs: 300 } });
        const outcome = await post(client, server.url);
        expect(outcome).to.have.property("kind", "unknown");
        expect(outcome).to.have.property("reason").that.matches(reason);
        expect(server.requests()).to.equal(1);
      });
    }

    it("missing beyond the time for connecting", async () => {
      const server = await raw(() => {});
      const client = clientWith({ timeouts: { connectMs: 100, totalMs: 200 } });
      expect(await post(client, server.url)).to.deep.equal({ kind: "unknown", reason: "no answer within 200 ms" });
    });

    it("reset after the TLS handshake", async () => {
      const server = await raw((socket) => socket.destroy(), {});
      const client = clientWith({ agents: { https: new https.Agent({ ca: (await certificate()).cert }) } });
      expect(await post(client, server.url)).to.include({ kind: "unknown" });
      expect(server.requests()).to.equal(1);
    });

    it("broken off on a reused connection, and does not send the request again", async () => {
      const server = await raw((socket, request) =>
        request === 1 ? socket.write(answer("{}")) : socket.resetAndDestroy(),
      );
      const client = clientWith();
      await post(client, server.url);
      expect(await post(client, server.url)).to.include({ kind: "unknown" });
      expect(server.requests()).to.equal(2);
      expect(server.connections()).to.equal(1);
    });
  });

  it("accepts an answer that is exactly as large as allowed", async () => {
    const server = await raw((socket) => socket.write(answer("x".repeat(1_000))));
    expect(await post(clientWith({ maxAnswerBytes: 1_000 }), server.url)).to.include({ kind: "answer" });
  });

  describe("keeps connections", () => {
    /** The number of connections for five consecutive requests. */
    async function connectionsFor(headers: string): Promise<number> {
      const server = await raw((socket) => socket.write(answer("{}", headers)));
      const client = clientWith();
      for (let n = 0; n < 5; n++) expect(await post(client, server.url)).to.include({ kind: "answer" });
      return server.connections();
    }

    it("to use them again", async () => {
      expect(await connectionsFor("")).to.equal(1);
      expect(await connectionsFor("Keep-Alive: max=100, timeout=5\r\n")).to.equal(1);
    });

    it("to use them again over TLS", async () => {
      const server = await raw((socket) => socket.write(answer("{}")), {});
      const agent = pooled(https.Agent, { maxSockets: 4, idleSocketMs: 4_000 });
      agent.options.ca = (await certificate()).cert;
      const client = clientWith({ agents: { https: agent } });
      for (let n = 0; n < 3; n++) expect(await post(client, server.url)).to.include({ kind: "answer" });
      expect(server.connections()).to.equal(1);
    });

    it("but not if the server keeps them too briefly", async () => {
      expect(await connectionsFor("Keep-Alive: max=100, timeout=1\r\n")).to.equal(5);
    });

    it("until the idle time ends", async () => {
      const server = await raw((socket) => {
        closed = once(socket, "close");
        socket.write(answer("{}"));
      });
      let closed: Promise<unknown> | undefined;
      const client = clientWith({ idleSocketMs: 20 });
      expect(await post(client, server.url)).to.include({ kind: "answer" });
      await closed;
      expect(await post(client, server.url)).to.include({ kind: "answer" });
      expect(server.connections()).to.equal(2);
    });

    it("and replaces one that the server closed while it was idle", async () => {
      let closed: Promise<unknown> | undefined;
      const server = await raw((socket) => {
        closed = once(socket, "close");
        socket.end(answer("{}"));
      });
      const client = clientWith();
      for (let n = 0; n < 3; n++) {
        expect(await post(client, server.url)).to.include({ kind: "answer" });
        await closed;
      }
      expect(server.connections()).to.equal(3);
    });

    it("up to a limit, with which all requests get an answer", async () => {
      const server = await raw((socket) => setImmediate(() => socket.write(answer("{}"))));
      const client = clientWith({ maxSockets: 4 });
      const outcomes = await Promise.all(Array.from({ length: 200 }, () => post(client, server.url)));
      expect(new Set(outcomes.map(({ kind }) => kind))).to.deep.equal(new Set(["answer"]));
      expect(server.requests()).to.equal(200);
      expect(server.connections()).to.equal(4);
    });
  });

  it("waits for open requests when it is closed, and accepts no more", async () => {
    const held: Socket[] = [];
    const server = await raw((socket) => held.push(socket));
    const client = clientWith();
    const underWay = post(client, server.url);
    await eventually(() => held.length === 1);
    const closed = client.close();
    expect(await post(client, server.url)).to.deep.equal({ kind: "not-sent", reason: "the client is closed" });
    const [socket] = held;
    const gone = socket && once(socket, "close");
    socket?.write(answer("{}"));
    expect(await underWay).to.include({ kind: "answer" });
    await closed;
    await gone;
  });
});

const portOf = (server: http.Server): number => (server.address() as AddressInfo).port;
