import { expect } from "chai";
import type { PlatformTemplate } from "../../src/messaging/domain/platform.ts";
import {
  approvalState,
  headerMedia,
  isCreatedByAi,
  languageOf,
  placeholderNames,
  renderBody,
  requiredParameters,
  type TemplateComponent,
} from "../../src/messaging/domain/template.ts";

const withBody = (component: Omit<TemplateComponent, "type">, body = "") => ({
  body,
  structure: {
    components: [
      { type: "HEADER", text: "{{9}}" },
      { type: "BODY", ...component },
    ],
  },
});

const listed = (name: string, states: Record<string, PlatformTemplate["state"]>): PlatformTemplate[] =>
  Object.entries(states).map(([language, state]) => ({ name, language, state }));

describe("the number of required parameters (§1.6)", () => {
  const cases: [what: string, template: Parameters<typeof requiredParameters>[0], count: number][] = [
    ["the highest placeholder of the BODY's text", withBody({ text: "{{2}} {{1}} {{2}}" }, "{{7}}"), 2],
    ["the highest placeholder, although lower ones are missing", withBody({ text: "solo {{3}}" }), 3],
    [
      "the number of examples of a BODY without placeholders",
      withBody({ text: "Hola", example: { body_text: [["a", "b"]] } }),
      2,
    ],
    [
      "the number of named examples of a BODY without positional placeholders",
      withBody({ text: "Hola {{name}}", example: { body_text_named_params: [{}, {}, {}] } }),
      3,
    ],
    [
      "the number of names in the text of a BODY without an example",
      withBody({ text: "{{b}} {{ a }} {{b}}" }, "{{7}}"),
      2,
    ],
    ["0 for a BODY without either, whatever the description contains", withBody({ text: "Hola" }, "{{4}}"), 0],
    ["the description's without a structure", { body: "{{1}} y {{4}}", structure: null }, 4],
    ["the description's if the structure has no BODY", { body: "{{1}}", structure: { components: [] } }, 1],
    ["the description's if the platform writes the BODY's text itself", withBody({}, "{{1}} es tu código."), 1],
    ["0 without placeholders", { body: "Hola", structure: null }, 0],
    ["the description's if the structure is invalid", { body: "{{1}}", structure: { components: 3 } as never }, 1],
  ];
  for (const [what, template, count] of cases) {
    it(`is ${what}`, () => expect(requiredParameters(template)).to.equal(count));
  }
});

describe("named placeholders", () => {
  const listed = (...names: unknown[]) => ({ body_text_named_params: names.map((param_name) => ({ param_name })) });
  const text = "Hola {{nombre}}, tu pedido {{pedido}} está listo, {{nombre}}.";

  it("have the order of the example, and are filled by name", () => {
    const template = withBody({ text, example: listed("pedido", "nombre") });
    expect(placeholderNames(template)).to.deep.equal(["pedido", "nombre"]);
    expect(renderBody(template, ["A-1", "{{pedido}}"])).to.equal(
      "Hola {{pedido}}, tu pedido A-1 está listo, {{pedido}}.",
    );
    expect(renderBody(template, ["A-1"])).to.equal("Hola {{nombre}}, tu pedido A-1 está listo, {{nombre}}.");
  });
  it("have the order of the text if no example names them all", () => {
    const examples = [
      undefined,
      listed(),
      listed("pedido", 7),
      listed("pedido", ""),
      { body_text_named_params: [null] },
    ];
    for (const example of examples) {
      const template = withBody({ text, ...(example && { example }) });
      expect(placeholderNames(template), JSON.stringify(example)).to.deep.equal(["nombre", "pedido"]);
    }
    expect(renderBody(withBody({ text }), ["Ana", "A-1"])).to.equal("Hola Ana, tu pedido A-1 está listo, Ana.");
  });
  it("are ignored beside numbered ones, and without the platform's text", () => {
    const mixed = withBody({ text: "{{1}} {{nombre}}", example: listed("nombre") });
    expect(placeholderNames(mixed)).to.deep.equal([]);
    expect(renderBody(mixed, ["a", "b"])).to.equal("a {{nombre}}");
    expect(placeholderNames({ structure: null })).to.deep.equal([]);
    expect(renderBody({ body: "{{nombre}}", structure: null }, ["a"])).to.equal("{{nombre}}");
  });
});

