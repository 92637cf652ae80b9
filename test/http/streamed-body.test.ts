import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { Agent, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import type { Dialect, InvalidInput } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../src/infra/http/routing/route.ts";
import { JsonScanner } from "../../src/infra/http/streaming/json-scanner.ts";
import type { StreamedArray } from "../../src/infra/http/streaming/streamed-array.ts";
import { type Answer, type RequestOptions, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { InMemoryIdempotencyStore } from "./in-memory-idempotency.ts";
import { cut, inAnyOrder, writings } from "./json-texts.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const seed = 20261122;
const most = 6_000;
const body = {
  type: "object",
  required: ["ids", "people", "name"],
  properties: {
    name: { type: "string", minLength: 1 },
    ids: { type: "array", minItems: 1, maxItems: most, items: { type: "integer", minimum: 1 } },
    people: {
      type: "array",
      maxItems: most,
      items: {
        type: "object",
        required: ["phone"],
        maxProperties: 4,
        propertyNames: { type: "string", maxLength: 12 },
        properties: { phone: { type: "string", pattern: "[0-9]" } },
        additionalProperties: { type: ["string", "number", "object", "array", "null"], maxLength: 300 },
      },
    },
    tags: { type: "array", items: { type: "integer" }, default: [] },
    map: { type: "object", additionalProperties: { type: "string" } },
  },
} as const;

const dialect: Dialect<InvalidInput> = {
  invalid_input: (error) => [400, { error: error.message }],
  unexpected: () => [500, { error: "unexpected" }],
};
const limit = 2_000_000;
const common = {
  method: "post",
  tag: "people",
  summary: "Take many",
  auth: "key-or-token",
  scope: "send",
  body,
  bodyLimit: limit,
  idempotent: true,
  dialect,
  responses: { 200: { description: "What came" } },
} as const;

/** Lets a test hold the handler of `/streamed`. */
const gate = { enter: () => {}, open: Promise.resolve() };

const inAll = async <Element>(array: StreamedArray<Element>): Promise<Element[]> => {
  const all: Element[] = [];
  for await (const some of array.batches()) all.push(...some);
  return all;
};
const known = ({ name, tags, map }: { name: string; tags: unknown; map?: unknown }) => ({ name, tags, map });

const routes: readonly Route[] = [
  defineRoute({
    ...common,
    path: "/whole",
    operationId: "takeWhole",
    handle: ({ body }) => ({ ...known(body), ids: body.ids, people: body.people }),
  }),
  defineRoute({
    ...common,
    path: "/streamed",
    operationId: "takeStreamed",
    streams: ["ids", "people"],
    handle: async ({ body }) => {
      gate.enter();
      await gate.open;
      const people = await inAll(body.people);
      expect(people).to.have.length(body.people.length);
      // A streamed list can be iterated several times.
      expect(await inAll(body.people)).to.deep.equal(people);
      return { ...known(body), ids: await inAll(body.ids), people };
    },
  }),
];

const good = { name: "a", ids: [1], people: [{ phone: "591" }] };
const many = (count: number) => ({
  people: Array.from({ length: count }, (_, n) => ({ phone: String(n), field: "x".repeat(100) })),
  map: { "1": "field" },
  name: "many",
  ids: Array.from({ length: count }, (_, n) => n + 1),
});

describe("a JSON body that streams", () => {
  let app: SampleApp;
  before(async () => {
    app = await serveSample(routes, { idempotency: new InMemoryIdempotencyStore() });
  });
  after(() => app.close());

  const key = { "x-api-key": "k" };
  const post = (options: RequestOptions, path = "/streamed"): Promise<Answer> =>
    request(app.url + path, { method: "POST", ...options, headers: { ...key, ...options.headers } });
  const refusal = async (changes: object): Promise<[number, string]> => {
    const { status, json } = await post({ body: { ...good, ...changes } });
    return [status, json.error];
  };

  function postChunks(path: string, chunks: readonly Buffer[], agent: Agent): Promise<readonly [number, unknown]> {
    return new Promise((resolve, reject) => {
      const headers = { ...key, "content-type": "application/json", "transfer-encoding": "chunked" };
      const req = httpRequest(`${app.url}${path}`, { method: "POST", headers, agent }, async (res) => {
        const parts: Buffer[] = [];
        for await (const part of res) parts.push(part);
        resolve([res.statusCode ?? 0, JSON.parse(Buffer.concat(parts).toString())]);
      });
      req.on("error", reject);
      for (const chunk of chunks) req.write(chunk);
      req.end();
    });
  }

  const odd = fc.oneof(
    fc.constantFrom(null, true, 0, -1.5e-7, "", "[", "]},{", '"', "\\", "ñ😀", {}, [], [[]], { a: [{ b: "}" }] }),
    // The scanner looks for the closing quote byte by byte in the first 32 bytes of a text, and then with a native
    // search.
    fc.string({ unit: fc.constantFrom('"', "\\", "a", "ñ"), minLength: 30, maxLength: 150 }),
    fc.string({ unit: "binary", maxLength: 20 }).filter((text) => !text.includes("\0")),
  );
  const person = fc.oneof(
    {
      weight: 60,
      arbitrary: fc.record({ phone: fc.constantFrom("591", "+5 9"), a: odd, "x,y": odd }, { requiredKeys: ["phone"] }),
    },
    { weight: 1, arbitrary: odd },
  );
  const list = (item: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 40, arbitrary: fc.array(item, { maxLength: 8 }) }, { weight: 1, arbitrary: odd });
  const fields = {
    name: fc.oneof({ weight: 40, arbitrary: fc.constantFrom("a", "ids") }, { weight: 1, arbitrary: odd }),
    ids: list(fc.oneof({ weight: 90, arbitrary: fc.integer({ min: 1 }) }, { weight: 1, arbitrary: odd })),
    people: list(person),
    tags: list(fc.integer()),
    map: fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }), { maxKeys: 3 }),
    other: odd,
    others: fc.array(odd, { maxLength: 3 }),
  };
  const bodies = fc.oneof(
    { weight: 5, arbitrary: inAnyOrder(fields, body.required) },
    { weight: 1, arbitrary: inAnyOrder(fields, []) },
  );
  /** Texts of bodies. In some of them, a character is removed or replaced, or one is added at the end. */
  const texts = fc
    .tuple(
      fc.oneof({ weight: 9, arbitrary: writings(bodies) }, { weight: 1, arbitrary: writings(odd) }),
      fc.option(fc.tuple(fc.nat(), fc.constantFrom("", ",", "]", "}", "[", "{", '"', ":", "1", "\\", " ")), {
        freq: 3,
      }),
    )
    .map(([text, spoilt]) => {
      if (spoilt === null) return text;
      const at = spoilt[0] % (text.length + 1);
      return text.slice(0, at) + spoilt[1] + text.slice(at + 1);
    });
  const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 9 });

  it("gets the same answer as a body that is read whole, for any spelling and chunks", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(texts, lengths, async (text, cuts) => {
        const bytes = Buffer.from(text);
        const expected = await postChunks("/whole", [bytes], agent);
        expect(await postChunks("/streamed", cut(bytes, cuts), agent)).to.deep.equal(expected);
        statuses.set(expected[0], (statuses.get(expected[0]) ?? 0) + 1);
      }),
      { seed, numRuns: 600 },
    );
    agent.destroy();
    for (const status of [200, 400]) expect(statuses.get(status)).to.be.above(100);
  });

  it("is split into spans of whole elements for any chunks", () => {
    const spanLimit = 30;
    fc.assert(
      fc.property(writings(fc.dictionary(fc.string(), fc.array(odd))), lengths, (text, cuts) => {
        const bytes = Buffer.from(text);
        const scanner = new JsonScanner(spanLimit);
        for (const chunk of cut(bytes, cuts)) scanner.scan(chunk);
        scanner.end();
        const parse = ({ start, end }: { start: number; end: number }, wrap = "") =>
          JSON.parse(wrap.slice(0, 1) + bytes.subarray(start, end) + wrap.slice(1));
        const found = scanner.fields.map(({ name, value, elements = [] }) => {
          for (const span of elements) {
            if (span.end - span.start > spanLimit) expect(parse(span, "[]")).to.have.length(1);
          }
          const all = elements.flatMap((span) => parse(span, "[]"));
          expect(all).to.deep.equal(parse(value));
          return [parse(name), all];
        });
        const whole = Object.entries(JSON.parse(text));
        expect(found.filter(([name]) => name !== "__proto__")).to.have.deep.members(
          whole.filter(([name]) => name !== "__proto__"),
        );
      }),
      { seed, numRuns: 500 },
    );
  });

  it("uses the last of repeated fields, and ignores __proto__, like JSON.parse", async () => {
    for (const rawBody of [
      '{"ids":["x"],"people":[],"name":"a","ids":[2],"people":[{"phone":"1"}],"name":"b"}',
      '{"people":[{"phone":"x","phone":"1"}],"ids":[7],"ids":[8],"name":"a","\\u0069ds":[9]}',
      '{"__proto__":{"name":"x"},"name":"a","ids":[1],"people":[{"phone":"1","__proto__":{"x":1},"_\\u005fproto__":2}]}',
      '{"__proto__":[{"name":"x"}],"ids":[1],"people":[]}',
    ]) {
      const whole = await post({ rawBody }, "/whole");
      const streamed = await post({ rawBody });
      expect([streamed.status, streamed.json]).to.deep.equal([whole.status, whole.json]);
    }
  });

  describe("of any size", () => {
    const large = many(4_000);
    const rawBody = JSON.stringify(large);
    const expected = { ...large, tags: [] };

    it("reaches its handler complete in any form of transfer", async () => {
      expect(rawBody.length).to.be.above(500_000);
      expect((await post({ rawBody })).json).to.deep.equal(expected);
      expect((await post({ rawBody, chunked: true })).json).to.deep.equal(expected);
      expect((await post({ rawBody: `\ufeff${rawBody}` })).json).to.deep.equal(expected);
      for (const [encoding, packed] of [
        ["gzip", gzipSync(rawBody)],
        ["deflate", deflateSync(rawBody)],
        ["br", brotliCompressSync(rawBody)],
        ["identity", Buffer.from(rawBody)],
      ] as const) {
        const answer = await post({ rawBody: packed, headers: { "content-encoding": encoding } });
        expect(answer.json, encoding).to.deep.equal(expected);
      }
    });

    it("has the same messages about its elements as a body that is read whole", async () => {
      const { people, ids } = large;
      const wrong: [changes: object, error: string][] = [
        [{ people: [...people, {}] }, "people[4000] debe tener phone"],
        [{ people: [...people, { phone: 1 }, {}] }, "people[4000].phone debe ser un texto"],
        [
          { people: [...people, { phone: "1", a: "x".repeat(301) }] },
          "people[4000].a no puede tener más de 300 caracteres",
        ],
        [
          { people: [...people, { phone: "1", a: 1, b: 1, c: 1, d: 1 }] },
          "people[4000] no puede tener más de 4 campos",
        ],
        [
          { people: [...people, { phone: "1", ["x".repeat(13)]: 1 }] },
          "people[4000] no puede llamar a un campo con más de 12 caracteres",
        ],
        [{ ids: [...ids, 0], people: [{}] }, "ids[4000] no es válido"],
        [{ ids: [] }, "ids no es válido"],
        [{ ids: { length: 1 } }, "ids debe ser un arreglo"],
        [{ ids: Array.from({ length: most + 1 }, () => 1) }, `ids no puede tener más de ${most} elementos`],
        [{ people: [...people, { phone: "1\0" }] }, "people no es válido"],
        [{ people: [...people, { phone: "1", "a\0": 1 }] }, "people no es válido"],
        [{ other: { a: ["\0"] } }, "other no es válido"],
        [{ "a\0": 1 }, "La solicitud no es válida"],
        [{ name: undefined }, "name es requerido"],
      ];
      for (const [changes, error] of wrong) {
        expect(await refusal({ ...large, ...changes }), error).to.deep.equal([400, error]);
        const whole = await post({ body: { ...large, ...changes } }, "/whole");
        expect([whole.status, whole.json.error]).to.deep.equal([400, error]);
      }
    });
  });

  it("is refused if an element is too large or too deep, or if there are too many", async () => {
    const phone = "1";
    const long = "x".repeat(65_536);
    expect(await refusal({ people: [{ phone }, { phone, a: [long] }] })).to.deep.equal([
      400,
      "people[1] no puede tener más de 65536 bytes",
    ]);
    expect(await refusal({ name: long })).to.deep.equal([400, "name no puede tener más de 65536 bytes"]);
    expect(await refusal({ other: [long] })).to.deep.equal([400, "other no puede tener más de 65536 bytes"]);
    expect(await refusal({ [long]: 1 })).to.deep.equal([400, "La solicitud no es válida"]);
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, 1]));
    expect(await refusal(fields)).to.deep.equal([400, "La solicitud no puede tener más de 100 campos"]);
    const deep = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect((await post({ body: { ...good, people: [{ phone, a: deep(97) }] } })).status).to.equal(200);
    const tooDeep = [400, "La solicitud no puede tener más de 100 niveles"];
    expect(await refusal({ people: [{ phone, a: deep(98) }] })).to.deep.equal(tooDeep);
    const deepest = await post({ rawBody: `{"other":${"[".repeat(50_000)}${"]".repeat(50_000)}}` });
    expect([deepest.status, deepest.json.error]).to.deep.equal(tooDeep);
    expect((await post({ rawBody: `"${long}"` })).json).to.deep.equal({ error: "Se espera un objeto" });
  });

  describe("is refused like any other body", () => {
    const notJson = { message: "Request body is not valid JSON" };
    const tail = JSON.stringify(many(3_000)).slice(1);

    for (const rawBody of [
      "{",
      "hello",
      " ",
      "{]",
      '{"a":}',
      '{"a":1,}',
      '{"ids":[1,]}',
      `{${tail}}`,
      `{,${tail}`,
      `{"a":[}],${tail}`,
    ]) {
      it(`if it is not JSON: ${rawBody.slice(0, 20)}`, async () => {
        const answer = await post({ rawBody });
        expect([answer.status, answer.json]).to.deep.equal([400, notJson]);
      });
    }

    it("with an extra comma between two elements", async () => {
      const text = JSON.stringify(many(3_000));
      for (const wrong of [text.replace("]", ",]"), text.replace("[", "[,"), text.replaceAll("},{", "},,{")]) {
        expect((await post({ rawBody: wrong })).json).to.deep.equal(notJson);
      }
      const spread = text.replaceAll("},{", `},${" ".repeat(65_536)},{`).slice(0, limit - 100);
      expect((await post({ rawBody: spread })).json).to.deep.equal(notJson);
    });

    it("with another content type, or an unknown or wrong compression", async () => {
      const rawBody = JSON.stringify(good);
      const labelled = await post({ rawBody, headers: { "content-type": "text/plain" } });
      expect([labelled.status, labelled.json.message]).to.deep.equal([415, "Content-Type must be application/json"]);
      expect(
        (await post({ rawBody, headers: { "content-type": "application/ld+json; charset=utf-8" } })).status,
      ).to.equal(200);
      expect((await post({ rawBody, headers: { "content-type": "" } })).status).to.equal(200);
      const unknown = await post({ rawBody, headers: { "content-encoding": "zstd" } });
      expect([unknown.status, unknown.json.message]).to.deep.equal([415, "Content-Encoding is not supported"]);
      expect((await post({ rawBody, headers: { "content-encoding": "gzip" } })).json).to.deep.equal(notJson);
      const latin = await post({ rawBody, headers: { "content-type": "application/json; charset=iso-8859-1" } });
      expect([latin.status, latin.json.message]).to.deep.equal([415, "Request body must be in UTF-8"]);
      const halved = gzipSync(JSON.stringify(many(3_000))).subarray(0, -20);
      expect((await post({ rawBody: halved, headers: { "content-encoding": "gzip" } })).json).to.deep.equal(notJson);
    });

    for (const [what, options] of [
      ["with its length", { rawBody: Buffer.alloc(limit + 1, " ") }],
      ["without its length", { rawBody: Buffer.alloc(limit + 1, " "), chunked: true }],
      [
        "once decompressed",
        { rawBody: gzipSync(Buffer.alloc(50_000_000, " ")), headers: { "content-encoding": "gzip" } },
      ],
    ] as const) {
      it(`if it is too large, ${what}, and the connection can be used again`, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const answer = await post({ ...options, agent });
        expect([answer.status, answer.json.message]).to.deep.equal([413, "Request body is too large"]);
        expect(answer.headers.connection).to.equal("keep-alive");
        expect((await post({ body: good, agent })).status).to.equal(200);
        agent.destroy();
      });
    }
  });

  it("counts as the same under an Idempotency-Key if its bytes are the same", async () => {
    const headers = { "idempotency-key": "one" };
    const rawBody = JSON.stringify(many(3_000));
    const first = await post({ rawBody, headers });
    const again = await post({ rawBody: gzipSync(rawBody), headers: { ...headers, "content-encoding": "gzip" } });
    expect(first.status).to.equal(200);
    expect(first.headers).not.to.have.property("idempotent-replay");
    // The first answer was too large to store, so the repetition gets a 409. A different body would get a 422.
    expect([again.status, again.json.message]).to.deep.equal([
      409,
      "This request was answered with status 200; the answer was too large to keep",
    ]);
    expect((await post({ rawBody: rawBody.replace("many", "mani"), headers })).status).to.equal(422);
  });

  describe("leaves no file behind", () => {
    const sockets: Socket[] = [];
    let earlier: readonly string[] = [];
    beforeEach(async () => {
      earlier = await openSpools();
    });
    /** The number of spool files that this test opened. Spool files of earlier requests may still be open. */
    const spoolFiles = async (): Promise<number> =>
      (await openSpools()).filter((file) => !earlier.includes(file)).length;
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.destroy();
    });
    const part = JSON.stringify(many(4_000)).slice(0, 500_000);
    const begin = (url: string, length: number, sent: string): Socket => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      const headers = "Host: a\r\nX-Api-Key: k\r\nContent-Type: application/json\r\n";
      socket.write(`POST /streamed HTTP/1.1\r\n${headers}Content-Length: ${length}\r\n\r\n${sent}`);
      return socket;
    };

    it("when its client disconnects", async function () {
      if (process.platform !== "linux") this.skip();
      const socket = begin(app.url, 600_000, part);
      await eventually(async () => (await spoolFiles()) === 1);
      socket.destroy();
      await eventually(async () => (await spoolFiles()) === 0);
    });

    it("when it does not end in time", async function () {
      if (process.platform !== "linux") this.skip();
      const slow = await serveSample(routes, { idempotency: new InMemoryIdempotencyStore(), bodyMs: 300 });
      const answer = await new Promise<string>((resolve) => {
        let text = "";
        begin(slow.url, 600_000, part)
          .on("data", (data) => (text += data))
          .on("close", () => resolve(text));
      });
      expect(answer).to.match(/^HTTP\/1.1 408 Request Timeout[\s\S]*Connection: close/);
      expect(await spoolFiles()).to.equal(0);
      await slow.close();
    });

    it("when it is wrong, and reads no more than necessary to send the answer", async function () {
      if (process.platform !== "linux") this.skip();
      const socket = begin(app.url, limit, `{"a":[}],${part}`);
      const [answer] = await once(socket, "data");
      expect(String(answer)).to.match(/^HTTP\/1.1 400 Bad Request[\s\S]*Connection: close/);
      expect(await spoolFiles()).to.equal(0);
    });

    it("when its client disconnects while its handler works, which then stops", async function () {
      if (process.platform !== "linux") this.skip();
      let open = () => {};
      gate.open = new Promise((resolve) => (open = resolve));
      const works = new Promise<void>((resolve) => (gate.enter = resolve));
      const text = JSON.stringify(many(4_000));
      const socket = begin(app.url, text.length, text);
      await works;
      expect(await spoolFiles()).to.equal(1);
      await eventually(async () => (await connectionsOf(app)) === 1);
      const before = app.observed.length;
      socket.destroy();
      await eventually(async () => (await connectionsOf(app)) === 0);
      open();
      await eventually(() => app.observed.length > before);
      expect(app.observed.at(-1)?.status).to.equal(400);
      expect(await spoolFiles()).to.equal(0);
    });

    it("when its handler has ended, and keeps it until then", async function () {
      if (process.platform !== "linux") this.skip();
      let open = () => {};
      gate.open = new Promise((resolve) => (open = resolve));
      const answer = post({ body: many(4_000) });
      await eventually(async () => (await spoolFiles()) === 1);
      open();
      expect((await answer).status).to.equal(200);
      await eventually(async () => (await spoolFiles()) === 0);
    });
  });
});

const connectionsOf = ({ server }: SampleApp): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

/** The spool files that this process has open. Each was deleted from its folder as soon as it was opened. */
async function openSpools(): Promise<string[]> {
  const names = await readdir("/proc/self/fd").catch(() => []);
  const files = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  return files.filter((file) => /\/recado-[-0-9a-f]{36} \(deleted\)$/.test(file));
}
