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

  it("create users without an invitation", async () => {
    await imported(agents("nueva", 1));
    const [{ id } = { id: 0 }] = await listed("nueva");
    const invitations = async () =>
      (await inbox.done(admin, "GET", `/admin/audit?resource=user-invitations&record=${id}`)).data;
    expect(await invitations()).to.deep.equal([]);
    const open = "select 1 from credentials where user_id = $1 and invitation_digest is not null";
    expect(await inbox.world.rows(open, [id])).to.deep.equal([]);
    const { invitation } = await inbox.done(admin, "POST", `/admin/users/${id}/invite`);
    expect(await invitations()).to.have.length(1);
    const body = { token: invitation.token, password: "una clave larga" };
    const { json } = await request(`${inbox.world.api}/auth/invitation`, { method: "POST", body });
    expect(json.usuario_id).to.equal(id);
  });

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
