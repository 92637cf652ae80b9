import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

describe("Administration by requests", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    request(`${world.api}/admin/${path}`, {
      method,
      headers: { "x-api-key": world.appKey(1) },
      ...(body && { body }),
    });

  it("keeps a key's scopes if a change has none, and gives a new key all but admin", async () => {
    const { id } = (await ask("POST", "app-keys", { label: "Lector", scopes: ["read"] })).json;
    const changed = await ask("PUT", `app-keys/${id}`, { label: "Lector del CRM", expires_at: "2099-01-01" });
    expect([changed.status, changed.json.label, changed.json.scopes]).to.deep.equal([200, "Lector del CRM", ["read"]]);
    const wider = await ask("PUT", `app-keys/${id}`, { label: "Lector", scopes: ["read", "send"] });
    expect([wider.json.scopes, wider.json.expires_at]).to.deep.equal([["read", "send"], null]);
    const other = await ask("POST", "app-keys", { label: "Otra" });
    expect(other.json.scopes).to.deep.equal(["read", "send", "orders"]);
  });

  it("keeps a user deactivated if a change does not name that field", async () => {
    const user = { nombre: "Ana", email: "ana.fuera@example.com", role_id: 5 };
    const { id } = (await ask("POST", "users", { ...user, activo: false })).json;
    const changed = await ask("PUT", `users/${id}`, { ...user, nombre: "Ana María" });
    expect([changed.json.nombre, changed.json.activo]).to.deep.equal(["Ana María", false]);
    expect((await ask("PUT", `users/${id}`, { ...user, activo: true })).json.activo).to.equal(true);
  });

  it("finds names without accents and case, like contacts", async () => {
    for (const nombre of ["Lucía Ñáñez", "100% lana"]) await ask("POST", "drivers", { nombre, telefono: "1" });
    const found = async (q: string) =>
      (await ask("GET", `drivers?q=${encodeURIComponent(q)}`)).json.data.map(({ nombre }: Answer["json"]) => nombre);
    expect(await found("lucia")).to.deep.equal(["Lucía Ñáñez"]);
    expect(await found("LUCÍA")).to.deep.equal(["Lucía Ñáñez"]);
    expect(await found("nanez")).to.deep.equal([]);
    expect(await found("0%")).to.deep.equal(["100% lana"]);
    expect(await found("_")).to.deep.equal([]);
  });

  it("says that a number must be whole", async () => {
    for (const wrong of [1.5, "muchos"]) {
      const { status, json } = await ask("PUT", "flags", { monthly_template_limit: wrong });
      expect([status, json.error]).to.deep.equal([400, "monthly_template_limit debe ser un número entero"]);
    }
  });
});
