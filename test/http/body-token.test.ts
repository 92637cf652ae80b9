import { Agent } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { Middleware } from "koa";
import { bodyToken, tokenWithin } from "../../src/infra/http/middleware/body-token.ts";
import { HttpProblem, plainDialect } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute, Reply } from "../../src/infra/http/routing/route.ts";
import { type Answer, request } from "../support/http.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const common = {
  method: "post",
  tag: "things",
  summary: "Answers with the body",
  auth: "session",
  bodyLimit: 1_000_000,
  responses: { 200: { description: "ok" } },
  dialect: plainDialect,
} as const;
const routes = [
  defineRoute({
    ...common,
    path: "/bytes",
    operationId: "bytes",
    body: "raw",
    handle: ({ body }) => new Reply(200, body.toString(), {}, "text/plain"),
  }),
  defineRoute({
    ...common,
    path: "/fields",
    operationId: "fields",
    body: { type: "object", properties: {} },
    handle: ({ body }) => body,
  }),
];

describe("a token in the body", () => {
  let app: SampleApp;
  before(async () => {
    const byBody: Middleware = async (ctx, next) => {
      const token = await bodyToken(ctx.req);
      ctx.set("X-Found", encodeURI(token ?? "none"));
      if (token === "wrong") throw new HttpProblem(401, "Wrong");
      ctx.state.caller = { businessId: 7 };
      await next();
    };
    const authenticators = {
      "key-or-token": byBody,
      session: byBody,
      "key-or-session": byBody,
      "key-or-body-token": byBody,
    };
    app = await serveSample(routes, { authenticators });
  });
  after(() => app.close());

  const post = (rawBody: string | Buffer, options: object = {}, path = "/bytes"): Promise<Answer> =>
    request(`${app.url}${path}`, { method: "POST", rawBody, ...options });
  const foundIn = async (body: string | Buffer, headers = {}) =>
    decodeURI(String((await post(body, { headers })).headers["x-found"]));

  const found: [body: string, token: string][] = [
    ['{"token":"t"}', "t"],
    [' \r\n{ "a" : 1 ,\t"token" : "t" }', "t"],
    ['{"a":{"token":"inner"},"b":["token","x",{"token":"inner"}],"token":"t"}', "t"],
    ['{"a":"}]\\"","b":"token","token":"t"}', "t"],
    ['{"\\u0074oken":"\\u00f1 \\"\\\\\\n😀 ñ"}', 'ñ "\\\n😀 ñ'],
    ['{"token":"first","token":"second"}', "first"],
    ['{"token":5,"token":"t"}', "t"],
    ['{"token":"t","a":', "t"],
    [`{"a":"${"x".repeat(tokenWithin - 20)}","token":"t"}`, "t"],
  ];
  for (const [body, token] of found) {
    it(`is found in ${body.slice(0, 60)}`, async () => expect(await foundIn(body)).to.equal(token));
  }

  const none: [what: string, body: string | Buffer, headers?: Record<string, string>][] = [
    ["an empty object", "{}"],
    ["another field", '{"token ":"t"}'],
    ["a field of a nested object", '{"a":{"token":"t"}}'],
    ["a list", '["token","t"]'],
    ["a text", '"token"'],
    ["a number", '{"token":5}'],
    ["a list in its place", '{"token":["t"]}'],
    ["an invalid text", '{"token":"\\x"}'],
    ["a body that is not JSON", "token=t"],
    ["text after the object", '{} {"token":"t"}'],
    ["brackets alone", "[".repeat(50_000)],
    ["deep brackets", `{"a":${"[".repeat(50_000)}`],
    ["an incomplete body", '{"token":"t'],
    ["a part after 16 kB", `{"a":"${"x".repeat(tokenWithin)}","token":"t"}`],
    ["a compressed body", gzipSync('{"token":"t"}'), { "content-encoding": "gzip" }],
  ];
  for (const [what, body, headers] of none) {
    it(`is not found in ${what}`, async () => expect(await foundIn(body, headers)).to.equal("none"));
  }

  it("is not expected if there is no body", async () => {
    const answer = await request(`${app.url}/bytes`, { method: "POST" });
    expect(answer.headers["x-found"]).to.equal("none");
    expect((await post("", { chunked: true })).headers["x-found"]).to.equal("none");
  });

  for (const chunked of [false, true]) {
    it(`leaves the body unchanged${chunked ? ", also without a length" : ""}`, async () => {
      for (const size of [30, 1_000, tokenWithin - 1, tokenWithin, tokenWithin + 1, 70_000, 900_000]) {
        for (const body of [`{"token":"t","a":"${"x".repeat(size)}"}`, `{"a":"${"x".repeat(size)}"}`]) {
          const { status, text } = await post(body, { chunked });
          expect([status, text === body], `${size}`).to.deep.equal([200, true]);
          const { json } = await post(body, { chunked }, "/fields");
          expect(json).to.deep.equal(JSON.parse(body));
        }
      }
    });
  }

  it("is found in a body that arrives byte by byte and stays complete", async () => {
    const body = '{"a":[1,2],"token":"ñ","b":"c"}';
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1").setNoDelay();
    let answer = "";
    const answered = new Promise((end) => socket.on("data", (data) => (answer += data)).once("end", end));
    const head = `POST /bytes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    for (const byte of Buffer.from(head + body)) {
      await new Promise<unknown>((sent) => socket.write(Buffer.from([byte]), sent));
      await new Promise(setImmediate);
    }
    await answered;
    expect(answer)
      .to.include("X-Found: %C3%B1")
      .and.to.match(/\{"a":\[1,2\],"token":"ñ","b":"c"\}$/);
  });

  it("that is refused leaves the connection usable, whatever part of the body was not read", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (const chunked of [false, true]) {
        for (const size of [10, 100_000, 700_000]) {
          const refused = await post(`{"token":"wrong","a":"${"x".repeat(size)}"}`, { agent, chunked });
          expect(refused.status).to.equal(401);
          const right = await post('{"token":"t"}', { agent, chunked });
          expect([right.status, right.text]).to.deep.equal([200, '{"token":"t"}']);
        }
      }
    } finally {
      agent.destroy();
    }
  });
});
