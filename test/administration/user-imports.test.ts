import { expect } from "chai";
import { Inbox, people } from "../inbox/inbox-support.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";

const { admin } = people;

describe("Imports of users", () => {
  let inbox: Inbox;
  before(async () => {
    inbox = await Inbox.start();
  });
  after(() => inbox.stop());

  const imported = async (rows: readonly string[]) => {
    const { text } = await request(`${inbox.world.api}/admin/users/import`, {
      method: "POST",
      rawBody: ["nombre,email,role_id", ...rows].join("\n"),
      headers: { ...(await inbox.headersOf(admin)), "content-type": "text/csv" },
    });
    return JSON.parse(text.trim().split("\n").at(-1) ?? "");
  };
  const agents = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${name} ${at},${name}-${at}@b1.test,5`);
  const listed = async (name: string): Promise<{ id: number }[]> =>
    (await inbox.done(admin, "GET", `/admin/users?limit=100&q=${name}`)).data;

  it("publish one event for each agent who was created or changed", async () => {
    const socket = await inbox.world.listen(admin);
    const toldOf = (id: number) =>
      socket.heard.filter(({ name, payload }) => name === "agent:changed" && payload.agente.id === id).length;
    const changes = agents("aviso", 3).map((row) => row.replace("aviso ", "Otro "));
    for (const [times, rows] of [agents("aviso", 3), changes].entries()) {
      await imported(rows);
      for (const { id } of await listed("aviso")) {
        await eventually(() => toldOf(id) > times);
        expect(toldOf(id)).to.equal(times + 1);
      }
    }
  });
});
