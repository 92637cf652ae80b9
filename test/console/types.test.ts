import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { asyncApi } from "../../src/bootstrap/documents.ts";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

describe("the types of the console's client", () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  it("match the documents that the service answers", async () => {
    // The generator has a top-level await. If this file imported it statically, mocha would load the file's imports a
    // second time, and the second copy of `support/database.ts` would throw an error.
    const { eventTypesOf, typesOf } = await import("../../client/generate.ts");
    const { json } = await request(`${world.api}/openapi.json`);
    const same = async (file: string, text: string) => (await readFile(`client/src/${file}`, "utf8")) === text;
    expect(await same("api.ts", await typesOf(json)), "make client-types").to.equal(true);
    expect(await same("events.ts", await eventTypesOf(asyncApi() as never)), "make client-types").to.equal(true);
  });
});