describe("rendering a body", () => {
  it("replaces each placeholder once, but not placeholders in a parameter", () => {
    const text = renderBody({ body: "{{1}}, {{2}} y {{1}}", structure: null }, ["{{2}}", "$&"]);
    expect(text).to.equal("{{2}}, $& y {{2}}");
  });
  it("keeps a placeholder without a parameter, so that the gap is visible", () => {
    expect(renderBody({ body: "{{1}} {{2}}", structure: null }, ["a"])).to.equal("a {{2}}");
  });
  it("prefers the platform's text to the description", () => {
    expect(renderBody(withBody({ text: "de la plataforma {{1}}" }, "otro"), ["x"])).to.equal("de la plataforma x");
  });
});

describe("the type of header media", () => {
  for (const headerType of ["IMAGE", "image", "Document", "VIDEO"]) {
    it(`is ${headerType.toLowerCase()} for ${headerType}`, () =>
      expect(headerMedia({ headerType, structure: null })).to.equal(headerType.toLowerCase()));
  }
  for (const headerType of ["TEXT", "text", "LOCATION", ""]) {
    it(`does not exist for '${headerType}'`, () => expect(headerMedia({ headerType, structure: null })).to.equal(null));
  }
  it("is read from the structure if the template has no type", () => {
    const structure = { components: [{ type: "HEADER", format: "IMAGE" }] };
    expect(headerMedia({ headerType: null, structure })).to.equal("image");
    expect(headerMedia({ headerType: "TEXT", structure })).to.equal(null);
  });
});

describe("a template created by AI", () => {
  it("is recognized by its flag", () => {
    expect(isCreatedByAi(true, { name: "a", platformName: "b" })).to.equal(true);
    expect(isCreatedByAi(false, { name: "osm_a", platformName: "osm_b" })).to.equal(false);
  });
  it("is recognized without a flag by a name with the prefix osm_", () => {
    expect(isCreatedByAi(null, { name: "osm_a", platformName: "b" })).to.equal(true);
    expect(isCreatedByAi(null, { name: "a", platformName: "osm_b" })).to.equal(true);
    expect(isCreatedByAi(null, { name: "cosm_a", platformName: "OSM_b" })).to.equal(false);
  });
});

describe("the language and approval of a template (§1.5)", () => {
  const known = listed("t", { en: "REJECTED", pt: "APPROVED", es: "PENDING" });

  it("are those of the template's own language if it has one, even an unknown one", () => {
    expect(languageOf({ language: "en" }, "es", known)).to.equal("en");
    expect(approvalState({ language: "en" }, "es", known)).to.equal("REJECTED");
    expect(approvalState({ language: "fr" }, "es", known)).to.equal("no_status");
  });
  it("are those of the business's language if the platform knows the template in it", () => {
    expect(languageOf(null, "es", known)).to.equal("es");
    expect(approvalState(null, "es", known)).to.equal("PENDING");
  });
  it("are otherwise those of the first approved language", () => {
    expect(languageOf(null, "fr", known)).to.equal("pt");
    expect(approvalState(null, "fr", known)).to.equal("APPROVED");
  });
  it("are otherwise those of the only or first language", () => {
    expect(languageOf(null, "fr", listed("t", { en: "REJECTED", pt: "PENDING" }))).to.equal("en");
  });
  it("are no_status for an unknown name", () => {
    expect(approvalState(null, "es", [])).to.equal("no_status");
    expect(languageOf(null, "es", [])).to.equal("es");
  });
});
