import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { FurtherChunks } from "../../src/infra/http/counted-message.ts";
import { closeServer, createServer, listen } from "../../src/infra/http/server.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { serveSample } from "./sample-app.ts";

const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const refusal = /^HTTP\/1\.1 429 .*\r\nRetry-After: 5\r\n.*\{"message":"The chunks of the body are too small"\}$/s;
const end = "0\r\n\r\n";

describe("a body in chunks", () => {
  let server: Server;
  let port = 0;
  let refusals: string[] = [];
  let chunks = 0;
  beforeEach(async () => {
    refusals = [];
    chunks = 0;
    const handle = (req: IncomingMessage, res: ServerResponse) => {
      let bytes = 0;
      req.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chunks += 1;
      });
      req.once("end", () => res.end(String(bytes)));
    };
    const onRefusal = (reason: string, status: number) => refusals.push(`${reason} ${status}`);
    server = createServer({ callback: () => handle }, {}, { onRefusal, cutOffMs: 100 });
    port = await listen(server, 0, "127.0.0.1");
  });
  afterEach(() => closeServer(server, 0));

  async function send(
    path: string,
    text: string,
  ): Promise<{ socket: Socket; said: () => string; closed: Promise<unknown> }> {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    await once(socket, "connect");
    let said = "";
    socket.on("data", (bytes) => {
      said += bytes;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(head(path) + text);
    return { socket, said: () => said, closed };
  }

  it("may have a chunk for each row of a file, each line, or each packet of a proxy", async () => {
    for (const [size, count] of [
      [1, 1_000],
      [25, 10_000],
      [100, 10_000],
      [1_400, 1_000],
    ] as const) {
      const text = `${size.toString(16)}\r\n${"a".repeat(size)}\r\n`.repeat(count);
      const { socket, said } = await send("/read", text + end);
      await eventually(
        () => said().endsWith(`\r\n\r\n${size * count}`) || said().endsWith(`${size * count}\r\n0\r\n\r\n`),
      );
      socket.destroy();
    }
    expect(refusals).to.deep.equal([]);
  });

  it("in tens of thousands of chunks is not taken, and answered later", async () => {
    const { said, closed } = await send("/read", "1\r\na\r\n".repeat(100_000) + end);
    await eventually(() => refusals.length > 0);
    expect(said()).to.equal("");
    const other = await request(`http://127.0.0.1:${port}/read`, { method: "POST", rawBody: "abc" });
    expect(other.text).to.equal("3");
    await closed;
    expect(said()).to.match(refusal);
    expect(chunks).to.be.below(31_000);
    expect(refusals).to.deep.equal(["chunks 429"]);
  });

  it("is not taken either if its handler has not read it", async () => {
    const app = await serveSample(undefined, {}, {}, { cutOffMs: 100 });
    port = Number(new URL(app.url).port);
    const { said, closed } = await send("/nowhere", "1\r\na\r\n".repeat(100_000));
    await closed;
    expect(said()).to.match(refusal);
    await eventually(() => app.observed.length === 1);
    await app.close();
  });

  it("whose extensions are longer than the chunks is not taken", async () => {
    const { socket, said, closed } = await send("/read", "");
    const text = `1;${"x".repeat(15_000)}\r\na\r\n`.repeat(10);
    while (!socket.destroyed && refusals.length === 0) {
      socket.write(text);
      await sleep(1);
    }
    await closed;
    expect(said()).to.match(/^HTTP\/1\.1 429 /);
    expect(chunks).to.be.below(200);
  });

  it("breaks off the handler's request, and a later answer of the handler does no harm", async () => {
    const requests: [IncomingMessage, ServerResponse][] = [];
    const handle = (...request: [IncomingMessage, ServerResponse]) => {
      request[0].resume();
      requests.push(request);
    };
    const other = createServer({ callback: () => handle }, {}, { cutOffMs: 100 });
    port = await listen(other, 0, "127.0.0.1");
    const { said, closed } = await send("/read", "1\r\na\r\n".repeat(100_000));
    await eventually(() => requests.length === 1);
    const [[req, res] = []] = requests;
    const brokenOff = new Promise((resolve) => req?.once("close", resolve));
    await closed;
    await brokenOff;
    expect(req?.readableEnded).to.equal(false);
    expect(said()).to.match(refusal);
    res?.writeHead(200).end("late");
    await closeServer(other, 0);
  });

  it("is counted and bounded after an early answer, too", async () => {
    const handle = (_req: IncomingMessage, res: ServerResponse) => res.end("early");
    const onRefusal = (reason: string) => refusals.push(reason);
    const other = createServer({ callback: () => handle }, {}, { cutOffMs: 100, onRefusal });
    port = await listen(other, 0, "127.0.0.1");
    await (await send("/early", "1\r\na\r\n".repeat(100_000))).closed;
    expect(refusals).to.deep.equal(["chunks"]);
    const { said, closed } = await send("/early", `40000\r\n${"a".repeat(0x40000)}\r\n`.repeat(2));
    await closed;
    expect(said()).to.match(/early/);
    expect(refusals).to.deep.equal(["chunks"]);
    await closeServer(other, 0);
  });

  it("leaves further chunks to other addresses, and gets new ones after a second", async () => {
    const further = new FurtherChunks();
    expect(further.take("a", 30_000)).to.equal(true);
    expect(further.take("a", 1)).to.equal(false);
    expect(further.take("b", 29_000)).to.equal(true);
    expect(further.take("c", 1_001)).to.equal(false);
    expect(further.take("c", 1_000)).to.equal(true);
    await sleep(1_010);
    expect(further.take("a", 30_000)).to.equal(true);
  });
});
