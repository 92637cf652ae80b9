import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { Middleware } from "koa";
import { onBrokenOff } from "../../src/infra/http/middleware/body.ts";
import { plainDialect } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute } from "../../src/infra/http/routing/route.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { eventually } from "../support/wait.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const common = {
  method: "post",
  tag: "things",
  summary: "Takes a body",
  auth: "key-or-token",
  scope: "send",
  responses: { 200: { description: "ok" } },
  dialect: plainDialect,
} as const;
const routes = [
  defineRoute({
    ...common,
    path: "/fields",
    operationId: "fields",
    body: { type: "object", properties: {} },
    handle: () => ({}),
  }),
  defineRoute({
    ...common,
    path: "/streamed",
    operationId: "streamed",
    body: { type: "object", properties: { ids: { type: "array", items: { type: "integer" } } } },
    bodyLimit: 1_000_000,
    streams: ["ids"],
    handle: () => ({}),
  }),
  defineRoute({
    ...common,
    path: "/file",
    operationId: "file",
    body: "multipart",
    bodyLimit: 1_000_000,
    handle: async ({ body }) => {
      for await (const _ of body.content);
      return {};
    },
  }),
];
const json = '{"ids":[1,2]}';
const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\na\r\n--b--\r\n';

describe("a body whose client leaves", () => {
  let app: SampleApp;
  const gate = { enter: (_req: IncomingMessage): void => {}, leave: Promise.resolve() };
  before(async () => {
    const held: Middleware = async (ctx, next) => {
      gate.enter(ctx.req);
      await gate.leave;
      ctx.state.caller = { businessId: 7, keyId: 1, scopes };
      await next();
    };
    const authenticators = { "key-or-token": held, session: held, "key-or-session": held, "key-or-body-token": held };
    app = await serveSample(routes, { authenticators });
  });
  after(() => app.close());

  for (const [what, path, type, encoding, body] of [
    ["JSON", "/fields", "application/json", "identity", json],
    ["compressed JSON", "/fields", "application/json", "gzip", gzipSync(json)],
    ["JSON that streams", "/streamed", "application/json", "identity", json],
    ["a form with a file", "/file", "multipart/form-data; boundary=b", "identity", form],
  ] as const)
    it(`is answered at once with 400, although all of it arrived before it was read: ${what}`, async () => {
      let leave = (): void => {};
      gate.leave = new Promise((resolve) => (leave = resolve));
      const entered = new Promise<IncomingMessage>((resolve) => (gate.enter = resolve));
      const before = app.observed.length;
      const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
      const headers = `Host: a\r\nX-Api-Key: k\r\nContent-Type: ${type}\r\nContent-Encoding: ${encoding}\r\n`;
      socket.write(`POST ${path} HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
      const req = await entered;
      await eventually(() => req.complete);
      socket.destroy();
      await eventually(() => req.destroyed);
      leave();
      await eventually(() => app.observed.length > before);
      expect(app.observed.at(-1)?.status).to.equal(400);
    });

  it("is noticed while it waits to be read", async () => {
    let isBrokenOff = false;
    let taken: IncomingMessage | undefined;
    const server = createServer((req) => {
      taken = req;
      onBrokenOff(req, () => (isBrokenOff = true));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    await eventually(() => taken?.complete);
    expect(isBrokenOff).to.equal(false);
    socket.destroy();
    await eventually(() => isBrokenOff);
    server.close();
  });

  it("is not said to be broken off once it was read", async () => {
    let isBrokenOff = false;
    const server = createServer(async (req, res) => {
      onBrokenOff(req, () => (isBrokenOff = true));
      for await (const _ of req);
      res.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    await once(socket, "data");
    socket.destroy();
    server.close();
    await once(server, "close");
    expect(isBrokenOff).to.equal(false);
  });
});
