import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import {
  type DownloadOutcome,
  type DownloadRequest,
  Downloads,
  type DownloadsSettings,
} from "../../src/infra/http-client/downloads.ts";
import { useRealNetwork } from "./nocked.ts";
import { answer, freePort, type RawServer, serveRaw } from "./servers.ts";

const secret = { authorization: "Bearer secret-token" };

async function read(outcome: DownloadOutcome): Promise<string> {
  if (outcome.kind !== "content") throw new Error(`no content: ${JSON.stringify(outcome)}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of outcome.content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function failureOf(outcome: DownloadOutcome): Promise<string> {
  try {
    await read(outcome);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the download did not fail");
}

describe("downloads", () => {
  useRealNetwork();

  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const downloads = (settings: DownloadsSettings = {}): Downloads => {
    const made = new Downloads(settings);
    closing.push(() => made.close());
    return made;
  };
  const serve = async (...parameters: Parameters<typeof serveRaw>): Promise<RawServer> => {
    const server = await serveRaw(...parameters);
    closing.push(() => server.close());
    return server;
  };
  /** Opens a URL of the platform's own host, which may be private. */
  const openAt = (server: RawServer, request: Partial<DownloadRequest> = {}, settings: DownloadsSettings = {}) =>
    downloads(settings).open({ url: server.url, home: server.url, ...request });

  it("return the content with its announced size and type", async () => {
    const server = await serve((socket) => socket.write(answer("whole", "Content-Type: image/png\r\n")));
    const outcome = await openAt(server);
    expect(outcome).to.include({ kind: "content", size: 5, type: "image/png" });
    expect(await read(outcome)).to.equal("whole");
  });

  it("reuse a connection", async () => {
    const server = await serve((socket) => socket.write(answer("whole")));
    const client = downloads();
    for (const _ of [1, 2, 3]) await read(await client.open({ url: server.url, home: server.url }));
    expect(server.connections()).to.equal(1);
  });

  it("return status, headers and the beginning of the body of every other answer", async () => {
    const body = `{"error":{"code":100}}${" ".repeat(100_000)}`;
    const server = await serve((socket) =>
      socket.write(answer(body, "Retry-After: 7\r\n").replace("200 OK", "404 Not Found")),
    );
    const outcome = await openAt(server);
    expect(outcome).to.include({ kind: "refused", status: 404 });
    if (outcome.kind !== "refused") return;
    expect(outcome.headers["retry-after"]).to.equal("7");
    expect(outcome.text)
      .to.have.length(64 * 1024)
      .and.match(/^\{"error"/);
  });

  it("end content above the size limit", async () => {
    const server = await serve((socket) => socket.write(answer("x".repeat(1_000))));
    expect(await failureOf(await openAt(server, { mostBytes: 999 }))).to.equal("more than 999 bytes");
  });

  it("end content that breaks off before its announced size", async () => {
    const server = await serve((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"));
    expect(await failureOf(await openAt(server))).to.match(/^it broke off/);
  });

  it("end content that stops", async () => {
    const server = await serve((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"));
    const outcome = await openAt(server, {}, { timeouts: { idleMs: 50 } });
    expect(await failureOf(outcome)).to.equal("it was too slow");
  });

  it("end content that is too slow on average", async () => {
    const server = await serve((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const outcome = await openAt(server, {}, { timeouts: { idleMs: 100, leastBytesPerSecond: 10_000 } });
    expect(await failureOf(outcome)).to.equal("it was too slow");
  });

  it("end content that takes longer than the total time", async () => {
    const server = await serve((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const outcome = await openAt(server, {}, { timeouts: { totalMs: 100, leastBytesPerSecond: 1 } });
    expect(await failureOf(outcome)).to.equal("it took too long");
  });

  it("do not time out because of a slow reader", async () => {
    const server = await serve((socket) => socket.write(answer("x".repeat(1_000_000))));
    const outcome = await openAt(server, {}, { timeouts: { idleMs: 300 } });
    if (outcome.kind !== "content") throw new Error(outcome.kind);
    let size = 0;
    for await (const chunk of outcome.content) {
      if (size === 0) await new Promise((resolve) => setTimeout(resolve, 600));
      size += chunk.length;
    }
    expect(size).to.equal(1_000_000);
  });

  it("end when the caller aborts, before an answer and during the content", async () => {
    const silent = await serve(() => {});
    const before = new AbortController();
    const asked = openAt(silent, { signal: before.signal });
    before.abort();
    expect(await asked).to.include({ kind: "unreachable" });

    const half = await serve((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"));
    const during = new AbortController();
    const outcome = await openAt(half, { signal: during.signal });
    during.abort();
    expect(await failureOf(outcome)).to.match(/^it broke off/);
  });

  it("are unreachable if no server listens, or no answer comes in time", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    expect(await downloads().open({ url, home: url })).to.deep.equal({
      kind: "unreachable",
      reason: "connection failed: ECONNREFUSED",
    });
    const silent = await serve(() => {});
    const outcome = await openAt(silent, {}, { timeouts: { idleMs: 50 } });
    expect(outcome).to.deep.equal({ kind: "unreachable", reason: "no answer in time" });
  });

  for (const url of [
    "http://example.com/a",
    "https://127.0.0.1/a",
    "https://[::1]/a",
    "https://169.254.169.254/latest/meta-data",
    "https://user:pass@example.com/a",
    "file:///etc/passwd",
    "data:text/plain,a",
    "nothing",
    `https://example.com/${"a".repeat(5_000)}`,
  ]) {
    it(`do not open ${url.slice(0, 60)}`, async () => {
      expect(await downloads().open({ url, home: "http://127.0.0.1:1/" })).to.include({ kind: "forbidden" });
    });
  }

  it("do not open a name that leads to a private network", async () => {
    const outcome = await downloads().open({ url: `https://localhost:${await freePort()}/` });
    expect(outcome).to.include({ kind: "unreachable" });
  });

  describe("with redirects", () => {
    const redirect = (location: string) => `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
    /** A server that records the path of each request, and whether the request had the token. */
    const pages = async (pageAt: (path: string) => string): Promise<{ url: string; seen: string[] }> => {
      const seen: string[] = [];
      const server = createServer((request, response) => {
        const { url = "", headers } = request;
        seen.push(headers.authorization === undefined ? url : `${url} with token`);
        response.socket?.write(pageAt(url));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      closing.push(() => server.close().closeAllConnections());
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
    };

    it("follow within the platform, with the credentials", async () => {
      const { url, seen } = await pages((path) => (path === "/" ? redirect("/file") : answer("whole")));
      expect(await read(await downloads().open({ url, home: url, credentials: secret }))).to.equal("whole");
      expect(seen).to.deep.equal(["/ with token", "/file with token"]);
    });

    it("send credentials for one URL only to that URL", async () => {
      const { url, seen } = await pages((path) => (path === "/" ? redirect("/file") : answer("whole")));
      const request = { url, home: url, credentials: secret, credentialsFor: "url" } as const;
      expect(await read(await downloads().open(request))).to.equal("whole");
      expect(seen).to.deep.equal(["/ with token", "/file"]);
    });

    it("do not send the credentials to other origins, or to any URL after one", async () => {
      let first = "";
      const second = await pages(() => redirect(`${first}chosen`));
      const { url, seen } = await pages((path) => (path === "/" ? redirect(second.url) : answer("whole")));
      first = url;
      const outcome = await downloads({ allowPrivate: true }).open({ url, credentials: secret });
      expect(await read(outcome)).to.equal("whole");
      expect(second.seen).to.deep.equal(["/"]);
      expect(seen).to.deep.equal(["/ with token", "/chosen"]);
    });

    it("do not follow the platform's redirect to another private address", async () => {
      const inside = await serve((socket) => socket.write(answer("secret")));
      const server = await serve((socket) => socket.write(redirect(inside.url)));
      expect(await openAt(server)).to.include({ kind: "forbidden" });
      expect(inside.requests()).to.equal(0);
    });

    it("give up after three redirects", async () => {
      const server = await serve((socket) => socket.write(redirect("/again")));
      expect(await openAt(server)).to.deep.equal({ kind: "forbidden", reason: "more than 3 redirects" });
      expect(server.requests()).to.equal(4);
    });

    it("are refused after a POST", async () => {
      const server = await serve((socket) => socket.write(redirect("/again")));
      expect(await openAt(server, { method: "POST", body: "{}" })).to.include({ kind: "refused", status: 302 });
    });
  });
});
