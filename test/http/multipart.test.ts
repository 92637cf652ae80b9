import { once } from "node:events";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import type { UploadedFile } from "../../src/infra/http/middleware/multipart.ts";
import { openApiDocument } from "../../src/infra/http/openapi/openapi.ts";
import { type Dialect, InvalidInput, plainDialect } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../src/infra/http/routing/route.ts";
import { text } from "../../src/infra/http/routing/schema.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const limit = 1_000_000;
const dialect: Dialect<InvalidInput> = { ...plainDialect, invalid_input: ({ message }) => [400, { message }] };

/** A route that handles the file as the test wants. */
const taking = (take: (file: UploadedFile) => Promise<unknown>): Route =>
  defineRoute({
    method: "post",
    path: "/files",
    operationId: "takeFile",
    tag: "Files",
    summary: "Take a file",
    auth: "none",
    body: "multipart",
    bodyLimit: limit,
    responses: { 200: { description: "It was taken", schema: text } },
    dialect,
    handle: async ({ body }) => ({ taken: await take(body) }),
  });

const sizeOf = async ({ content }: UploadedFile): Promise<number> => {
  let size = 0;
  for await (const chunk of content) size += chunk.length;
  return size;
};

const opening = '--b\r\nContent-Disposition: form-data; name="file"; filename="../../año.txt"\r\n\r\n';
const formOf = (content: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(opening), Buffer.from(content), Buffer.from("\r\n--b--\r\n")]);
const headers = { "content-type": "multipart/form-data; boundary=b" };

