import { expect } from "chai";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

describe("Addresses that a business gives", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body: object) =>
    request(`${world.api}/admin/${path}`, { method, headers: { "x-api-key": world.appKey(1) }, body });

  for (const [method, path, body, field] of [
    ["POST", "webhooks", { events: ["message.new"] }, "url"],
    ["POST", "quick-replies", { nombre: "saludo", texto: "Hola" }, "media_url"],
    ["POST", "steps", { nombre: "Foto" }, "media_url"],
    ["POST", "templates", { nombre: "Foto" }, "archivo_nombre"],
    ["PUT", "business", { nombre: "Pastelería" }, "img_wa"],
    ["PUT", "flags", {}, "payments-url"],
  ] as const) {
    it(`are accepted with a scheme in capitals and stored in lower case: ${path}`, async () => {
      const { status, json, text } = await ask(method, path, { ...body, [field]: "HTTPS://Shop.example.com/A.png" });
      expect(status, text).to.be.oneOf([200, 201]);
      expect(json[field]).to.equal("https://Shop.example.com/A.png");
    });
  }

  it("are refused in capitals if they are not https or not public", async () => {
    for (const url of [
      "FTP://shop.example.com/",
      "HTTPS:/shop.example.com",
      "HTTP://shop.example.com/",
      "HTTPS://127.0.0.1/",
    ]) {
      const { status, json } = await ask("POST", "webhooks", { events: ["message.new"], url });
      expect([status, json.code], url).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include("url");
    }
    const picture = await ask("PUT", "business", { nombre: "Pastelería", img_wa: "JAVASCRIPT://x" });
    expect([picture.status, picture.json.error]).to.deep.equal([400, "img_wa no es válido"]);
  });
});
