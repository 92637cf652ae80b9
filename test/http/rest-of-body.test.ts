import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const megabyte = 2 ** 20;

describe("a body that goes on after its answer", () => {
  let app: SampleApp;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    app = await serveSample();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  /** Sends a request whose body of two megabytes lacks its last byte. */
  async function begin(): Promise<{ socket: Socket; said: () => string }> {
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
    let said = "";
    socket.on("data", (bytes) => {
      said += bytes;
    });
    socket.write(`POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 * megabyte}\r\n\r\n`);
    socket.write("a".repeat(2 * megabyte - 1));
    return { socket, said: () => said };
  }

  it("is read to its end, but only four of an address at once", async () => {
    const first = [await begin(), await begin(), await begin(), await begin()];
    await eventually(() => first.every(({ socket }) => socket.writableLength === 0));
    const { said, socket } = await begin();
    await once(socket, "close");
    expect(said()).to.satisfy((text: string) => text === "" || /^HTTP\/1\.1 404 .*\r\nConnection: close/s.test(text));
    for (const { socket } of first) socket.write("a");
    await eventually(() => first.every(({ said }) => said().startsWith("HTTP/1.1 404 ")));
    for (const { said } of first) expect(said()).not.to.match(/Connection: close/);
    // The four bodies have ended, so the next body is also read to its end.
    const last = await begin();
    await eventually(() => last.socket.writableLength === 0);
    last.socket.write("a");
    await eventually(() => last.said().startsWith("HTTP/1.1 404 "));
    expect(last.said()).not.to.match(/Connection: close/);
  });
});
