import { readdir, readFile } from "node:fs/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import type { Reply, Route } from "../../src/infra/http/routing/route.ts";
import { isOfFeature, servedRoutes } from "./routes.ts";

type Operation = Readonly<{ responses: Readonly<Record<string, unknown>>; description?: string }>;

describe("the OpenAPI document of this API", () => {
  const served = servedRoutes();
  const routes = served.filter(isOfFeature);
  let document: { openapi: string; paths: Record<string, Record<string, Operation>> };
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
    it(`describes each failure that ${route.operationId} words`, () => {
      const wordings = Object.entries(route.dialect as unknown as Record<string, (error: object) => [number, unknown]>);
      const statuses = wordings.map(
        ([, word]) =>
          word({
            message: "a message",
            status: 404,
            missing: { contacts: [], step: [], user: [], tags: [] },
            holder: { id: 1, name: "Ana" },
          })[0],
      );
      expect(Object.keys(operationOf(route)?.responses ?? {})).to.include.members(statuses.map(String));
    });

    it(`describes success, and no status without words, of ${route.operationId}`, () => {
      const statuses = Object.keys(route.responses);
      expect(statuses.some((status) => /^2/.test(status))).to.equal(true);
      for (const { description } of Object.values(route.responses)) expect(description).not.to.equal("");
      expect(route.summary).to.match(/^[A-Z].*[^.]$/);
    });
  }

  it("numbers each rule once, and shows it", () => {
    const numbers = routes.flatMap(({ rules = [] }) => rules.map(([number]) => number));
    expect(numbers).to.deep.equal([...new Set(numbers)]);
    for (const route of routes) {
      for (const [number, rule] of route.rules ?? []) {
        expect(operationOf(route)?.description).to.include(`- **${number}** ${rule}`);
      }
    }
  });

  it("has every rule that comments in the code and names of tests cite", async () => {
    const known = new Set(routes.flatMap(({ rules = [] }) => rules.map(([number]) => number)));
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
