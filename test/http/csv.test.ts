import { expect } from "chai";
import { csvReply, jsonReply, wantsCsv } from "../../src/infra/http/csv.ts";
import { defineRoute, type Route } from "../../src/infra/http/routing/route.ts";
import { request } from "../support/http.ts";
import { serveSample } from "./sample-app.ts";

describe("an endpoint with JSON and CSV", () => {
  for (const [accept, isCsv] of [
    ["text/csv", true],
    ["Text/CSV; charset=utf-8", true],
    ["text/csv, */*;q=0.1", true],
    ["application/json;q=0.5, text/csv", true],
    ["text/csv, application/json", true],
    ["text/csv;q=0", false],
    ["text/csv;q=0, */*", false],
    ["application/json, text/csv;q=0.5", false],
    ["text/csv;q=0.2, application/*;q=0.3", false],
    ["*/*", false],
    ["application/json", false],
    ["", false],
    [undefined, false],
  ] as const) {
    it(`answers ${accept} with ${isCsv ? "CSV" : "JSON"}`, () => {
      expect(wantsCsv(accept === undefined ? {} : { accept })).to.equal(isCsv);
    });
  }

  it("names Accept in Vary, beside other headers", async () => {
    const route: Route = defineRoute({
      method: "get",
      path: "/list",
      operationId: "list",
      tag: "t",
      summary: "A list",
      auth: "none",
      responses: {},
      dialect: { unexpected: () => [500, {}] as const },
      handle: ({ headers }) => (wantsCsv(headers) ? csvReply(["a\r\n"], "list.csv") : jsonReply({ a: 1 })),
    });
    const app = await serveSample([route]);
    try {
      for (const accept of ["text/csv", "application/json"]) {
        const { headers } = await request(`${app.url}/list`, { headers: { accept, origin: "https://a.test" } });
        expect(headers.vary).to.equal("Origin, Accept");
      }
    } finally {
      await app.close();
    }
  });
});
