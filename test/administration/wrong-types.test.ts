import { expect } from "chai";
import { record } from "../http/matrix.ts";
import { startWorld, type World } from "../support/world.ts";
import { everyRequest, isObject, own, routes } from "./every-request.ts";

/**
 * The error about a field with a wrong type names the field and the allowed types. The error does not say that the
 * field is missing. This covers every request of administration and each wrong type.
 */

const values: Readonly<Record<string, unknown>> = {
  number: 5,
  string: "texto",
  boolean: true,
  array: [],
  object: {},
  null: null,
};

/** The JSON types that a schema allows. The list is empty if the schema does not limit them. */
function typesIn(schema: unknown): string[] {
  const { type, anyOf = [] } = record(schema) as { type?: string | string[]; anyOf?: unknown[] };
  const own = [type ?? []].flat().map((name) => (name === "integer" ? "number" : name));
  return [...own, ...anyOf.flatMap(typesIn)];
}

const fieldsOf = (body: unknown) =>
  Object.entries(record(record(body).properties)).filter(([, schema]) => typesIn(schema).length > 0);

const missing = /requerid|debe tener|falta/;

describe("A wrong type in a request of administration", () => {
  let world: World;
  const requests = everyRequest(() => world);
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
    await requests.prepare();
  });
  after(() => world.stop());

  for (const route of routes.filter(({ body }) => isObject(body))) {
    it(`is reported by ${route.operationId} for each field`, async () => {
      const params = await requests.paramsFor(route, own);
      const good = await requests.goodBody(route);
      const fields = fieldsOf(route.body);
      expect(fields).not.to.have.length(0);
      for (const [field, schema] of fields) {
        const taken = typesIn(schema);
        for (const [type, value] of Object.entries(values).filter(([name]) => !taken.includes(name))) {
          const { status, json } = await requests.send(route, params, { body: { ...good, [field]: value } });
          expect([status, json.code], `${field}: ${type}`).to.deep.equal([400, "invalid_input"]);
          expect(json.error, type)
            .to.match(new RegExp(`^${field} debe ser `))
            .and.not.match(missing);
        }
      }
    });
  }

  it("is reported for each part of a template's content", async () => {
    const text = { type: "BODY", text: "Hola" };
    const button = (more: object) => ({ type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Sí", ...more }] });
    const content = (wrong: unknown): readonly (readonly [at: string, content: object])[] => {
      const of = (...components: unknown[]) => ({ language: "es", category: "UTILITY", components });
      return [
        ["language", { ...of(text), language: wrong }],
        ["category", { ...of(text), category: wrong }],
        ["components", { ...of(text), components: wrong }],
        ["components[0]", of(wrong)],
        ["components[0].type", of({ ...text, type: wrong })],
        ["components[0].text", of({ ...text, text: wrong })],
        ["components[1].format", of(text, { type: "HEADER", format: wrong, text: "Hola" })],
        ["components[1].text", of(text, { type: "FOOTER", text: wrong })],
        ["components[1].buttons", of(text, { type: "BUTTONS", buttons: wrong })],
        ["components[1].buttons[0]", of(text, { type: "BUTTONS", buttons: [wrong] })],
        ["components[1].buttons[0].type", of(text, button({ type: wrong }))],
        ["components[1].buttons[0].text", of(text, button({ text: wrong }))],
        ["components[1].buttons[0].url", of(text, button({ type: "URL", url: wrong }))],
        ["components[1].buttons[0].phone_number", of(text, button({ type: "PHONE_NUMBER", phone_number: wrong }))],
        ["components[1].buttons[0].flow_id", of(text, button({ type: "FLOW", flow_id: wrong }))],
      ];
    };
    for (const wrong of [5, true]) {
      for (const [at, template] of content(wrong)) {
        const { status, json } = await requests.as(own, "post", "/admin/templates", {
          body: { nombre: "Hola", template },
        });
        expect([status, json.code], at).to.deep.equal([400, "invalid_input"]);
        expect(json.error.startsWith(`template.${at} debe ser un `), json.error).to.equal(true);
      }
    }
  });

  it("of a price is reported with a description of prices", async () => {
    for (const [path, body, field] of [
      ["articles", { name: "Pan" }, "price"],
      ["extras", { name: "Queso" }, "charge"],
      ["zones", { nombre: "Norte" }, "precio"],
    ] as const) {
      for (const wrong of [-1, "-1", "caro", 0.125, 1e15, true, {}]) {
        const { status, json } = await requests.as(own, "post", `/admin/${path}`, {
          body: { ...body, [field]: wrong },
        });
        expect([status, json.code], String(wrong)).to.deep.equal([400, "invalid_input"]);
        expect(json.error).to.equal(
          `${field} debe ser un texto decimal de cero o más, con dos decimales como mucho: "12.50"`,
        );
      }
      const { json } = await requests.as(own, "post", `/admin/${path}`, { body });
      expect(json.error).to.equal(`${field} es requerido`);
    }
  });
});
