import { expect } from "chai";
import { record } from "../http/matrix.ts";
import type { Answer } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { everyRequest, own, routes } from "./every-request.ts";

/** Every list of administration has at most a hundred records per page. New lists are included automatically. */

const lists = routes.filter(({ method, responses }) => {
  const answer = record(record(responses)["200"]);
  return method === "get" && "data" in record(record(answer.schema).properties);
});
const hasLimit = ({ query }: (typeof lists)[number]) => "limit" in record(record(query).properties);

describe("The pages of administration", () => {
  let world: World;
  const requests = everyRequest(() => world);
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    await requests.prepare();
  });
  after(() => world.stop());

  const get = (path: string): Promise<Answer> => requests.as(own, "get", path);

  it("have a `limit`, except for sessions, because a user has at most 20", async () => {
    expect(lists.length).to.be.above(15);
    const others = lists.filter((list) => !hasLimit(list)).map(({ operationId }) => operationId);
    expect(others).to.deep.equal(["listUserSessions"]);
    const id = await requests.made("users", own);
    await world.rows("update users set active = true where id = $1", [id]);
    for (let n = 0; n < 22; n += 1) await world.sessionToken(id);
    expect((await get(`/admin/users/${id}/sessions`)).json.data).to.have.length(20);
  });

  for (const list of lists.filter(hasLimit)) {
    it(`of ${list.operationId} treat a larger limit as 100, and refuse an invalid one`, async () => {
      const params = await requests.paramsFor(list, own);
      const path = list.path.replace(":id", String(params.id));
      for (const limit of ["101", "100000", "9".repeat(30)]) {
        const { status, text } = await get(`${path}?limit=${limit}`);
        expect(status, text).to.equal(200);
      }
      for (const limit of ["0", "-1", "1.5", "diez", ""]) {
        const { status, json } = await get(`${path}?limit=${limit}`);
        expect([status, json.code], limit).to.deep.equal([400, "invalid_input"]);
        expect(json.error).to.include("limit");
      }
    });
  }

  it("contain at most a hundred records, and the cursor of the next page", async () => {
    const webhook = await requests.made("webhooks", own);
    for (let n = 0; n < 101; n += 1) {
      await requests.made("tags", own);
      await requests.as(own, "post", `/admin/webhooks/${webhook}/test`);
    }
    for (const path of ["/admin/tags", "/admin/audit", `/admin/webhooks/${webhook}/deliveries`]) {
      const first = (await get(`${path}?limit=1000`)).json;
      expect(first.data, path).to.have.length(100);
      const second = (await get(`${path}?limit=1000&cursor=${first.next}`)).json;
      expect(second.data[0].id, path).to.be.below(first.data[99].id);
    }
  });
});
