import { once } from "node:events";
import { Agent, createServer, IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect } from "chai";
import { refuseNextRequest, stopParser } from "../../src/infra/http/node-parser.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";

/** The number of chunks of one byte that are written at once. All of them fit into one read. */
const chunks = 5_000;
const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

describe("Node's parser", () => {
  let server: Server;
  let pushed: (chunk: Buffer | null, socket: Socket) => void = () => {};
  let asked: string[] = [];
  class Message extends IncomingMessage {
    override push(chunk: Buffer | null): boolean {
      pushed(chunk, this.socket);
      return super.push(chunk);
    }
  }
  const open = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  beforeEach(async () => {
    asked = [];
    server = createServer({ IncomingMessage: Message }, (req, res) => {
      asked.push(req.url ?? "");
      if (req.url === "/first") refuseNextRequest(server, req.socket);
      req.resume().once("end", () => res.end("done"));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => {
    pushed = () => {};
    server.close().closeAllConnections();
  });

  it("stops within a read, and works for the next connection", async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/next`;
    for (const end of ["", "0\r\n\r\nGET /piped HTTP/1.1\r\nHost: a\r\n\r\n"]) {
      let seen = 0;
      let later: (Buffer | null)[] = [];
      pushed = (chunk, socket) => {
        seen += 1;
        if (seen > 10) later.push(chunk);
        if (seen === 10) stopParser(socket);
      };
      const socket = await open();
      socket.write(head);
      await eventually(() => asked.length > 0);
      socket.write("1\r\na\r\n".repeat(chunks) + end);
      await eventually(() => seen >= 10);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(later).to.deep.equal([]);
      expect(asked).to.deep.equal(["/"]);
      pushed = () => {};
      later = [];
      socket.destroy();
      // Node reuses parsers. With two requests at the same time, one of them gets the parser that was stopped.
      const agent = new Agent();
      const answers = await Promise.all(
        ["a", "b"].map((body) => request(url, { method: "POST", rawBody: body.repeat(1_000), agent })),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      asked = [];
    }
  });

  it("does not begin requests after one that it refuses", async () => {
    const socket = await open();
    const answered = once(socket, "data");
    socket.write(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${"GET /later HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20)}`);
    expect(String((await answered)[0])).to.match(/^HTTP\/1\.1 200 /);
    expect(asked).to.deep.equal(["/first"]);
    socket.destroy();
  });
});
