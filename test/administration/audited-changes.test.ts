import { expect } from "chai";
import type { Answer } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { everyRequest, own, resourceOf, routes, sampleOf } from "./every-request.ts";

/** Every request of administration that changes something must be audited. New routes are included automatically. */

const changing = routes.filter(({ method }) => method !== "get");

/** By operation: a body that changes the record, if the body from `every-request.ts` does not. */
const bodies: Readonly<Record<string, object>> = {
  changeBusiness: { nombre: "Otro nombre" },
  changeFlags: { timezone: "America/Lima" },
  changeAdAccess: { default_account_id: null },
};

/** By operation: the resources of its audit entries, not counting `mirrors`. By default, only the path's resource. */
const alsoIn: Readonly<Record<string, readonly string[]>> = {
  createUser: ["users", "user-invitations"],
  inviteUser: ["user-invitations"],
  resetPassword: ["user-passwords", "user-sessions", "user-invitations"],
  endUserSession: ["user-sessions"],
  endUserSessions: ["user-sessions"],
};

/** Users and departments list each other, so a change of one can also add audit entries for the other. */
const mirrors: Readonly<Record<string, string>> = { users: "departments", departments: "users" };

describe("The audit of every request of administration", () => {
  let world: World;
  const requests = everyRequest(() => world);
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    await requests.prepare();
  });
  after(() => world.stop());

  const told = async (): Promise<Answer["json"][]> =>
    (await requests.as(own, "get", "/admin/audit?limit=100")).json.data;

  /** By operation: a preparation without which the request would fail or change nothing. */
  const ready: Readonly<Record<string, (id: unknown) => Promise<unknown>>> = {
    createAdAccess: () => world.rows("delete from ad_credentials where business_id = $1", [own]),
    endUserSessions: (id) => world.sessionToken(Number(id)),
    resetPassword: (id) => world.sessionToken(Number(id)),
    syncTemplates: () => world.rows("update templates set platform_status = 'PAUSED' where business_id = $1", [own]),
  };

  it("covers all routes", () => {
    expect(changing.length).to.be.above(50);
    const known = new Set(changing.map(({ operationId }) => operationId));
    for (const name of Object.keys({ ...bodies, ...alsoIn, ...ready })) expect(known).to.include(name);
  });

  for (const route of changing) {
    it(`records ${route.operationId}`, async () => {
      const resource = resourceOf(route);
      const params = await requests.paramsFor(route, own);
      await ready[route.operationId]?.(params.id);
      const [last] = await told();
      const body =
        bodies[route.operationId] ?? (typeof route.body === "object" ? await requests.goodBody(route) : undefined);
      const answer = await requests.send(route, params, { body });
      expect(answer.status, answer.text).to.be.within(200, 299);
      const said = answer.type.includes("application/json") ? answer.json : {};

      const all = (await told()).filter(({ id }) => id > (last?.id ?? 0));
      const entries = all.filter((entry) => entry.resource !== mirrors[resource]);
      for (const { change } of all.filter((entry) => !entries.includes(entry))) expect(change).to.equal("changed");
      expect(entries, "there is no audit entry").not.to.have.length(0);
      const record = params.id ?? (route.method === "post" ? said.id : undefined);
      for (const entry of entries) {
        expect(entry.actor).to.include({ type: "key" });
        expect(entry.actor.id).to.be.a("number");
        expect(entry.ip).to.match(/127\.0\.0\.1|::1/);
        expect(Math.abs(Date.parse(entry.at) - Date.now())).to.be.below(60_000);
        expect(entry.resource).to.be.oneOf(alsoIn[route.operationId] ?? [resource]);
        if (record !== undefined) expect(entry.record_id).to.equal(record);
        const fields = Object.keys({ ...entry.before, ...entry.after });
        expect(fields.filter((field) => field !== field.toLowerCase())).to.deep.equal([]);
      }
      for (const also of alsoIn[route.operationId] ?? []) {
        expect(entries.map((entry) => entry.resource)).to.include(also);
      }
      for (const { change, before, after } of entries.filter((entry) => entry.resource === resource)) {
        expect([before === null, after === null]).to.deep.equal([change === "created", change === "removed"]);
        if (change === "changed") expect(after).not.to.deep.equal(before);
      }
      for (const entry of all) {
        const filtered = await requests.as(
          own,
          "get",
          `/admin/audit?resource=${entry.resource}&record=${entry.record_id}`,
        );
        expect(filtered.status, filtered.text).to.equal(200);
        expect(filtered.json.data.map(({ id }: Answer["json"]) => id)).to.include(entry.id);
      }
      const secrets = secretsIn(resource, { ...body, ...said });
      for (const secret of secrets) expect(JSON.stringify(entries)).not.to.include(secret);
    });
  }
});

/** The secrets of a request and its answer, which must not be in the audit. */
function secretsIn(resource: string, said: Readonly<Record<string, unknown>>): string[] {
  const { hidden = [], once = [] } = sampleOf(resource) ?? {};
  return [...hidden, ...once, "token", "secret", "key", "invitation"].flatMap((name) => {
    const value = said[name];
    const text = typeof value === "object" && value !== null && "token" in value ? value.token : value;
    return typeof text === "string" ? text : [];
  });
}
