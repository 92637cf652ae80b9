import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { largestKeptBody } from "../../src/infra/http/middleware/idempotency.ts";
import { openApiDocument } from "../../src/infra/http/openapi/openapi.ts";
import { type Dialect, HttpProblem, InvalidInput } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../src/infra/http/routing/route.ts";
import { text } from "../../src/infra/http/routing/schema.ts";
import { DatabaseUnavailable, DomainError, beforeAll as nothingBefore } from "../../src/kernel/errors.ts";
import type { IdempotencyStore } from "../../src/kernel/idempotency.ts";
import { type Answer, type RequestOptions, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { InMemoryIdempotencyStore } from "./in-memory-idempotency.ts";
import { type SampleApp, sampleRoutes, serveSample } from "./sample-app.ts";

class Refused extends DomainError<"refused"> {
  readonly code = "refused";
}
class Unsent extends Refused {
  override readonly mayRepeat = true;
}
class Outdated extends DomainError<"outdated"> {
  readonly code = "outdated";
}

const dialect: Dialect<InvalidInput | Refused | Outdated> = {
  invalid_input: (error) => [400, { success: false, error: error.message }],
  refused: () => [400, "Error: rechazado"],
  outdated: () => [412, { message: "otra versión" }],
  unexpected: () => [500, { success: false, error: "Error interno" }],
};
const common = {
  tag: "things",
  summary: "A thing",
  method: "post",
  auth: "key-or-token",
  scope: "send",
  idempotent: true,
  responses: { 200: { description: "ok", headers: { "X-Made": "Whether it was made" } } },
  dialect,
} as const;

const leaseSeconds = 120;
const unavailable = () => Promise.reject(new Error("password=hunter2"));

describe("the header Idempotency-Key", () => {
  let runs = 0;
  let leave = () => {};
  const outcomes: Readonly<Record<string, () => unknown>> = {
    plain: () => ({ run: runs, name: "ñandú" }),
    reply: () => new Reply(201, { run: runs }, { "X-Made": "yes" }),
    text: () => new Reply(202, `run ${runs}`, { "X-Made": "yes" }, "text/csv"),
    empty: () => new Reply(204, undefined, { "X-Made": "yes" }),
    largest: () => new Reply(200, "ñ".repeat(largestKeptBody / 2), {}, "text/plain"),
    large: () => new Reply(201, "x".repeat(largestKeptBody + 1), {}, "text/plain"),
    stream: () => new Reply(201, Buffer.from("bytes"), {}, "application/octet-stream"),
    refused: () => Promise.reject(new Refused("no")),
    outdated: () => Promise.reject(new Outdated("no")),
    unsent: () => Promise.reject(new Unsent("no")),
    error: () => Promise.reject(new Error("password=hunter2")),
    away: () => Promise.reject(new DatabaseUnavailable(new Error("ECONNREFUSED"), false)),
    unbegun: () => nothingBefore(Promise.reject(new DatabaseUnavailable(new Error("ECONNREFUSED"), false))),
    unclear: () => nothingBefore(Promise.reject(new DatabaseUnavailable(new Error("ECONNRESET"), true))),
    invalid: () => Promise.reject(new InvalidInput("what no es válido")),
    busy: () => Promise.reject(new HttpProblem(429, "Too many requests", { "Retry-After": "3" })),
    slow: () => new Promise((done) => (leave = () => done({ run: runs }))),
  };
  const routes: readonly Route[] = [
    defineRoute({
      ...common,
      path: "/orders/:id",
      operationId: "orderThing",
      params: { type: "object", required: ["id"], properties: { id: text } },
      body: { type: "object", required: ["what"], properties: { what: { type: "string", maxLength: 10 } } },
      handle: ({ body }) => {
        runs += 1;
        return outcomes[body.what]?.();
      },
    }),
    defineRoute({
      ...common,
      path: "/bytes",
      operationId: "orderBytes",
      body: "raw",
      handle: ({ body }) => ({ run: ++runs, bytes: body.length }),
    }),
    defineRoute({
      ...common,
      path: "/left/:failures",
      operationId: "waitForLeaving",
      params: { type: "object", required: ["failures"], properties: { failures: { type: "integer" } } },
      handle: async ({ params, signal }) => {
        runs += 1;
        await sleep(10_000, undefined, { signal }).catch((error: Error) => {
          throw params.failures > 0 ? new Error("password=hunter2") : error;
        });
      },
    }),
    defineRoute({ ...common, path: "/none", operationId: "takeNothing", handle: () => ({ run: ++runs }) }),
  ];

  let store: InMemoryIdempotencyStore;
  let app: SampleApp;
  let keys = 0;
  let key: string;
  before(async () => {
    store = new InMemoryIdempotencyStore(leaseSeconds);
    app = await serveSample(routes, { idempotency: store });
  });
  after(() => app.close());
  beforeEach(() => {
    runs = 0;
    key = `key ${++keys}`.replace(" ", "-");
  });

  const post = (path: string, options: RequestOptions = {}, at = app): Promise<Answer> =>
    request(at.url + path, {
      method: "POST",
      ...options,
      headers: { "x-api-key": "k", "idempotency-key": key, ...options.headers },
    });
  const make = (what: string, at = app): Promise<Answer> => post("/orders/1", { body: { what } }, at);
  const expectProblem = (answer: Answer, status: number, message: RegExp): void => {
    expect(answer).to.include({ status, type: "application/json" });
    expect(answer.json).to.have.all.keys("message");
    expect(answer.json.message).to.match(message);
    expect(answer.headers).not.to.have.property("idempotent-replay");
  };
  const seen = ({ status, text: body, headers }: Answer) => ({
    status,
    body,
    type: headers["content-type"],
    length: headers["content-length"],
    made: headers["x-made"],
    policy: headers["content-security-policy"],
  });

  for (const what of ["plain", "reply", "text", "empty", "largest", "refused", "error", "away"]) {
    it(`repeats the same answer: ${what}`, async () => {
      const first = await make(what);
      expect(first.headers).not.to.have.property("idempotent-replay");
      for (let time = 1; time <= 2; time += 1) {
        const again = await make(what);
        expect(seen(again)).to.deep.equal(seen(first));
        expect(again.headers["idempotent-replay"]).to.equal("true");
        expect(again.headers["x-request-id"]).not.to.equal(first.headers["x-request-id"]);
      }
      expect(runs).to.equal(1);
    });
  }

  it("logs a failure when it happens, and not when it is repeated", async () => {
    const failures = () => app.logged.filter(({ level }) => level === "error").length;
    const before = failures();
    await make("error");
    await make("error");
    expect(failures()).to.equal(before + 1);
  });

  for (const what of ["large", "stream"]) {
    it(`runs a request once even if its answer is not stored: ${what}`, async () => {
      expect((await make(what)).status).to.equal(201);
      const again = await make(what);
      expectProblem(again, 409, /answered with status 201.* too large to keep$/);
      expect(again.headers).not.to.have.property("retry-after");
      expect(runs).to.equal(1);
    });
  }

  it("runs one of many simultaneous requests, and tells the others to wait", async () => {
    const answers = Array.from({ length: 20 }, () => make("slow"));
    const others = await eventually(async () => {
      const answered = await Promise.all(answers.map((answer) => Promise.race([answer, Promise.resolve()])));
      const refused = answered.flatMap((answer) => answer ?? []);
      return refused.length === 19 && refused;
    });
    for (const other of others) {
      expectProblem(other, 409, /still under way/);
      expect(other.headers["retry-after"]).to.equal("1");
    }
    leave();
    const done = (await Promise.all(answers)).filter(({ status }) => status === 200);
    expect(done.map(({ text: body }) => body)).to.deep.equal(['{"run":1}']);
    expect((await make("slow")).headers["idempotent-replay"]).to.equal("true");
    expect(runs).to.equal(1);
  });

  for (const [what, count] of [
    ["an unexpected failure, which is logged", 1],
    ["work that ends because the client left", 0],
  ] as const)
    it(`keeps the outcome for a client that left: ${what}`, async () => {
      const logged = () => app.logged.filter(({ level }) => level === "warn" || level === "error").length;
      const before = logged();
      const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
      const head = `Host: a\r\nX-Api-Key: k\r\nIdempotency-Key: ${key}\r\nContent-Length: 0`;
      socket.write(`POST /left/${count} HTTP/1.1\r\n${head}\r\n\r\n`);
      await eventually(() => runs === 1);
      socket.destroy();
      const again = await eventually(async () => {
        const answer = await post(`/left/${count}`);
        return answer.status !== 409 && answer;
      });
      expect([again.status, again.headers["idempotent-replay"], again.json]).to.deep.equal([
        500,
        "true",
        { success: false, error: "Error interno" },
      ]);
      expect(runs).to.equal(1);
      expect(logged()).to.equal(before + count);
    });

  it("refuses another request with the same key, even if it only differs in spelling", async () => {
    await make("plain");
    const others: [path: string, options: RequestOptions][] = [
      ["/orders/1", { body: { what: "reply" } }],
      ["/orders/1", { rawBody: '{ "what": "plain" }' }],
      ["/orders/2", { body: { what: "plain" } }],
      ["/orders/1?a=1", { body: { what: "plain" } }],
    ];
    for (const [path, options] of others) expectProblem(await post(path, options), 422, /used for another request/);
    expect(runs).to.equal(1);
  });

  it("treats a compressed body like the same uncompressed one", async () => {
    await make("plain");
    const rawBody = gzipSync(JSON.stringify({ what: "plain" }));
    const again = await post("/orders/1", { rawBody, headers: { "content-encoding": "gzip" } });
    expect(again.headers["idempotent-replay"]).to.equal("true");
  });

  it("compares raw bodies, and handles requests without one", async () => {
    await post("/bytes", { rawBody: Buffer.from([0, 255]) });
    expect((await post("/bytes", { rawBody: Buffer.from([0, 255]) })).json).to.deep.equal({ run: 1, bytes: 2 });
    expect((await post("/bytes", { rawBody: Buffer.from([0, 254]) })).status).to.equal(422);
    await post("/none");
    expect((await post("/none")).headers["idempotent-replay"]).to.equal("true");
  });

  it("is valid for one operation", async () => {
    await make("plain");
    expect((await post("/none")).json).to.deep.equal({ run: 2 });
  });

  for (const what of ["invalid", "busy", "outdated", "unsent"]) {
    it(`is not used up by a request that its handler refuses: ${what}`, async () => {
      const first = await make(what);
      expect(seen(await make(what))).to.deep.equal(seen(first));
      expect((await make("plain")).json.run).to.equal(3);
    });
  }

  it("is free after a request that got no database connection before it did anything", async () => {
    const first = await make("unbegun");
    expectProblem(first, 503, /^Service unavailable$/);
    expect(first.headers["retry-after"]).to.equal("5");
    expect(seen(await make("unbegun"))).to.deep.equal(seen(first));
    expect((await make("plain")).json.run).to.equal(3);
  });

  it("is kept for a request that may have been done when the database failed", async () => {
    const first = await make("unclear");
    expect([first.status, first.headers["retry-after"]]).to.deep.equal([500, undefined]);
    expect((await make("unclear")).headers["idempotent-replay"]).to.equal("true");
    expect(runs).to.equal(1);
  });

  it("is free if the database cannot be reached to claim it, but not if it fails later", async () => {
    const away = () => Promise.reject(new DatabaseUnavailable(new Error("ECONNREFUSED"), false));
    const without = await serveSample(routes, { idempotency: { begin: away, finish: away, release: away } });
    const refused = await make("plain", without);
    expectProblem(refused, 503, /^Service unavailable$/);
    expect(refused.headers["retry-after"]).to.equal("5");
    expect(runs).to.equal(0);
    const lost = await make("away");
    expect([lost.status, lost.json]).to.deep.equal([500, { success: false, error: "Error interno" }]);
    const keyless = { method: "POST", headers: { "x-api-key": "k" }, body: { what: "away" } };
    expect((await request(`${app.url}/orders/1`, keyless)).status).to.equal(500);
    await without.close();
  });

  it("is not used up by a request that never reaches its handler", async () => {
    const before = store.size;
    const path = "/orders/1";
    expect((await post(path, { body: {} })).json).to.deep.equal({ success: false, error: "what es requerido" });
    expect((await post(path, { body: { what: "a\0" } })).status).to.equal(400);
    expect((await post(path, { rawBody: "{" })).status).to.equal(400);
    expect((await post(path, { rawBody: `"${"x".repeat(10_001)}"` })).status).to.equal(413);
    expect((await post(path, { body: { what: "plain" }, headers: { "x-api-key": "?" } })).status).to.equal(401);
    expect(store.size).to.equal(before);
    expect((await make("plain")).json.run).to.equal(1);
  });

  for (const bad of ["", " ", "a b", "ñ", "a\tb", "x".repeat(256)]) {
    it(`must be 1 to 255 visible characters, in the endpoint's words: ${JSON.stringify(bad.slice(0, 9))}`, async () => {
      const headers = { "idempotency-key": Buffer.from(bad).toString("latin1") };
      const answer = await post("/orders/1", { body: { what: "plain" }, headers });
      expect(answer.status).to.equal(400);
      expect(answer.json).to.deep.equal({ success: false, error: "Idempotency-Key no es válido" });
      expect(runs).to.equal(0);
    });
  }

  for (const good of ["!", "~", "8e03978e-40d5-43dd-bc93-6894a57f9324", "x".repeat(255)]) {
    it(`may be ${good.slice(0, 40)}`, async () => {
      const headers = { "idempotency-key": good };
      await post("/none", { headers });
      expect((await post("/none", { headers })).headers["idempotent-replay"]).to.equal("true");
    });
  }

  it("answers as after an unexpected failure while the outcome of the first request is unknown", async () => {
    const frozen = make("slow");
    await eventually(() => runs === 1);
    store.age(leaseSeconds + 1);
    for (let time = 1; time <= 2; time += 1) {
      const answer = await make("slow");
      expect(answer).to.include({ status: 500, type: "application/json" });
      expect(answer.json).to.deep.equal({ success: false, error: "Error interno" });
      expect(answer.headers["idempotent-replay"]).to.equal("true");
    }
    leave();
    expect((await frozen).json).to.deep.equal({ run: 1 });
    expect((await make("slow")).json).to.deep.equal({ run: 1 });
    expect(runs).to.equal(1);
  });

  it("and its response headers may be used by pages of listed origins", async () => {
    const origin = { origin: "https://app.example" };
    const { headers } = await post("/none", { headers: origin });
    const exposed = headers["access-control-expose-headers"]?.split(/, ?/);
    expect(exposed).to.include.members(["Idempotent-Replay", "Retry-After", "X-Made"]);
    const preflight = await request(`${app.url}/none`, {
      method: "OPTIONS",
      headers: { ...origin, "access-control-request-method": "POST" },
    });
    expect(preflight.headers["access-control-allow-headers"]).to.include("idempotency-key");
  });

  it("is not looked up if it is missing, or if the route does not support it", async () => {
    const broken: IdempotencyStore = { begin: unavailable, finish: unavailable, release: unavailable };
    const other = await serveSample([...routes, ...sampleRoutes], { idempotency: broken });
    const headers = { "x-api-key": "k" };
    for (let run = 1; run <= 2; run += 1) {
      expect((await request(`${other.url}/none`, { method: "POST", headers })).json).to.deep.equal({ run });
    }
    expect((await post("/things", { body: { name: "a", count: 1 } }, other)).status).to.equal(201);
    await other.close();
  });

  describe("while keys cannot be stored", () => {
    const serveWith = (failing: Partial<IdempotencyStore>) => {
      const memory = new InMemoryIdempotencyStore();
      const failingStore: IdempotencyStore = {
        begin: (asked) => memory.begin(asked),
        finish: (claim, answer) => memory.finish(claim, answer),
        release: (claim) => memory.release(claim),
        ...failing,
      };
      return serveSample(routes, { idempotency: failingStore });
    };

    it("runs nothing", async () => {
      const other = await serveWith({ begin: unavailable });
      const answer = await make("plain", other);
      expect(answer.status).to.equal(500);
      expect(answer.json).to.deep.equal({ success: false, error: "Error interno" });
      expect(runs).to.equal(0);
      await other.close();
    });

    it("returns the answer of a request that it ran, runs it only once, and logs the failure", async () => {
      const other = await serveWith({ finish: unavailable });
      expect((await make("reply", other)).status).to.equal(201);
      expectProblem(await make("reply", other), 409, /still under way/);
      expect(runs).to.equal(1);
      expect(other.logged.filter(({ level }) => level === "error")).to.have.length(1);
      await other.close();
    });

    it("refuses in the endpoint's own words", async () => {
      const other = await serveWith({ release: unavailable });
      expect((await make("invalid", other)).json).to.deep.equal({ success: false, error: "what no es válido" });
      expect(
        (await post("/orders/2", { body: { what: "busy" }, headers: { "idempotency-key": "b" } }, other)).status,
      ).to.equal(429);
      await other.close();
    });
  });

  it("cannot be supported by a route without a store for keys", async () => {
    const failure = await serveSample(routes).catch((error: Error) => error.message);
    expect(failure).to.match(/^orderThing takes Idempotency-Key/);
  });

  it("is documented for the operations that support it, with its answers", () => {
    const document = JSON.parse(
      JSON.stringify(openApiDocument([...routes, ...sampleRoutes], { title: "", version: "" })),
    );
    const { parameters, responses } = document.paths["/orders/{id}"].post;
    const parameter = parameters.find(({ name }: { name: string }) => name === "Idempotency-Key");
    expect(parameter).to.include({ in: "header", required: false });
    expect(parameter.description).to.match(/24 hours.*Idempotent-Replay.*409.*422.*died.*500.*unknown/);
    const { pattern, maxLength } = parameter.schema;
    expect([new RegExp(pattern).test("!~"), new RegExp(pattern).test("a b"), maxLength]).to.deep.equal([
      true,
      false,
      255,
    ]);
    expect(responses[409]).to.deep.equal({ $ref: "#/components/responses/KeyInUse" });
    expect(responses[422]).to.deep.equal({ $ref: "#/components/responses/KeyOfAnotherRequest" });
    expect(document.components.responses).to.include.keys("KeyInUse", "KeyOfAnotherRequest");
    expect(responses[200].headers["X-Made"]).to.deep.equal({
      description: "Whether it was made",
      schema: { type: "string" },
    });
    const { post: other } = document.paths["/things"];
    expect(JSON.stringify(other)).not.to.include("Idempotency-Key");
    expect(other.responses).not.to.have.any.keys("409", "422");
  });
});
