import { expect } from "chai";
import { isPlatformName, violationOf } from "../../src/administration/domain/template-rules.ts";

const body = (text: string, example?: object) => ({ type: "BODY", text, ...(example && { example }) });
const plain = body("Hola, tu pedido está listo.");
const numbered = (...examples: string[]) => ({ body_text: [examples] });
const template = (...components: object[]) => ({ language: "es", category: "UTILITY", components });
const buttons = (...given: object[]) => template(plain, { type: "BUTTONS", buttons: given });
const reply = { type: "QUICK_REPLY", text: "Sí" };
const url = { type: "URL", text: "Ver", url: "https://shop.test/pedidos" };
const call = { type: "PHONE_NUMBER", text: "Llamar", phone_number: "+59170000001" };
const times = (count: number, button: object) => Array.from({ length: count }, () => button);
const replies = (count: number) => Array.from({ length: count }, (_, n) => ({ ...reply, text: `Sí ${n}` }));
const header = (more: object) => template({ type: "HEADER", ...more }, plain);

const taken: Readonly<Record<string, object>> = {
  "a text alone": template(plain),
  "a language with its country": { ...template(plain), language: "pt_BR" },
  "types in small letters": template({ type: "body", text: "Hola" }),
  "numbered placeholders with examples": template(body("Hola {{1}}, van {{2}}.", numbered("Ana", "3"))),
  "a placeholder that comes twice": template(body("Hola {{1}}, sí, {{1}}.", numbered("Ana"))),
  "named placeholders with examples": template(
    body("Hola {{nombre}}.", { body_text_named_params: [{ param_name: "nombre", example: "Ana" }] }),
  ),
  "1,024 characters": template(body("x".repeat(1_024))),
  "60 emojis in a header": header({ format: "TEXT", text: "🎂".repeat(60) }),
  "a header with a placeholder": header({ format: "TEXT", text: "Pedido {{1}}", example: { header_text: ["7"] } }),
  "a header with a picture": header({ format: "IMAGE", example: { header_handle: ["4::aW"] } }),
  "a footer": template(plain, { type: "FOOTER", text: "x".repeat(60) }),
  "ten quick replies": buttons(...replies(10)),
  "replies, then others": buttons(...replies(2), url, call),
  "a URL with a placeholder at its end": buttons({ ...url, url: "https://shop.test/{{1}}", example: ["7"] }),
  "a text of the platform's own": {
    ...template({ type: "BODY", add_security_recommendation: true }, { type: "FOOTER", code_expiration_minutes: 5 }),
    category: "AUTHENTICATION",
  },
};

