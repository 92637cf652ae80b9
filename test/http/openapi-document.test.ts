import { readdir, readFile } from "node:fs/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { type Reply, type Route, saysCodes } from "../../src/infra/http/routing/route.ts";
import { request } from "../support/http.ts";
import { isOfFeature, servedRoutes } from "./routes.ts";
import { serveSample } from "./sample-app.ts";

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}
type Operation = Readonly<{ responses: Readonly<Record<string, Response>>; description?: string }>;

describe("the OpenAPI document of this API", () => {
  const served = servedRoutes();
  const routes = served.filter(isOfFeature);
  let document: {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: Readonly<Record<"schemas" | "responses", Readonly<Record<string, Response>>>>;
  };
  before(async () => {
    const route = served.find(({ operationId }) => operationId === "getOpenApiDocument");
    const reply = await route?.handle({ headers: {} } as never);
    document = JSON.parse(String((reply as Reply).body));
  });

  const operationOf = ({ method, path }: Route): Operation | undefined =>
    document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method];

  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(document.openapi).to.equal("3.1.0");
  });

  it("says that a platform without captions gets a text with a link to the file", () => {
    const operation = document.paths["/chats/{id}/messages"]?.post as Operation | undefined;
    expect(operation?.description).to.match(
      /page and photo channels, which have no captions.* one text with a link to the file/s,
    );
  });

  it("has every route of every feature, and nothing else", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(routes).not.to.be.empty;
    expect(described).to.have.members(
      routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`),
    );
  });

  for (const route of routes) {
    it(`describes each failure of ${route.operationId}`, () => {
      const wordings = Object.entries(route.dialect as unknown as Record<string, (error: object) => [number, unknown]>);
      const statuses = wordings.map(
        ([, word]) =>
          word({
            message: "a message",
            status: 404,
            missing: { contacts: [], step: [], user: [], tags: [] },
            holder: { id: 1, name: "Ana" },
            limit: { length: 2_000, unit: "characters" },
            uses: [{ what: "chats", count: 1 }],
          })[0],
      );
      expect(Object.keys(operationOf(route)?.responses ?? {})).to.include.members(statuses.map(String));
    });

    it(`describes success and every status of ${route.operationId}`, () => {
      const statuses = Object.keys(route.responses);
      expect(statuses.some((status) => /^2/.test(status))).to.equal(true);
      for (const { description } of Object.values(route.responses)) expect(description).not.to.equal("");
      expect(route.summary).to.match(/^[A-Z].*[^.]$/);
    });
  }

  it("has names for its schemas", () => {
    expect(document.components.schemas).to.include.keys([
      "Chat",
      "Mensaje",
      "Contacto",
      "Ticket",
      "Agent",
      "Order",
      "Campaign",
      "Template",
      "Problem",
      "Failure",
    ]);
  });

  it("has one refusal of callers where a session token is accepted or a route has codes", () => {
    for (const route of routes.filter((each) => saysCodes(each) && !(401 in each.responses))) {
      expect(operationOf(route)?.responses[401]).to.deep.equal({ $ref: "#/components/responses/Unauthorized" });
    }
    expect(document.components.responses.Unauthorized?.content?.["application/json"]?.schema).to.deep.equal({
      $ref: "#/components/schemas/Unauthorized",
    });
    expect(JSON.stringify(document.components.schemas.Unauthorized)).to.include('"const":"unauthorized"');
  });

  it("has the codes of refusals where a session token is accepted", () => {
    const codes: Readonly<Record<number, string>> = {
      400: "invalid_json",
      408: "body_too_slow",
      409: "request_under_way",
      413: "body_too_large",
      415: "unsupported_media_type",
      422: "idempotency_key_reused",
      429: "too_many_requests",
      503: "unavailable",
    };
    const schemaAt = (route: Route, status: number) => {
      const response = operationOf(route)?.responses[status];
      const shared = document.components.responses[response?.$ref?.split("/").at(-1) ?? ""];
      return JSON.stringify((shared ?? response)?.content?.["application/json"]?.schema);
    };
    for (const route of routes.filter(saysCodes)) {
      const isJson = typeof route.body === "object";
      const statuses = [
        429,
        503,
        ...(isJson ? [400, 408, 415] : []),
        ...(route.body === undefined ? [] : [413]),
        ...(route.idempotent ? [409, 422] : []),
      ];
      for (const status of statuses) {
        expect(schemaAt(route, status), `${route.operationId} ${status}`).to.include(`"${codes[status]}"`);
      }
    }
  });

  it("distinguishes failures with further fields by their codes", () => {
    const codesOf = (path: string) => {
      const schema = document.paths[path]?.post?.responses[409]?.content?.["application/json"]?.schema;
      const { anyOf = [schema] } = schema as { readonly anyOf?: readonly unknown[] };
      return (anyOf as { properties: { code: { const?: string; enum?: string[] } } }[]).map(({ properties }) =>
        [properties.code.const ?? properties.code.enum].flat(),
      );
    };
    expect(codesOf("/chats/{id}/take")).to.deep.equal([["chat_taken"], ["contact_erased"]]);
    const [taken, others, ...more] = codesOf("/chats/{id}/messages");
    expect(taken).to.deep.equal(["chat_taken"]);
    expect(others).to.include.members(["window_closed", "request_under_way"]).and.not.include("chat_taken");
    expect(more).to.deep.equal([]);
  });

  it("lists the possible codes of every failure with a code", () => {
    expect(JSON.stringify(document)).not.to.include("CodedFailure");
    const { content } = document.paths["/chats/{id}"]?.get?.responses[404] ?? {};
    expect(JSON.stringify(content)).to.include('"enum":["chat_not_found"');
  });

  it("describes only headers that pages of other origins can read, except for cookies", async () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const responses = operations.flatMap(({ responses }) => Object.values(responses));
    const described = responses.flatMap(({ $ref, headers = {} }) =>
      Object.keys($ref ? (document.components.responses[$ref.split("/").at(-1) ?? ""]?.headers ?? {}) : headers),
    );
    expect(described).to.include.members([
      "X-Campaign-Id",
      "X-Message-Id",
      "ETag",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
    ]);
    const app = await serveSample(served, { idempotency: {} as never });
    try {
      const { headers } = await request(`${app.url}/docs`, { headers: { origin: "https://app.example" } });
      const exposed = headers["access-control-expose-headers"]?.split(",") ?? [];
      expect(described.filter((name) => name !== "Set-Cookie" && !exposed.includes(name))).to.deep.equal([]);
      expect(exposed).not.to.include("Set-Cookie");
    } finally {
      await app.close();
    }
  });

  it("numbers each rule once, and shows its number", () => {
    const numbers = routes.flatMap(({ rules = {} }) => Object.keys(rules));
    expect(numbers).to.deep.equal([...new Set(numbers)]);
    for (const route of routes) {
      for (const [number, rule] of Object.entries(route.rules ?? {})) {
        expect(operationOf(route)?.description).to.include(`- **${number}** ${rule}`);
      }
    }
  });

  it("has every rule that comments and titles of tests cite", async () => {
    const known = new Set(routes.flatMap(({ rules = {} }) => Object.keys(rules)));
    const isKnown = (cited: string) => known.has(cited) || [...known].some((number) => number.startsWith(`${cited}.`));
    const folders = ["src", "test/messaging", "test/inbox", "test/orders", "test/reports", "test/ads", "test/tenancy"];
    let citations = 0;
    for (const folder of folders) {
      const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
      for (const file of files) {
        const text = await readFile(`${folder}/${file}`, "utf8");
        const cited = text.match(/§\d+(?:\.\d+)*|\b(?:Auth|Board|Webhook)\.\d+/g) ?? [];
        citations += cited.length;
        expect(
          cited.filter((number) => !isKnown(number)),
          `${folder}/${file} cites rules that no operation has`,
        ).to.deep.equal([]);
      }
    }
    expect(citations).to.be.above(50);
  });
});
