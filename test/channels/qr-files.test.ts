import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { base64FileIn } from "../../src/channels/qr/base64-file.ts";
import { qrFiles } from "../../src/channels/qr/files.ts";
import type { FileAnswer } from "../../src/inbox/public.ts";
import { Downloads, type DownloadTimeouts } from "../../src/infra/http-client/downloads.ts";
import type { Sender } from "../../src/messaging/public.ts";
import { type Served, serve } from "../support/http.ts";

const sender = { channel: "qr", platformId: "tienda 1", accessToken: "key-1" } as Sender;
const message = { at: "message", messageId: "3A01" } as const;

describe("files of paired phones", () => {
  let served: Served;
  let downloads: Downloads;
  let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  const asked: { method: string | undefined; url: string | undefined; apikey: unknown; body: unknown }[] = [];

  before(async () => {
    served = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const { method, url, headers } = request;
        asked.push({ method, url, apikey: headers.apikey, body: JSON.parse(body) });
        answer(request, response, body);
      });
    });
  });
  after(() => served.close());
  beforeEach(() => {
    asked.length = 0;
    downloads = new Downloads();
  });
  afterEach(() => downloads.close());

  const open = (signal = new AbortController().signal, timeouts?: Partial<DownloadTimeouts>) => {
    const client = { request: () => Promise.reject(new Error("not this way")) };
    const settings = { client, baseUrl: `${served.url}/`, version: "", timeouts: { connectMs: 1_000, totalMs: 1_000 } };
    if (timeouts) downloads = new Downloads({ timeouts });
    return qrFiles({ ...settings, downloads }).open(sender, message, signal);
  };
  const contentOf = async (given: FileAnswer | Promise<FileAnswer>): Promise<Buffer> => {
    const opened = await given;
    if (opened.kind !== "content") throw new Error(`${opened.kind}: ${opened.reason}`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of opened.content) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const json = (status: number, body: unknown) => (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const told = (base64: unknown) => ({
    ...{ mediaType: "imageMessage", fileName: "3A01.jpeg", size: { fileLength: "3" }, mimetype: "image/jpeg" },
    ...{ caption: 'He says "base64":"AAAA" \u00f1', base64, buffer: null },
  });
  const refusal = (words: string) => ({ status: 400, error: "Bad Request", response: { message: [words] } });

  it("are requested by their message, with the instance's key", async () => {
    answer = json(201, told(Buffer.from("file").toString("base64")));
    expect((await contentOf(open())).toString()).to.equal("file");
    expect(asked).to.deep.equal([
      {
        method: "POST",
        url: "/chat/getBase64FromMediaMessage/tienda%201",
        apikey: "key-1",
        body: { message: { key: { id: "3A01" } }, convertToMp4: false },
      },
    ]);
  });

  it("are read completely for every way to split the answer", async () => {
    async function* pieces(text: string, length: number) {
      for (let at = 0; at < text.length; at += length) yield Buffer.from(text.slice(at, at + length));
    }
    for (const size of [0, 1, 2, 3, 4, 100]) {
      const file = randomBytes(size);
      const plain = JSON.stringify(told(file.toString("base64")));
      for (const text of [plain, JSON.stringify(JSON.parse(plain), null, 2), plain.replaceAll("/", "\\/")]) {
        for (const length of [1, 2, 3, 5, 7, 1_000]) {
          const chunks: Uint8Array[] = [];
          for await (const chunk of await base64FileIn(pieces(text, length))) chunks.push(chunk);
          expect(file.equals(Buffer.concat(chunks)), `${size} bytes in pieces of ${length}`).to.equal(true);
        }
      }
    }
  });

  it("can be large", async () => {
    const file = randomBytes(5_000_000);
    answer = json(201, told(file.toString("base64")));
    expect(file.equals(await contentOf(open()))).to.equal(true);
  });

  it("are not requested from a URL", async () => {
    const source = qrFiles({ downloads } as never);
    const elsewhere = await source.open(sender, { at: "url", url: served.url }, new AbortController().signal);
    expect(elsewhere.kind).to.equal("gone");
    expect(asked).to.deep.equal([]);
  });

  const answers: [what: string, kind: FileAnswer["kind"], answer: () => typeof answer][] = [
    ["an unknown message", "gone", () => json(400, refusal("Message not found"))],
    ["a message without a file", "gone", () => json(400, refusal("The message is not of the media type"))],
    ["a temporary failure at the platform", "later", () => json(400, refusal("AxiosError: status code 500"))],
    ["a wrong key", "later", () => json(401, refusal("Unauthorized"))],
    ["an unknown instance", "later", () => json(404, refusal("Not Found"))],
    ["an internal error of the provider", "later", () => json(502, {})],
    ["an answer without a file", "later", () => json(201, told(null))],
    ["an answer that is not JSON", "later", () => (_, response) => void response.writeHead(201).end("<html>")],
    [
      "a redirect",
      "later",
      () => (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    ],
  ];
  for (const [what, kind, answering] of answers) {
    it(`are ${kind === "gone" ? "unavailable" : "requested again"} after ${what}`, async () => {
      answer = answering();
      const given = await open();
      expect(given.kind).to.equal(kind);
      expect(JSON.stringify(given)).not.to.include("key-1");
      expect(asked).to.have.length(1);
    });
  }

  it("cause an error if the answer breaks off", async () => {
    const begun = JSON.stringify(told("A".repeat(100_000))).slice(0, 50_000);
    answer = (_, response) => void response.writeHead(201).end(begun);
    expect(await contentOf(open()).catch((error: Error) => error)).to.be.an("error");
    answer = (_, response) => {
      response.writeHead(201, { "content-length": "200000" });
      response.write(begun, () => response.destroy());
    };
    expect(await contentOf(open()).catch((error: Error) => error)).to.be.an("error");
  });

  it("time out, and stop when their signal is aborted", async () => {
    answer = (_, response) => void response.writeHead(201).write('{"base64":"AAAA');
    const slow = contentOf(open(undefined, { idleMs: 50 }));
    expect(await slow.catch((error: Error) => error)).to.be.an("error");
    answer = () => {};
    expect((await open(undefined, { idleMs: 50 })).kind).to.equal("later");
    const wanted = new AbortController();
    const given = open(wanted.signal);
    wanted.abort();
    expect((await given).kind).to.equal("later");
  });
});
