import { expect } from "chai";
import { servedRoutes } from "../http/routes.ts";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { everyRequest, foreign, own } from "./every-request.ts";

/** Lists for selects, which users of every role may read. New lists are included automatically. */
const lists = servedRoutes().filter(({ tag }) => tag === "Choices");

describe("the lists for selects", () => {
  let world: World;
  let agent: string;
  const requests = everyRequest(() => world);
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    await requests.prepare();
    agent = await world.sessionToken(102);
  });
  after(() => world.stop());

  const asAgent = (path: string) => request(world.api + path, { headers: { authorization: `Bearer ${agent}` } });

  it("contain tags, departments, replies, branches, drivers, zones, products and extras", () => {
    const paths = ["articles", "branches", "departments", "drivers", "extras", "quick-replies", "tags", "zones"];
    expect(lists.map(({ path }) => path).sort()).to.deep.equal(paths.map((path) => `/${path}`));
  });

  for (const { path } of lists) {
    const resource = path.slice(1);
    it(`show an agent ${resource} of the business, as administrators see them`, async () => {
      const id = await requests.made(resource, own);
      const other = await requests.made(resource, foreign);
      const { status, json } = await asAgent(path);
      expect(status).to.equal(200);
      const shown = json.data.find((each: { id: number }) => each.id === id);
      const whole = (await requests.as(own, "get", `/admin/${resource}/${id}`)).json;
      expect(whole).to.deep.include(shown);
      expect(shown).to.not.have.any.keys("version", "agentes", "horario");
      expect(json.data.map((each: { id: number }) => each.id)).to.not.include(other);
      expect((await asAgent(`/admin/${resource}`)).status).to.equal(403);
    });
  }

  it("can be read page by page, and filtered by a part of the name", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await requests.made("tags", own));
    const first = (await asAgent("/tags?limit=2")).json;
    expect(first.data).to.have.length(2);
    const second = (await asAgent(`/tags?limit=2&cursor=${first.next}`)).json;
    const both = [...first.data, ...second.data].map(({ id }: { id: number }) => id);
    expect(both)
      .to.include.members(ids)
      .and.to.deep.equal([...new Set(both)]);
    const { nombre } = (await requests.as(own, "get", `/admin/tags/${ids[0]}`)).json;
    const found = (await asAgent(`/tags?q=${encodeURIComponent(nombre)}`)).json.data;
    expect(found.map(({ id }: { id: number }) => id)).to.include(ids[0]);
    expect((await asAgent("/tags?cursor=zzz")).status).to.equal(400);
  });
});
