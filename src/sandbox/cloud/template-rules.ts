import { type Fields, isObject } from "../core/input.ts";
import { GraphError, invalidParameter, missingParameter } from "../graph/graph.ts";

const categories = ["MARKETING", "UTILITY", "AUTHENTICATION"];
const longest: Readonly<Record<string, number>> = { HEADER: 60, BODY: 1_024, FOOTER: 60 };
const mediaFormats = ["IMAGE", "VIDEO", "DOCUMENT"];
const mostButtons: Readonly<Record<string, number>> = { URL: 2, PHONE_NUMBER: 1 };

const refused = (subcode: number, details: string): GraphError => new GraphError(100, details, { subcode });
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the components. Throws `GraphError` if the platform would refuse them at once, before any review. */
export function requireContent(category: unknown, components: unknown, parameterFormat: unknown): Fields[] {
  if (typeof category !== "string" || category === "") throw missingParameter("category");
  if (!categories.includes(category)) throw invalidParameter(`category must be one of {${categories.join(", ")}}`);
  if (!Array.isArray(components)) throw missingParameter("components");
  const parts = components.filter(isObject);
  const types = parts.map(({ type }) => textOf(type).toUpperCase());
  const strange = types.find((type) => !(type in longest) && type !== "BUTTONS");
  if (strange !== undefined || parts.length < components.length) {
    throw invalidParameter(`components: unexpected type ${strange}`);
  }
  if (new Set(types).size < types.length) throw refused(2388060, "components: each type may stand once");
  if (!types.includes("BODY")) throw refused(2388072, "component of type BODY is missing");
  const rules = {
    isAuthentication: category === "AUTHENTICATION",
    mayBeNamed: textOf(parameterFormat).toUpperCase() === "NAMED",
  };
  for (const [index, part] of parts.entries()) requirePart(types[index] ?? "", part, rules);
  return parts;
}

interface PartRules {
  readonly isAuthentication: boolean;
  readonly mayBeNamed: boolean;
}

function requirePart(type: string, part: Fields, { isAuthentication, mayBeNamed }: PartRules): void {
  if (type === "BUTTONS") {
    requireButtons(part);
    return;
  }
  const example = isObject(part.example) ? part.example : {};
  if (type === "HEADER" && textOf(part.format).toUpperCase() !== "TEXT") {
    if (!mediaFormats.includes(textOf(part.format).toUpperCase())) throw refused(2388047, "header has a wrong format");
    if (!Array.isArray(example.header_handle)) throw missingExample(type, "header_handle");
    return;
  }
  if (isAuthentication && part.text === undefined) return;
  const text = textOf(part.text);
  if (text.trim() === "") throw refused(2388072, `component of type ${type} is missing expected field(s) (text)`);
  if (text.length > (longest[type] ?? 0)) {
    throw refused(2388040, `component of type ${type} has more than ${longest[type]} characters`);
  }
  requirePlaceholders(type, text, example, mayBeNamed);
}

function requirePlaceholders(type: string, text: string, example: Fields, mayBeNamed: boolean): void {
  const names = [...new Set([...text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].map(([, name = ""]) => name))];
  if (/\{\{|\}\}/.test(text.replace(/\{\{\s*[^{}\s]+\s*\}\}/g, ""))) {
    throw refused(2388023, `component of type ${type} has a malformed variable`);
  }
  if (names.length === 0) return;
  if (type === "FOOTER") throw refused(2388073, "footer cannot have variables");
  if (type === "HEADER" && names.length > 1) throw refused(2388050, "header may have one variable");
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  if (numbers.length > 0 && (numbers.length < names.length || Math.max(...numbers) !== numbers.length)) {
    throw refused(2388023, "variables must be numbered in order");
  }
  if (numbers.length === 0 && !mayBeNamed) throw refused(2388023, "parameter_format must be NAMED for named variables");
  if (type === "BODY" && /^\s*\{\{|\}\}\s*$/.test(text)) {
    throw refused(2388299, "variables can't be at the start or end of the template");
  }
  const examples =
    type === "HEADER" ? example.header_text : Array.isArray(example.body_text) ? example.body_text[0] : undefined;
  const named = example[`${type.toLowerCase()}_text_named_params`];
  const given = numbers.length > 0 ? examples : named;
  if (!Array.isArray(given) || given.length !== names.length) throw missingExample(type, "example");
}

function requireButtons({ buttons }: Fields): void {
  if (!Array.isArray(buttons) || buttons.length === 0 || buttons.length > 10) {
    throw refused(2388060, "buttons: from 1 to 10");
  }
  for (const button of buttons) {
    const { type, text, url, example } = isObject(button) ? button : {};
    if (textOf(type) === "") throw missingParameter("buttons.type");
    const most = mostButtons[textOf(type)];
    if (most !== undefined && buttons.filter((other) => isObject(other) && other.type === type).length > most) {
      throw refused(2388060, `buttons: at most ${most} of type ${textOf(type)}`);
    }
    if (textOf(text).length > 25) throw refused(2388040, "buttons: text has more than 25 characters");
    if (textOf(url).includes("{{") && !/\}\}$/.test(textOf(url))) throw refused(2388023, "buttons: variable of a URL");
    if (textOf(url).includes("{{") && example === undefined) throw missingExample("BUTTONS", "example");
  }
}

const missingExample = (type: string, field: string): GraphError =>
  refused(2388043, `component of type ${type} is missing expected field(s) (${field})`);

const sentences: Readonly<Record<string, readonly [code: string, warning: string]>> = {
  es: ["*{{1}}* es tu código de verificación.", " Por tu seguridad, no lo compartas."],
  en: ["*{{1}}* is your verification code.", " For your security, do not share this code."],
};

/** In templates for one-time codes, a body without text gets the platform's text. OTP buttons become URL buttons. */
export function expandCodeTemplates(category: unknown, components: Fields[], language: string): Fields[] {
  if (category !== "AUTHENTICATION") return components;
  const [code, warning] = sentences[language.slice(0, 2)] ?? sentences.en ?? ["", ""];
  return components.map((part) => {
    if (part.type === "BODY" && part.text === undefined) {
      const text = part.add_security_recommendation === true ? code + warning : code;
      return { ...part, text, example: { body_text: [["123456"]] } };
    }
    if (part.type !== "BUTTONS" || !Array.isArray(part.buttons)) return part;
    return { ...part, buttons: part.buttons.map((button) => (isObject(button) ? openedButton(button) : button)) };
  });
}

function openedButton(button: Fields): Fields {
  if (button.type !== "OTP") return button;
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${button.otp_type}&code=otp{{1}}`;
  return { type: "URL", text: button.text ?? "Copy code", url, example: [url.replace("{{1}}", "123456")] };
}