describe("a multipart body", () => {
  let app: SampleApp;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  const post = (rawBody: Buffer, agent?: Agent) =>
    request(`${app.url}/files`, { method: "POST", rawBody, headers, ...(agent && { agent }) });
  /** Starts a request that is never completed. */
  const begin = (length: number): Socket => {
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    socket.write(
      `POST /files HTTP/1.1\r\nHost: a\r\nContent-Type: ${headers["content-type"]}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    socket.write(opening);
    return socket;
  };

  it("is passed on while it arrives, with its name without folders", async () => {
    const heard: string[] = [];
    app = await serveSample([
      taking(async ({ name, content }) => {
        heard.push(name);
        for await (const chunk of content) heard.push(String(chunk));
        return heard.length;
      }),
    ]);
    const socket = begin(opening.length + 6 + 9);
    socket.write("abc");
    await eventually(() => heard.length === 2);
    socket.write("def\r\n--b--\r\n");
    const [answer] = await once(socket, "data");
    expect(String(answer)).to.match(/^HTTP\/1.1 200 /);
    expect(heard.join("|")).to.equal("año.txt|abc|def");
  });

  it("is read only as fast as the handler reads", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    let size = 0;
    app = await serveSample([
      taking(async (file) => {
        await gate;
        size = await sizeOf(file);
        return size;
      }),
    ]);
    const [, connected] = [begin(limit + 1000), once(app.server, "connection")];
    const [ours] = sockets;
    const [theirs] = (await connected) as [Socket];
    for (let written = 0; written < limit - 100_000; written += 100_000) ours?.write(Buffer.alloc(100_000));
    await eventually(async () => {
      const before = theirs.bytesRead;
      for (let i = 0; i < 50; i++) await turn();
      return before > 0 && theirs.bytesRead === before;
    });
    expect(theirs.bytesRead).to.be.below(limit / 2);
    go();
    await eventually(() => theirs.bytesRead > limit / 2);
  });

  it("ends with an error for its reader if the client is too slow or disconnects", async () => {
    const ends: unknown[] = [];
    const route = taking((file) =>
      sizeOf(file).catch((error: unknown) => {
        ends.push(error);
        throw error;
      }),
    );
    app = await serveSample([route], {}, { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 });
    begin(1_000).write("abc");
    await eventually(() => ends.length === 1);
    await app.close();
    app = await serveSample([route]);
    const socket = begin(1_000);
    socket.write("abc", () => socket.destroy());
    await eventually(() => ends.length === 2);
    for (const end of ends) expect(end).to.be.instanceOf(InvalidInput);
  });

  it("logs no error if the client disconnects", async () => {
    const route = taking((file) =>
      sizeOf(file).catch(() => {
        throw new Error("the disk was not told the end");
      }),
    );
    app = await serveSample([route]);
    const socket = begin(1_000);
    socket.write("abc", () => socket.destroy());
    const { logged } = app;
    await eventually(() => logged.some(({ message }) => message === "the client broke off"));
    expect(logged.map(({ level }) => level))
      .to.include("warn")
      .and.not.include("error");
  });

  it("leaves the connection usable for the next request after a refusal", async () => {
    app = await serveSample([
      taking(async () => {
        throw new InvalidInput("no");
      }),
    ]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 3; i++) {
      const answer = await post(formOf(Buffer.alloc(300_000)), agent);
      expect([answer.status, answer.json]).to.deep.equal([400, { message: "no" }]);
    }
    expect(await new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))).to.equal(1);
    agent.destroy();
  });

  it("can have a file up to the limit of its route", async () => {
    app = await serveSample([taking(sizeOf)]);
    const most = await post(formOf(Buffer.alloc(limit)));
    expect([most.status, most.json]).to.deep.equal([200, { taken: limit }]);
    const tooLarge = [413, { message: "Request body is too large" }];
    for (const size of [limit + 1, limit + 600_000]) {
      const answer = await post(formOf(Buffer.alloc(size)));
      expect([answer.status, answer.json]).to.deep.equal(tooLarge);
    }
  });

  it("can have a hundred parts, and is refused at the next one", async () => {
    app = await serveSample([taking(sizeOf)]);
    const field = Buffer.from('--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n\r\n');
    const fields = (count: number) => Buffer.alloc(field.length * count, field);
    const most = await post(Buffer.concat([fields(99), formOf("abc")]));
    expect([most.status, most.json]).to.deep.equal([200, { taken: 3 }]);
    const tooMany = [400, { message: "El formulario no puede tener más de 100 partes" }];
    for (const form of [
      Buffer.concat([fields(100), formOf("abc")]),
      Buffer.concat([formOf("abc").subarray(0, -4), field.subarray(3), fields(99), formOf("")]),
    ]) {
      const answer = await post(form);
      expect([answer.status, answer.json]).to.deep.equal(tooMany);
    }
  });

  it("gets an answer even if it is malformed, and so does the next one", async () => {
    app = await serveSample([taking(sizeOf)]);
    const whole = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhola\r\n'),
      formOf("a".repeat(300)),
    ]);
    const change = fc.record({ at: fc.nat(whole.length), drop: fc.nat(30), add: fc.uint8Array({ maxLength: 30 }) });
    const broken = fc
      .array(change, { minLength: 1, maxLength: 4 })
      .map((changes) =>
        changes.reduce(
          (form, { at, drop, add }) => Buffer.concat([form.subarray(0, at), add, form.subarray(at + drop)]),
          whole,
        ),
      );
    await fc.assert(
      fc.asyncProperty(broken, async (form) => {
        expect((await post(form)).status).to.be.oneOf([200, 400]);
      }),
      { numRuns: 200 },
    );
    expect((await post(whole)).json).to.deep.equal({ taken: 300 });
  });

  it("is described as a form with one file", async () => {
    app = await serveSample([taking(sizeOf)]);
    const { paths } = openApiDocument([taking(sizeOf)], { title: "a", version: "1" });
    const { requestBody, responses } = (paths["/files"]?.post ?? {}) as Record<string, Record<string, unknown>>;
    expect(requestBody).to.deep.equal({
      required: true,
      content: {
        "multipart/form-data": {
          schema: {
            type: "object",
            required: ["file"],
            properties: { file: { type: "string", format: "binary" } },
          },
        },
      },
    });
    expect(responses).to.have.all.keys("200", "413", "429");
  });
});
