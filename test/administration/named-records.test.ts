import { expect } from "chai";
import { request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

describe("A record that open transactions refer to", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await startWorld({ businesses: [aBusiness(1)] });
    token = await world.sessionToken(101);
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body?: object) =>
    request(`${world.api}/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body }),
    });

  const resources: Readonly<Record<string, object>> = {
    steps: { nombre: "Paso" },
    departments: { nombre: "Caja" },
    branches: { nombre: "Centro" },
    webhooks: { url: "https://example.com/hook", events: ["message.new"] },
  };

  for (const [resource, body] of Object.entries(resources)) {
    it(`can be changed: ${resource}`, async () => {
      const made = await ask("POST", resource, body);
      expect(made.status, made.text).to.equal(201);
      const { id } = made.json;
      const changed = await world.database.transaction(async (transaction) => {
        const naming = `select from ${resource} where business_id = 1 and id = $1 for key share`;
        await transaction.rows({ name: "", text: naming }, [id]);
        return ask("PUT", `${resource}/${id}`, {
          ...body,
          ...(resource === "webhooks" ? { description: "x" } : { nombre: "Otro" }),
        });
      });
      expect(changed.status, changed.text).to.equal(200);
    });
  }

  it("can be archived while a ticket of the step is being created", async () => {
    const { id } = (await ask("POST", "steps", { nombre: "Final" })).json;
    const removed = await world.database.transaction(async (transaction) => {
      const naming = "select from steps where business_id = 1 and id = $1 for key share";
      await transaction.rows({ name: "", text: naming }, [id]);
      return ask("DELETE", `steps/${id}`);
    });
    expect(removed.status, removed.text).to.equal(204);
  });
});
