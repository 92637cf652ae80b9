import { expect } from "chai";
import { ifMatchOf } from "../../src/infra/http/entity-tags.ts";
import { openApiDocument } from "../../src/infra/http/openapi/openapi.ts";
import { InvalidInput } from "../../src/infra/http/routing/dialect.ts";
import { request } from "../support/http.ts";
import { sampleRoutes, serveSample } from "./sample-app.ts";

describe("the header If-Match", () => {
  const cases: [header: string | undefined, asksFor: readonly string[] | "any" | null][] = [
    [undefined, null],
    ["*", "any"],
    [" * ", "any"],
    ['"v1"', ['"v1"']],
    ['"v1","v2" ,\t"a,b"', ['"v1"', '"v2"', '"a,b"']],
    ['W/"v1"', []],
    ['W/"v1", "v2"', ['"v2"']],
    ['""', ['""']],
    ['"\xe9"', ['"\xe9"']],
  ];
  for (const [header, asksFor] of cases) {
    it(`means ${JSON.stringify(asksFor)} for ${header}`, () => {
      expect(ifMatchOf(header === undefined ? {} : { "if-match": header })).to.deep.equal(asksFor);
    });
  }

  for (const header of ["", "v1", '"v1', 'v1"', '"a" "b"', '"a",', ',"a"', '*, "a"', '"a b"', 'w/"a"', '"a"b"']) {
    it(`is refused as ${JSON.stringify(header)}`, () => {
      expect(() => ifMatchOf({ "if-match": header })).to.throw(InvalidInput, "If-Match no es válido");
    });
  }

  it("is read in linear time", () => {
    expect(() => ifMatchOf({ "if-match": `${'"v1",'.repeat(5_000)}x` })).to.throw(InvalidInput);
  });

  it("is documented only for operations that support it", () => {
    const [first, ...others] = sampleRoutes;
    if (!first) throw new Error("there are sample routes");
    const info = { title: "Things", version: "1" };
    const shown = JSON.stringify(openApiDocument([{ ...first, conditional: true }], info));
    expect(shown).to.include('"name":"If-Match"').and.include("400 'Order not found'");
    expect(JSON.stringify(openApiDocument(others, info))).not.to.include("If-Match");
  });

  it("can be sent by pages of listed origins, which can read the ETag", async () => {
    const app = await serveSample(sampleRoutes);
    try {
      const origin = { origin: "https://app.example" };
      const preflight = await request(`${app.url}/things`, {
        method: "OPTIONS",
        headers: { ...origin, "access-control-request-method": "PUT", "access-control-request-headers": "if-match" },
      });
      expect(preflight.headers["access-control-allow-headers"]).to.include("if-match");
      const { headers } = await request(`${app.url}/things`, { headers: origin });
      expect(headers["access-control-expose-headers"]).to.include("ETag");
    } finally {
      await app.close();
    }
  });
});
