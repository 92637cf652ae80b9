import { Agent } from "node:http";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { type Dialect, HttpProblem, type InvalidInput, plainDialect } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute } from "../../src/infra/http/routing/route.ts";
import { idOf } from "../../src/infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../src/kernel/errors.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { type Answer, type RequestOptions, request } from "../support/http.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const key = { "x-api-key": "k" };
const token = { authorization: "Bearer t" };
const good = { name: "a", count: 1 };
const nested = (levels: number, inside: string) =>
  `{"name":"a","count":1,"other":${"[".repeat(levels)}${inside}${"]".repeat(levels)}}`;
const notJson = { message: "Request body is not valid JSON" };

describe("the HTTP frame", () => {
  let app: SampleApp;
  before(async () => {
    app = await serveSample();
  });
  after(() => app.close());

  const ask = (path: string, options?: RequestOptions): Promise<Answer> => request(app.url + path, options);
  const make = (options: RequestOptions): Promise<Answer> =>
    ask("/things", { method: "POST", ...options, headers: { ...key, ...options.headers } });

  function expectAnswer(answer: Answer, status: number, body: unknown): void {
    expect({ status: answer.status, type: answer.type, body: answer.json }).to.deep.equal({
      status,
      type: "application/json",
      body,
    });
  }

  describe("a request that fits its schema", () => {
    it("reaches the handler typed, with its caller", async () => {
      const made = await make({ body: { ...good, owner: "5", name: "ñandú 😀 你好" } });
      expectAnswer(made, 201, { name: "ñandú 😀 你好", count: 1, owner: 5, business: 7 });
      expect(made.headers["x-made"]).to.equal("yes");
      const got = await ask("/things/5?page=2&exact=true&word=a%20b", { headers: token });
      expectAnswer(got, 200, { params: { id: 5 }, query: { page: 2, exact: true, word: "a b" }, user: 70 });
    });

    it("may have a body with DELETE and with GET", async () => {
      expectAnswer(await ask("/things", { method: "DELETE", body: { id: 3 } }), 200, { id: 3 });
      expectAnswer(await ask("/things", { method: "GET", body: { word: "a" } }), 200, { word: "a" });
      expectAnswer(await ask("/things", { method: "GET" }), 200, {});
    });

    it("may come without a content type, compressed, chunked, or with a byte order mark", async () => {
      const made = { ...good, business: 7 };
      const rawBody = JSON.stringify(good);
      expectAnswer(await make({ rawBody, headers: { "content-type": "" } }), 201, made);
      expectAnswer(
        await make({ rawBody, headers: { "content-type": "application/ld+json; charset=utf-8" } }),
        201,
        made,
      );
      expectAnswer(await make({ rawBody, chunked: true }), 201, made);
      expectAnswer(await make({ rawBody: `\ufeff${rawBody}` }), 201, made);
      expectAnswer(await make({ rawBody: gzipSync(rawBody), headers: { "content-encoding": "gzip" } }), 201, made);
    });

    it("passes raw bytes on unchanged", async () => {
      const answer = await ask("/raw", { method: "POST", rawBody: Buffer.from([0, 255, 10]) });
      expectAnswer(answer, 200, { hex: "00ff0a" });
    });

    it("may be answered without a body", async () => {
      const answer = await ask("/nothing", { method: "PUT" });
      expect(answer).to.include({ status: 204, text: "", type: "" });
    });
  });

  it("does not pass on fields with the names of an object's own members", async () => {
    const made = await make({
      rawBody: '{"name":"a","count":1,"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
    });
    expect(made.status).to.equal(201);
    expect(made.text).not.to.include("__proto__");
  });

  describe("answers in the endpoint's own words", () => {
    it("to a missing or wrong field", async () => {
      expectAnswer(await make({ body: { count: 1 } }), 400, { success: false, error: "Falta el nombre" });
      const wrong = { success: false, error: "count debe ser un número" };
      expectAnswer(await make({ body: { name: "a", count: "1" } }), 400, wrong);
      expectAnswer(await make({ body: { ...good, owner: 0 } }), 400, { success: false, error: "Dueño inválido" });
    });

    for (const rawBody of ["", "{}", "[]", "[1]", '"text"', "5", "null", "true", '{"__proto__":{"name":"a"}}']) {
      it(`to the body ${rawBody || "that is empty"}`, async () => {
        expectAnswer(await make({ rawBody }), 400, { success: false, error: "Falta el nombre" });
      });
    }

    it("to a violated rule, even as one JSON string", async () => {
      expectAnswer(await ask("/things/404", { headers: token }), 404, "Error: no existe");
    });

    for (const how of ["error", "text", "domain", "lost"]) {
      it(`to an unexpected ${how} without its details`, async () => {
        const answer = await ask(`/fail/${how}`, { method: "POST" });
        expectAnswer(answer, 500, { success: false, error: "Error interno" });
        expect(JSON.stringify(answer.headers)).not.to.include("hunter2");
        const lines = app.logged.filter(({ fields }) => fields.requestId === answer.headers["x-request-id"]);
        expect(lines.map(({ level }) => level)).to.deep.equal(["error", "info"]);
        expect(lines[0]?.fields).to.include({ route: "/fail/:how" });
        expect(String(lines[0]?.fields.err)).to.include("hunter2");
      });
    }

    it("to an unexpected error if the endpoint's own words fail", async () => {
      const answer = await ask("/fail-twice", { method: "POST" });
      expectAnswer(answer, 500, { message: "Internal server error" });
    });

    it("to a character that the database cannot store", async () => {
      const refused = (field: string) => ({ success: false, error: `${field} no es válido` });
      expectAnswer(await make({ body: { ...good, name: "a\0b" } }), 400, refused("name"));
      expectAnswer(await make({ body: { ...good, other: { deep: ["a\0"] } } }), 400, refused("other"));
      expectAnswer(await make({ body: { ...good, other: { "a\0": 1 } } }), 400, refused("other"));
      const nameless = { success: false, error: "La solicitud no es válida" };
      expectAnswer(await make({ body: { ...good, "a\0": 1 } }), 400, nameless);
      expectAnswer(await ask("/things/5?word=a%00", { headers: token }), 400, refused("word"));
      expectAnswer(await ask("/things/5%00", { headers: token }), 400, refused("id"));
      expect((await make({ body: { ...good, name: "a\\u0000" } })).status, "with the text of an escape").to.equal(201);
      expectAnswer(await make({ rawBody: nested(99, '"\\u0000"') }), 400, refused("other"));
    });

    it("to a body with more than 100 levels", async () => {
      const deep = { success: false, error: "La solicitud no puede tener más de 100 niveles" };
      const texts = JSON.stringify("\\[[[[[{{".repeat(50));
      expect((await make({ rawBody: nested(99, texts) })).status).to.equal(201);
      expectAnswer(await make({ rawBody: nested(100, texts) }), 400, deep);
      expectAnswer(await make({ rawBody: nested(4_000, texts) }), 400, deep);
      expectAnswer(await make({ rawBody: `[{"a":${nested(99, "1")}}]` }), 400, deep);
    });

    for (const query of ["page=1&page=2", "page=0", "page=-1", "page=x", "page=", "page=1e1"]) {
      it(`to the query ?${query}`, async () => {
        const answer = await ask(`/things/5?${query}`, { headers: token });
        expect(answer.status).to.equal(400);
        expect(answer.json.error).to.match(/^page /);
      });
    }

    for (const id of ["0", "-1", "1.5", "1e3", "%205", "9007199254740992", "%E0%A4%A", "%00", "9".repeat(8_000)]) {
      it(`to the id ${id.slice(0, 20)}`, async () => {
        const answer = await ask(`/things/${id}`, { headers: token });
        expect(answer.status).to.equal(400);
        expect(answer.json.error).to.match(/^id /);
      });
    }
  });

  describe("a route that names a business", () => {
    const words: Dialect<InvalidInput | BusinessNotFound> = {
      invalid_input: ({ message }) => [400, { error: message }],
      business_not_found: () => [404, { error: "Empresa no encontrada" }],
      unexpected: () => [500, {}],
    };
    const base = {
      method: "post",
      tag: "t",
      summary: "s",
      auth: "key-or-token",
      scope: "send",
      responses: {},
    } as const;
    const body = {
      type: "object",
      required: ["empresa_id"],
      properties: { empresa_id: idOf("business"), a: { type: "integer" } },
    } as const;
    const handle = () => ({ handled: true });
    let guarded: SampleApp;
    before(async () => {
      guarded = await serveSample([
        defineRoute({
          ...base,
          path: "/guarded",
          operationId: "guarded",
          body,
          ownBusiness: "body.empresa_id",
          complaint: (input) => (input.body.a === 13 ? "a no es válido" : undefined),
          dialect: words,
          handle,
        }),
      ]);
    });
    after(() => guarded.close());
    const post = (input: object) => request(`${guarded.url}/guarded`, { method: "POST", headers: key, body: input });

    it("is reached for the caller's business, and answers any other in its own words", async () => {
      expectAnswer(await post({ empresa_id: 7 }), 200, { handled: true });
      expectAnswer(await post({ empresa_id: 8 }), 404, { error: "Empresa no encontrada" });
    });

    it("checks every field first", async () => {
      expectAnswer(await post({ empresa_id: 8, a: "1" }), 400, { error: "a debe ser un número" });
      expectAnswer(await post({ empresa_id: 8, a: 13 }), 400, { error: "a no es válido" });
    });

    it("does not compile without the name of that field and an answer", () => {
      const route = { ...base, path: "/a", operationId: "a", body, handle } as const;
      // @ts-expect-error: ownBusiness is missing
      defineRoute({ ...route, dialect: words });
      // @ts-expect-error: the field names no business
      defineRoute({ ...route, dialect: words, ownBusiness: "body.a" });
      // @ts-expect-error: the dialect has no words for it
      defineRoute({ ...route, dialect: plainDialect, ownBusiness: "body.empresa_id" });
    });
  });

  describe("answers alike on every endpoint", () => {
    for (const rawBody of ["{", "hello", "{'name':'a'}", '{"name":"a"}}', "NaN", "\u0000", "[".repeat(9_000)]) {
      it(`to the body ${JSON.stringify(rawBody.slice(0, 20))}, which is not JSON`, async () => {
        expectAnswer(await make({ rawBody }), 400, notJson);
      });
    }

    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "nonsense",
    ]) {
      it(`to a body of type ${type}`, async () => {
        const headers = { "content-type": type };
        const mislabelled = { message: "Content-Type must be application/json" };
        expectAnswer(await make({ rawBody: JSON.stringify(good), headers }), 415, mislabelled);
        expectAnswer(await make({ rawBody: JSON.stringify(good), headers, chunked: true }), 415, mislabelled);
      });
    }

    it("while the database cannot be reached", async () => {
      const answer = await ask("/fail/away", { method: "POST" });
      expectAnswer(answer, 503, { message: "Service unavailable" });
      expect(answer.headers["retry-after"]).to.equal("5");
      expect(app.logged.at(-2)).to.include({ level: "error", message: "request failed" });
    });

    it("to a body with a wrong or unknown compression", async () => {
      const rawBody = JSON.stringify(good);
      expectAnswer(await make({ rawBody, headers: { "content-encoding": "gzip" } }), 400, notJson);
      const unknown = { message: "Content-Encoding is not supported" };
      expectAnswer(await make({ rawBody, headers: { "content-encoding": "zstd" } }), 415, unknown);
    });

    const tooLarge = { message: "Request body is too large" };
    const large: [what: string, options: RequestOptions][] = [
      ["with its length", { rawBody: Buffer.alloc(10_001, " ") }],
      ["without its length", { rawBody: Buffer.alloc(10_001, " "), chunked: true }],
      ["much larger", { rawBody: Buffer.alloc(5_000_000, " ") }],
      ["much larger, without its length", { rawBody: Buffer.alloc(5_000_000, " "), chunked: true }],
      [
        "once decompressed",
        { rawBody: gzipSync(Buffer.alloc(50_000_000, " ")), headers: { "content-encoding": "gzip" } },
      ],
    ];
    for (const [what, options] of large) {
      it(`to a body that is too large, ${what}, and the connection can be used again`, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const answer = await make({ ...options, agent });
        expectAnswer(answer, 413, tooLarge);
        expect(answer.headers.connection).to.equal("keep-alive");
        expectAnswer(await make({ body: good, agent }), 201, { ...good, business: 7 });
        agent.destroy();
      });
    }

    it("to a body so large that the connection is closed", async () => {
      const agent = new Agent({ keepAlive: true });
      const endless = { rawBody: Buffer.alloc(30_000_000, " "), chunked: true, agent };
      const answer = await make(endless).catch((error) => error.code);
      if (typeof answer === "string") expect(answer).to.be.oneOf(["EPIPE", "ECONNRESET"]);
      else expect(answer.headers.connection).to.equal("close");
    });

    it("to a raw body above its route's limit", async () => {
      expectAnswer(await ask("/raw", { method: "POST", rawBody: Buffer.alloc(101) }), 413, tooLarge);
      expect((await ask("/raw", { method: "POST", rawBody: Buffer.alloc(100) })).status).to.equal(200);
    });

    it("to an unknown caller, with the error's headers", async () => {
      expectAnswer(await ask("/things", { method: "POST", body: good }), 401, { message: "Invalid API key" });
      expectAnswer(await ask("/things/5", { headers: { authorization: "Bearer x" } }), 401, { error: "Invalid token" });
      const limited = await ask("/fail/limit", { method: "POST" });
      expectAnswer(limited, 429, { message: "Too many requests" });
      expect(limited.headers["retry-after"]).to.equal("3");
    });

    it("to an unknown caller before it reads the body", async () => {
      const answer = await ask("/things", { method: "POST", rawBody: "{", headers: { "x-api-key": "wrong" } });
      expectAnswer(answer, 401, { message: "Invalid API key" });
    });

    for (const path of [
      "/",
      "/nothing-here",
      "//things",
      "/%E0%A4%A",
      "/things/5/6",
      "/__proto__",
      `/${"a".repeat(9_000)}`,
    ]) {
      it(`to the unknown path ${path.slice(0, 20)}`, async () => {
        for (const method of ["GET", "POST", "PROPFIND"]) {
          expectAnswer(await ask(path, { method }), 404, { message: "Not found" });
        }
      });
    }

    for (const method of ["PATCH", "PUT", "TRACE", "PROPFIND"]) {
      it(`to the wrong method ${method}, with the right ones`, async () => {
        const answer = await ask("/things", { method });
        expectAnswer(answer, 405, { message: "Method not allowed" });
        expect(answer.headers.allow?.split(", ").sort()).to.deep.equal(["DELETE", "GET", "HEAD", "POST"]);
      });
    }
  });

  it("answers HEAD like GET without a body, and OPTIONS with the methods", async () => {
    const get = await ask("/things/5", { headers: token });
    const head = await ask("/things/5", { method: "HEAD", headers: token });
    expect(head).to.include({ status: 200, text: "", type: get.type });
    expect(head.headers["content-length"]).to.equal(get.headers["content-length"]);
    expect((await ask("/nothing-here", { method: "HEAD" })).status).to.equal(404);
    const options = await ask("/things/5", { method: "OPTIONS" });
    expect(options.status).to.equal(200);
    expect(options.headers.allow).to.equal("HEAD, GET");
  });

  it("sends the security headers with every answer", async () => {
    for (const answer of [await make({ body: good }), await ask("/nothing-here"), await make({ rawBody: "{" })]) {
      expect(answer.headers).to.include({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "content-security-policy": "default-src 'none';frame-ancestors 'none'",
      });
      expect(answer.headers["strict-transport-security"]).to.match(/^max-age=\d{7,}/);
      expect(answer.headers).not.to.have.property("x-powered-by");
    }
  });

  it("forbids shared caches for answers to requests with a key, including failures", async () => {
    for (const path of ["/things/5", "/things/x"]) {
      expect((await ask(path, { headers: token })).headers["cache-control"], path).to.equal("private, no-store");
    }
    expect((await ask("/things/5")).headers["cache-control"], "without a key").to.equal("private, no-store");
    expect((await ask("/nowhere")).headers).not.to.have.property("cache-control");
  });

  describe("request ids", () => {
    it("are taken from the request if they are valid", async () => {
      const answer = await ask("/things", { headers: { "x-request-id": "abc_DEF-123" } });
      expect(answer.headers["x-request-id"]).to.equal("abc_DEF-123");
    });

    it("are created otherwise, each time a different one, also for failures", async () => {
      const ids = new Set<unknown>();
      for (const given of ["", "a b", "<script>", "x".repeat(65), 'a"b']) {
        const { headers } = await ask("/nothing-here", { headers: { "x-request-id": given } });
        expect(headers["x-request-id"]).to.match(/^[0-9a-f-]{36}$/);
        ids.add(headers["x-request-id"]);
      }
      expect(ids.size).to.equal(5);
    });
  });

  it("logs and counts each request by its pattern, never by its URL", async () => {
    const answer = await ask("/things/5?word=secret-token", { headers: token });
    const line = app.logged.find(({ fields }) => fields.requestId === answer.headers["x-request-id"]);
    expect(line?.fields).to.include({ method: "GET", route: "/things/:id", status: 200, businessId: 7 });
    expect(app.observed.at(-1)).to.include({ method: "GET", route: "/things/:id", status: 200 });
    await ask("/secret-token?word=secret-token");
    expect(app.observed.at(-1)).to.include({ method: "GET", route: "none", status: 404 });
    expect(JSON.stringify(app.logged)).not.to.include("secret-token");
  });

  describe("other origins", () => {
    const ours = { origin: "https://app.example" };
    const foreign = { origin: "https://evil.example" };
    const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" };

    it("that are listed may read answers, including failures", async () => {
      for (const path of ["/things", "/nothing-here"]) {
        const { headers } = await ask(path, { headers: ours });
        expect(headers["access-control-allow-origin"]).to.equal("https://app.example");
        expect(headers["access-control-expose-headers"]).to.match(/Retry-After/);
        expect(headers.vary).to.match(/Origin/);
      }
    });

    it("that are listed may send their keys", async () => {
      const { status, headers } = await ask("/things", { method: "OPTIONS", headers: { ...ours, ...preflight } });
      expect(status).to.equal(204);
      expect(headers["access-control-allow-origin"]).to.equal("https://app.example");
      expect(headers["access-control-allow-headers"]).to.include("x-api-key");
      expect(headers["access-control-allow-methods"]).to.include("DELETE");
    });

    for (const origin of [foreign, { origin: "null" }, { origin: "https://app.example.evil.example" }, {}]) {
      it(`that are not listed may not read anything: ${JSON.stringify(origin)}`, async () => {
        for (const method of ["GET", "OPTIONS"]) {
          const { headers } = await ask("/things", { method, headers: { ...origin, ...preflight } });
          expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).to.deep.equal([]);
        }
      });
    }

    it("get no headers of an error that was thrown before for another origin", async () => {
      const shared = new HttpProblem(401, "Invalid API key");
      const strict = await serveSample(undefined, { limitRate: () => () => Promise.reject(shared) });
      const options = { method: "DELETE", body: { id: 1 } };
      const first = await request(`${strict.url}/things`, { ...options, headers: ours });
      expect(first.headers["access-control-allow-origin"]).to.equal("https://app.example");
      const second = await request(`${strict.url}/things`, { ...options, headers: foreign });
      expect(second.headers).not.to.have.property("access-control-allow-origin");
      await strict.close();
    });
  });

  it("limits the rate after it knows the caller, and before it reads the body", async () => {
    const seen: unknown[] = [];
    const limited = await serveSample(undefined, {
      limitRate: () => async (ctx) => {
        seen.push(ctx.state.caller ?? null);
        throw new HttpProblem(429, "Too many requests");
      },
    });
    await request(`${limited.url}/things`, { method: "POST", rawBody: "{", headers: key });
    await request(`${limited.url}/things`, { method: "DELETE", rawBody: "{" });
    await request(`${limited.url}/things`, { method: "POST", rawBody: "{" });
    expect(seen).to.deep.equal([{ businessId: 7, keyId: 1, scopes }, null]);
    await limited.close();
  });
});
