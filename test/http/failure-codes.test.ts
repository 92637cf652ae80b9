import { expect } from "chai";
import { codedDialect } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../src/infra/http/routing/route.ts";
import { text } from "../../src/infra/http/routing/schema.ts";
import { Busy } from "../../src/kernel/errors.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { type Answer, type RequestOptions, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { InMemoryIdempotencyStore } from "./in-memory-idempotency.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

/** Tests an operation of the specification (`/old`) and an operation that is not in it (`/new`). */
describe("failures before an operation", () => {
  let app: SampleApp;
  let leave = () => {};
  let isUnderWay = false;
  const outcomes: Readonly<Record<string, () => unknown>> = {
    slow: () => {
      isUnderWay = true;
      return new Promise((done) => (leave = () => done({})));
    },
    large: () => new Reply(200, "x".repeat(100_000), {}, "text/plain"),
    mine: () => Promise.reject(new Busy("gate", true, 1)),
    others: () => Promise.reject(new Busy("gate", false, 1)),
  };
  const route = (path: string, auth: "key-or-token" | "key-or-session"): Route =>
    defineRoute({
      method: "post",
      path,
      operationId: path.slice(1),
      tag: "things",
      summary: "A thing",
      auth,
      scope: "send",
      idempotent: true,
      body: { type: "object", required: ["what"], properties: { what: text } },
      responses: {},
      dialect: codedDialect,
      handle: ({ body }) => outcomes[body.what]?.() ?? {},
    });
  const csv = defineRoute({
    method: "post",
    path: "/csv",
    operationId: "csv",
    tag: "things",
    summary: "A file",
    auth: "key-or-session",
    scope: "send",
    body: "csv",
    responses: {},
    dialect: codedDialect,
    handle: () => ({}),
  });

  before(async () => {
    const known: Parameters<typeof serveSample>[1] = {
      authenticators: Object.fromEntries(
        ["key-or-token", "key-or-session", "session", "key-or-body-token"].map((kind) => [
          kind,
          (ctx: { state: object }, next: () => Promise<void>) => {
            Object.assign(ctx.state, { caller: { businessId: 7, keyId: 1, scopes } });
            return next();
          },
        ]),
      ) as never,
      idempotency: new InMemoryIdempotencyStore(120),
    };
    app = await serveSample([route("/old", "key-or-token"), route("/new", "key-or-session"), csv], known);
  });
  after(() => app.close());

  let keys = 0;
  const post = (path: string, options: RequestOptions): Promise<Answer> =>
    request(app.url + path, { method: "POST", ...options });
  const json = (rawBody: string, headers: Record<string, string> = {}): RequestOptions => ({ rawBody, headers });
  const what = (name: string, key = ""): RequestOptions =>
    json(JSON.stringify({ what: name }), key === "" ? {} : { "idempotency-key": key });
  const said = ({ status, json: body }: Answer) => [status, body];

  const cases: Readonly<Record<string, { ask(path: string): Promise<Answer>; old: object; now: object }>> = {
    "a body that is no JSON": {
      ask: (path) => post(path, json("{")),
      old: [400, { message: "Request body is not valid JSON" }],
      now: [400, { error: "El cuerpo no es JSON válido", code: "invalid_json" }],
    },
    "a body that is too large": {
      ask: (path) => post(path, json(JSON.stringify({ what: "x".repeat(20_000) }))),
      old: [413, { message: "Request body is too large" }],
      now: [413, { error: "El cuerpo es demasiado grande", code: "body_too_large" }],
    },
    "a body of another type": {
      ask: (path) => post(path, json("what", { "content-type": "text/plain" })),
      old: [415, { message: "Content-Type must be application/json" }],
      now: [415, { error: "El Content-Type debe ser application/json", code: "unsupported_media_type" }],
    },
    "an unknown compression": {
      ask: (path) => post(path, json("{}", { "content-encoding": "zip" })),
      old: [415, { message: "Content-Encoding is not supported" }],
      now: [415, { error: "El Content-Encoding no se admite", code: "unsupported_encoding" }],
    },
    "an Idempotency-Key under way": {
      ask: async (path) => {
        isUnderWay = false;
        const key = `k${++keys}`;
        const first = post(path, what("slow", key));
        await eventually(() => isUnderWay);
        const second = await post(path, what("slow", key));
        leave();
        await first;
        return second;
      },
      old: [409, { message: "A request with this Idempotency-Key is still under way" }],
      now: [409, { error: "Una solicitud con esta Idempotency-Key todavía está en curso", code: "request_under_way" }],
    },
    "an answer that was not kept": {
      ask: async (path) => {
        const key = `k${++keys}`;
        await post(path, what("large", key));
        return post(path, what("large", key));
      },
      old: [409, { message: "This request was answered with status 200; the answer was too large to keep" }],
      now: [
        409,
        {
          error: "Esta solicitud ya fue respondida, pero la respuesta era demasiado grande para guardarla",
          code: "answer_not_kept",
        },
      ],
    },
    "an Idempotency-Key of another request": {
      ask: async (path) => {
        const key = `k${++keys}`;
        await post(path, what("one", key));
        return post(path, what("another", key));
      },
      old: [422, { message: "This Idempotency-Key was used for another request" }],
      now: [422, { error: "Esta Idempotency-Key ya se usó para otra solicitud", code: "idempotency_key_reused" }],
    },
    "too many requests of the caller": {
      ask: (path) => post(path, what("mine")),
      old: [429, { message: "Too many requests" }],
      now: [429, { error: "Demasiadas solicitudes", code: "too_many_requests" }],
    },
    "too many requests of others": {
      ask: (path) => post(path, what("others")),
      old: [503, { message: "Service unavailable" }],
      now: [503, { error: "El servicio no está disponible por ahora", code: "unavailable" }],
    },
  };

  for (const [name, { ask, old, now }] of Object.entries(cases)) {
    it(`have the specification's form at its endpoints, and a code at all others: ${name}`, async () => {
      expect(said(await ask("/old"))).to.deep.equal(old);
      expect(said(await ask("/new"))).to.deep.equal(now);
    });
  }

  it("say that a file is not CSV", async () => {
    expect(said(await post("/csv", json("{}")))).to.deep.equal([
      415,
      { error: "El Content-Type debe ser text/csv", code: "unsupported_media_type" },
    ]);
  });

  it("keep the headers with the time to wait", async () => {
    const { headers } = await post("/new", what("mine"));
    expect(headers).to.include({ "retry-after": "1", ratelimit: '"gate";r=0;t=1' });
    expect(app.refusals).to.deep.include({ reason: "gate", status: 429 });
  });
});
