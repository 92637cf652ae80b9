import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { documentRoute } from "../../src/infra/http/openapi/document-route.ts";
import { type ApiInfo, openApiDocument } from "../../src/infra/http/openapi/openapi.ts";
import { defineRoute, type Route } from "../../src/infra/http/routing/route.ts";
import {
  codedFailure,
  idOf,
  integer,
  named,
  numericIdOf,
  objectWith,
  orNull,
  type Schema,
  text,
  unnamed,
} from "../../src/infra/http/routing/schema.ts";
import { request } from "../support/http.ts";
import { sampleRoutes, serveSample } from "./sample-app.ts";

const info = { title: "Things", version: "1.2.3" };

/** The document after serialization. */
const read = (routes: readonly Route[], about: ApiInfo = info) =>
  JSON.parse(JSON.stringify(openApiDocument(routes, about)));

describe("the OpenAPI document", () => {
  const document = read(sampleRoutes);
  const make = document.paths["/things"].post;
  const get = document.paths["/things/{id}"].get;

  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(document.openapi).to.equal("3.1.0");
    expect(document.info).to.include(info);
  });

  it("has every route once, and nothing else", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations as object).map((method) => `${method} ${path}`),
    );
    const routes = sampleRoutes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/, "{$1}")}`);
    expect(described).to.have.members(routes);
  });

  it("lists the rules of an operation with their numbers", () => {
    expect(make.description).to.equal("- **§2.1** A thing has a name.\n- **§2.2** Its number is its own.");
    expect(get).not.to.have.property("description");
    expect(make).to.include({ operationId: "makeThing", summary: "A thing" });
    expect(make.tags).to.deep.equal(["things"]);
    expect(document.tags).to.deep.equal([{ name: "things" }]);
  });

  it("describes who may call", () => {
    expect(make.security).to.deep.equal([{ appKey: ["send"] }, { session: [] }, { sessionInQuery: [] }]);
    expect(get.security).to.deep.equal([{ session: [] }, { sessionInQuery: [] }]);
    expect(document.paths["/raw"].post.security).to.deep.equal([]);
    expect(document.components.securitySchemes.appKey).to.include({ type: "apiKey", in: "header", name: "x-api-key" });
  });

  it("describes the parameters of path and query", () => {
    const [id, page, exact, word] = get.parameters;
    expect(id).to.deep.include({ in: "path", name: "id", required: true });
    expect(id.schema).to.deep.equal({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
    expect(page).to.deep.equal({
      in: "query",
      name: "page",
      required: false,
      description: "From 1",
      schema: { type: "integer", minimum: 1, default: 1 },
    });
    expect([exact.name, word.name]).to.deep.equal(["exact", "word"]);
  });

  it("describes a path parameter that its route does not describe", () => {
    const route = defineRoute({ ...bare, path: "/a/:b/c/:d" });
    const { parameters } = read([route]).paths["/a/{b}/c/{d}"].get;
    expect(parameters.map(({ name }: { name: string }) => name)).to.deep.equal(["b", "d"]);
  });

  it("describes bodies, also for DELETE and GET, and whether they are required", () => {
    const { delete: drop, get: list } = document.paths["/things"];
    expect(make.requestBody.required).to.equal(true);
    expect(drop.requestBody.content["application/json"].schema.required).to.deep.equal(["id"]);
    expect(list.requestBody.required).to.equal(false);
    expect(get).not.to.have.property("requestBody");
    expect(document.paths["/raw"].post.requestBody.content).to.deep.equal({ "*/*": { schema: {} } });
  });

  it("allows a number in digits also as a text, and has no keywords of our own", () => {
    const { owner } = make.requestBody.content["application/json"].schema.properties;
    expect(owner.anyOf[0]).to.deep.equal({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
    expect(owner.anyOf[1]).to.include({ type: "string", pattern: "^[0-9]{1,16}$" });
    expect(JSON.stringify(document)).not.to.match(/"x-(entity|error|numeric|component)"/);
  });

  it("keeps fields with the names of keywords, and values that look like schemas", () => {
    const body = {
      type: "object",
      properties: {
        "x-error": { type: "string", example: "a" },
        properties: { type: "array", items: idOf("thing") },
        enum: { enum: ["x-entity"], default: "x-entity", examples: [{ "x-entity": 1 }] },
        either: { anyOf: [numericIdOf("thing"), { type: "null" }] },
        named: { type: "object", additionalProperties: idOf("thing") },
      },
    } as const;
    const route = defineRoute({ ...bare, body });
    const { schema } = read([route]).paths["/bare"].get.requestBody.content["application/json"];
    const id = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
    expect(schema.properties["x-error"]).to.deep.equal({ type: "string", examples: ["a"] });
    expect(schema.properties.properties).to.deep.equal({ type: "array", items: id });
    expect(schema.properties.enum).to.deep.equal(body.properties.enum);
    expect(schema.properties.either.anyOf[0].anyOf[0]).to.deep.equal(id);
    expect(schema.properties.named.additionalProperties).to.deep.equal(id);
  });

  it("describes each answer, with the endpoint's own ones first", () => {
    expect(Object.keys(make.responses)).to.deep.equal(["201", "400", "401", "403", "413", "429", "503"]);
    expect(make.responses[400].description).to.equal("A field is missing or wrong");
    expect(make.responses[401]).to.deep.equal({ $ref: "#/components/responses/KeyRefused" });
    expect(Object.keys(get.responses)).to.deep.equal(["200", "401", "404", "429", "503"]);
    expect(get.responses[404].content).to.deep.equal({ "application/json": { schema: { type: "string" } } });
    expect(Object.keys(document.paths["/things"].delete.responses)).to.deep.equal(["200", "400", "413", "429"]);
    expect(document.paths["/nothing"].put.responses[204]).to.have.all.keys("description", "headers");
  });

  const bare = {
    method: "get",
    path: "/bare",
    operationId: "bare",
    tag: "bare",
    summary: "Bare",
    auth: "none",
    responses: {},
    dialect: { unexpected: () => [500, {}] as const },
    handle: () => ({}),
  } as const;

  it("describes other content types of an answer", () => {
    const answer = { description: "Bare", schema: { type: "object" }, otherTypes: ["text/csv"] } as const;
    const { paths } = read([defineRoute({ ...bare, responses: { 200: answer } })]);
    expect(paths["/bare"].get.responses[200].content).to.deep.equal({
      "application/json": { schema: { type: "object", additionalProperties: true } },
      "text/csv": { schema: { type: "string" } },
    });
  });

  const answering = (schema: Schema, changes: object = {}): Route =>
    defineRoute({ ...bare, responses: { 200: { description: "Bare", schema } }, ...changes });
  const schemaOf = ({ paths }: ReturnType<typeof read>, status = 200) =>
    paths["/bare"].get.responses[status].content["application/json"].schema;

  it("contains a named schema once for all its uses", () => {
    const place = named("Place", objectWith({ id: idOf("place"), name: { ...text, example: "Centro" } }));
    const thing = named("Thing", objectWith({ place, last: orNull(place) }));
    const made = read([answering({ type: "array", items: thing }), answering(place, { path: "/b", operationId: "b" })]);
    expect(schemaOf(made)).to.deep.equal({ type: "array", items: { $ref: "#/components/schemas/Thing" } });
    const { Place, Thing } = made.components.schemas;
    expect(Thing.properties).to.deep.equal({
      place: { $ref: "#/components/schemas/Place" },
      last: { anyOf: [{ $ref: "#/components/schemas/Place" }, { type: "null" }] },
    });
    expect(Place.properties).to.deep.equal({
      id: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      name: { type: "string", examples: ["Centro"] },
    });
  });

  it("refuses two different schemas with one name, and names that are not types", () => {
    const thing = named("Thing", objectWith({ id: integer }));
    const larger = { ...thing, additionalProperties: false } as const;
    const both = (other: Schema) => () => read([answering({ type: "array", prefixItems: [thing, other] } as Schema)]);
    expect(both(larger)).to.throw("two different schemas are named Thing");
    expect(both(unnamed(larger))).not.to.throw();
    expect(both(named("Thing", objectWith({ id: integer })))).not.to.throw();
    expect(both(named("a thing", { type: "string" }))).to.throw("a schema cannot be named a thing");
  });

  it("lists the codes of a failure from the operation's answers", () => {
    const failed = (code: string) => ({ error: "words", code });
    const dialect = {
      invalid_input: () => [400, failed("invalid_input")] as const,
      missing: ({ ids }: { ids: string[] }) => [404, failed(`missing${ids.join(", ")}`)] as const,
      gone: ({ when }: { when: Date }) => [404, { error: when.toISOString(), code: "gone" }] as const,
      unexpected: () => [500, { message: "no code" }] as const,
    };
    const answer = { description: "Failed", schema: codedFailure };
    const { components, ...made } = read([
      defineRoute({ ...bare, dialect, responses: { 400: answer, 404: answer } as Route["responses"] }),
    ]);
    const code = (status: number) => schemaOf({ components, ...made } as never, status).properties.code;
    expect(code(400)).to.deep.equal({ type: "string", enum: ["invalid_input"] });
    expect(code(404)).to.deep.equal({ type: "string", enum: ["missing", "gone"] });
    expect(components.schemas).not.to.have.property("CodedFailure");
  });

  it("describes both answers if an operation has a status that requests can also get before it", () => {
    const responses = { 409: { description: "Taken", schema: objectWith({ taken: text }) } };
    const made = read([defineRoute({ ...bare, auth: "key-or-token", scope: "send", idempotent: true, responses })]);
    const { description, content, headers } = made.paths["/bare"].get.responses[409];
    expect(description).to.match(/^Taken; or: A request with this `Idempotency-Key`/);
    expect(content["application/json"].schema.anyOf).to.have.length(2);
    expect(content["application/json"].schema.anyOf[1]).to.deep.equal({ $ref: "#/components/schemas/Problem" });
    expect(headers["Retry-After"]).to.deep.equal({ $ref: "#/components/headers/Retry-After" });
  });

  it("describes the headers of answers", () => {
    const responses = { 200: { description: "Made", headers: { "X-Made": "What was made" } } };
    const { paths, components } = read([
      defineRoute({ ...bare, auth: "key-or-token", scope: "send", idempotent: true, responses }),
    ]);
    const { headers } = paths["/bare"].get.responses[200];
    expect(headers["X-Made"]).to.deep.equal({ description: "What was made", schema: { type: "string" } });
    expect(headers).to.have.all.keys("X-Made", "RateLimit", "RateLimit-Policy", "Idempotent-Replay");
    expect(components.headers).to.include.keys("RateLimit", "RateLimit-Policy", "Idempotent-Replay", "Retry-After");
    const free = read([defineRoute({ ...bare, rateLimit: "none", responses: { 200: { description: "Bare" } } })]);
    expect(free.paths["/bare"].get.responses[200]).not.to.have.property("headers");
  });

  it("describes this service's requests to others as webhooks", async () => {
    const asks = {
      name: "priceOf",
      method: "post",
      operationId: "askPrice",
      tag: "prices",
      summary: "What a thing costs",
      description: "Asked when it is made.",
      body: objectWith({ id: integer }),
      responses: { 200: { description: "The price", schema: objectWith({ price: text }) } },
    } as const;
    const made = read([defineRoute(bare)], { ...info, webhooks: [asks], tags: { prices: "Of things." } });
    expect(made.webhooks.priceOf.post).to.include({ operationId: "askPrice", description: "Asked when it is made." });
    expect(made.tags).to.deep.equal([{ name: "bare" }, { name: "prices", description: "Of things." }]);
    const { valid, errors } = await new Validator().validate(structuredClone(made));
    expect(valid, JSON.stringify(errors)).to.equal(true);
  });

  it("refuses two routes with the same path or operation id", () => {
    const twice = (other: Partial<Route>) => () =>
      openApiDocument([defineRoute(bare), { ...defineRoute(bare), ...other }], info);
    expect(twice({ operationId: "other" })).to.throw("two routes for get /bare (other)");
    expect(twice({ path: "/other" })).to.throw("operation id of get /other (bare)");
    expect(twice({ path: "/other", operationId: "other" })).not.to.throw();
  });

  it("is served, and a client that has it gets 304", async () => {
    const app = await serveSample([documentRoute(document, "/openapi.json", "getOpenApiDocument", "The document")]);
    const url = `${app.url}/openapi.json`;
    const first = await request(url);
    expect(first).to.include({ status: 200, type: "application/json" });
    expect(first.json).to.deep.equal(document);
    expect(first.headers["cache-control"]).to.equal("no-cache");
    const etag = first.headers.etag ?? "";
    for (const known of [etag, `W/${etag}`, `"a", ${etag}`, "*"]) {
      const again = await request(url, { headers: { "if-none-match": known } });
      expect(again).to.include({ status: 304, text: "" });
      expect(again.headers.etag).to.equal(etag);
    }
    expect((await request(url, { headers: { "if-none-match": '"a"' } })).status).to.equal(200);
    expect((await request(`${url}?token=%00`)).status, "with a query that the route does not read").to.equal(200);
    await app.close();
  });
});