const refused: readonly (readonly [what: string, structure: object, at: string, rule: string])[] = [
  ["no language", { category: "UTILITY", components: [plain] }, "language", "missing"],
  ["a language by its name", { ...template(plain), language: "español" }, "language", "unknown"],
  ["no category", { language: "es", components: [plain] }, "category", "missing"],
  ["an unknown category", { ...template(plain), category: "PROMO" }, "category", "unknown"],
  ["no components", { language: "es", category: "UTILITY" }, "components", "missing"],
  ["no body", template({ type: "FOOTER", text: "Hola" }), "components", "no-body"],
  ["placeholders side by side", template(body("a {{1}}{{2}} b", numbered("1", "2"))), "components[0].text", "adjacent"],
  ["two buttons with the same text", buttons(reply, { ...url, text: "Sí " }), "components[1].buttons[1].text", "twice"],
  ["two bodies", template(plain, plain), "components[1].type", "twice"],
  ["a strange component", template(plain, { type: "CAROUSEL" }), "components[1].type", "unknown"],
  ["what is no component", template(plain, [] as object), "components[1].type", "unknown"],
  ["an empty body", template(body("  ")), "components[0].text", "missing"],
  ["1,025 characters", template(body("x".repeat(1_025))), "components[0].text", "too-long"],
  ["a number left out", template(body("a {{1}} b {{3}} c", numbered("1", "3"))), "components[0].text", "gap"],
  ["numbers from 0", template(body("a {{0}} b", numbered("1"))), "components[0].text", "placeholder"],
  ["numbers and names", template(body("a {{1}} b {{x}} c", numbered("1"))), "components[0].text", "placeholder"],
  ["half a placeholder", template(body("a {{1} b", numbered("1"))), "components[0].text", "placeholder"],
  ["a placeholder at the beginning", template(body("{{1}} hola", numbered("1"))), "components[0].text", "at-an-end"],
  ["a placeholder at the end", template(body("hola {{1}} ", numbered("1"))), "components[0].text", "at-an-end"],
  ["no examples", template(body("a {{1}} b")), "components[0].example.body_text", "example"],
  [
    "too few examples",
    template(body("a {{1}} b {{2}} c", numbered("1"))),
    "components[0].example.body_text",
    "example",
  ],
  ["an empty example", template(body("a {{1}} b", numbered(" "))), "components[0].example.body_text", "example"],
  [
    "another name's example",
    template(body("a {{x}} b", { body_text_named_params: [{ param_name: "y", example: "1" }] })),
    "components[0].example.body_text_named_params",
    "example",
  ],
  ["a header of no kind", header({ text: "Hola" }), "components[0].format", "missing"],
  ["a header of sound", header({ format: "AUDIO" }), "components[0].format", "unknown"],
  ["a long header", header({ format: "TEXT", text: "x".repeat(61) }), "components[0].text", "too-long"],
  ["two placeholders in a header", header({ format: "TEXT", text: "{{1}} {{2}}" }), "components[0].text", "too-many"],
  [
    "a header without its example",
    header({ format: "TEXT", text: "Pedido {{1}}" }),
    "components[0].example.header_text",
    "example",
  ],
  ["a picture without example", header({ format: "IMAGE" }), "components[0].example.header_handle", "example"],
  ["a long footer", template(plain, { type: "FOOTER", text: "x".repeat(61) }), "components[1].text", "too-long"],
  [
    "a placeholder in a footer",
    template(plain, { type: "FOOTER", text: "a {{1}}" }),
    "components[1].text",
    "no-placeholders",
  ],
  ["no buttons", buttons(), "components[1].buttons", "missing"],
  ["eleven buttons", buttons(...times(11, reply)), "components[1].buttons", "too-many"],
  ["a strange button", buttons({ type: "DANCE", text: "Sí" }), "components[1].buttons[0].type", "unknown"],
  ["three URLs", buttons(...times(3, url)), "components[1].buttons[2].type", "too-many"],
  ["two telephones", buttons(call, call), "components[1].buttons[1].type", "too-many"],
  ["a long button", buttons({ ...reply, text: "x".repeat(26) }), "components[1].buttons[0].text", "too-long"],
  ["a button without text", buttons({ type: "QUICK_REPLY" }), "components[1].buttons[0].text", "missing"],
  [
    "a placeholder on a button",
    buttons({ ...reply, text: "Sí {{1}}" }),
    "components[1].buttons[0].text",
    "no-placeholders",
  ],
  ["no URL", buttons({ ...url, url: "shop" }), "components[1].buttons[0].url", "malformed"],
  ["a URL that is a placeholder", buttons({ ...url, url: "{{1}}" }), "components[1].buttons[0].url", "malformed"],
  [
    "a placeholder amid a URL",
    buttons({ ...url, url: "https://shop.test/{{1}}/x", example: ["7"] }),
    "components[1].buttons[0].url",
    "placeholder",
  ],
  [
    "a URL without its example",
    buttons({ ...url, url: "https://shop.test/{{1}}" }),
    "components[1].buttons[0].example",
    "example",
  ],
  [
    "a telephone of words",
    buttons({ ...call, phone_number: "llama" }),
    "components[1].buttons[0].phone_number",
    "malformed",
  ],
  ["replies among others", buttons(reply, url, reply), "components[1].buttons", "mixed"],
];

describe("The platform's rules for templates", () => {
  for (const [what, structure] of Object.entries(taken)) {
    it(`accept ${what}`, () => expect(violationOf(structure)).to.equal(null));
  }

  for (const [what, structure, at, rule] of refused) {
    it(`refuse ${what}`, () => expect(violationOf(structure)).to.include({ at, rule }));
  }

  it("accept names of lowercase letters, digits and underscores", () => {
    expect(["pedido_listo_2", "x".repeat(512)].every(isPlatformName)).to.equal(true);
    expect(["", "Pedido", "pedido-listo", "pedido listo", "x".repeat(513)].some(isPlatformName)).to.equal(false);
  });
});
