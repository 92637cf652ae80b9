import { type CodeForm, codeBody, codeBroken, codeComponents, codeIn, emptyCode } from "./template-code.ts";
import type { ConnectionsTexts } from "./texts.ts";

export const categories = ["UTILITY", "MARKETING", "AUTHENTICATION"] as const;
export const buttonKinds = ["QUICK_REPLY", "URL", "PHONE_NUMBER"] as const;
export const mostButtons = 10;
export const mediaKinds = ["IMAGE", "VIDEO", "DOCUMENT"] as const;
export type MediaKind = (typeof mediaKinds)[number];
export const headerKinds = ["NONE", "TEXT", ...mediaKinds] as const;

export interface ButtonForm {
  readonly kind: (typeof buttonKinds)[number];
  readonly text: string;
  /** The URL or the phone number. */
  readonly value: string;
  readonly example: string;
}

export interface TemplateForm {
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly headerKind: (typeof headerKinds)[number];
  /** The header's text. */
  readonly header: string;
  /** The header's example file: a URL or the platform's handle. */
  readonly media: string;
  readonly body: string;
  readonly footer: string;
  readonly buttons: readonly ButtonForm[];
  /** The examples by part and placeholder, such as `body.1`. */
  readonly examples: Readonly<Record<string, string>>;
  /** The options of a template for one-time codes, used instead of the other parts. */
  readonly code: CodeForm;
}

export const isOfCode = ({ category }: Pick<TemplateForm, "category">): boolean => category === "AUTHENTICATION";
export const isMedia = (kind: string): kind is MediaKind => mediaKinds.some((each) => each === kind);

/** The text of the body, which is stored as `descripcion`. */
export const wordsOf = (form: TemplateForm): string => (isOfCode(form) ? codeBody(form) : form.body);

export const emptyForm: TemplateForm = {
  name: "",
  language: "es",
  category: "UTILITY",
  headerKind: "NONE",
  header: "",
  media: "",
  body: "",
  footer: "",
  buttons: [],
  examples: {},
  code: emptyCode,
};

/** The distinct placeholders of a text, in order of appearance. */
export const placeholdersIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].map(([, name = ""]) => name)),
];

export const filled = (text: string, part: string, examples: TemplateForm["examples"]): string =>
  text.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (written, name: string) => examples[`${part}.${name}`] || written);

interface Part {
  readonly type: string;
  readonly format?: string;
  readonly text?: string;
  readonly example?: Readonly<Record<string, unknown>>;
  readonly buttons?: readonly Readonly<Record<string, unknown>>[];
}

const isNumbered = (names: readonly string[]): boolean => names.every((name) => /^\d+$/.test(name));

function exampleOf(part: "header" | "body", text: string, examples: TemplateForm["examples"]): Pick<Part, "example"> {
  const names = placeholdersIn(text);
  if (names.length === 0) return {};
  const key = `${part}_text`;
  const given = (name: string): string => examples[`${part}.${name}`] ?? "";
  if (!isNumbered(names)) {
    const params = names.map((name) => ({ param_name: name, example: given(name) }));
    return { example: { [`${key}_named_params`]: params } };
  }
  const values = [...names].sort((one, other) => Number(one) - Number(other)).map(given);
  return { example: { [key]: part === "body" ? [values] : values } };
}

function buttonOf({ kind, text, value, example }: ButtonForm): Readonly<Record<string, unknown>> {
  if (kind === "QUICK_REPLY") return { type: kind, text };
  if (kind === "PHONE_NUMBER") return { type: kind, text, phone_number: value };
  return { type: kind, text, url: value, ...(value.includes("{{") && { example: [example] }) };
}

/** The template in the platform's format. */
export function structureOf(form: TemplateForm) {
  const { language, category, headerKind, header, media, body, footer, buttons, examples } = form;
  if (isOfCode(form)) return { language, category, components: codeComponents(form.code) };
  const components: Part[] = [];
  if (isMedia(headerKind)) components.push({ type: "HEADER", format: headerKind, example: { header_handle: [media] } });
  else if (header)
    components.push({ type: "HEADER", format: "TEXT", text: header, ...exampleOf("header", header, examples) });
  components.push({ type: "BODY", text: body, ...exampleOf("body", body, examples) });
  if (footer) components.push({ type: "FOOTER", text: footer });
  if (buttons.length > 0) components.push({ type: "BUTTONS", buttons: buttons.map(buttonOf) });
  return { language, category, components };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function examplesIn(part: Part | undefined, key: "header" | "body"): Record<string, string> {
  const example = part?.example ?? {};
  const given = list(example[`${key}_text`]);
  const values = key === "body" ? list(given[0]) : given;
  const numbered = values.map((value, index) => [`${key}.${index + 1}`, text(value)]);
  const named = list(example[`${key}_text_named_params`]).map((each) => {
    const { param_name, example: value } = each as Record<string, unknown>;
    return [`${key}.${text(param_name)}`, text(value)];
  });
  return Object.fromEntries([...numbered, ...named]);
}

interface Structure {
  readonly language?: string;
  readonly category?: string;
  readonly components?: readonly Part[];
}

/** The form of a stored template. `isWhole` is false if the editor does not support all of its parts. */
export function formOf(name: string, stored: unknown, words: string): { form: TemplateForm; isWhole: boolean } {
  const { language = "es", category = "UTILITY", components = [] } = (stored ?? {}) as Structure;
  const part = (type: string) => components.find((each) => String(each.type).toUpperCase() === type);
  const [header, body, buttons] = [part("HEADER"), part("BODY"), part("BUTTONS")?.buttons ?? []];
  const format = header === undefined ? "NONE" : String(header.format).toUpperCase();
  const headerKind = headerKinds.find((kind) => kind === format);
  const areKnown = buttons.every(({ type }) => buttonKinds.some((kind) => kind === type));
  const code = codeIn(body, part("FOOTER"), part("BUTTONS"));
  const form = {
    name,
    language,
    category,
    headerKind: headerKind ?? "NONE",
    header: headerKind === "TEXT" ? text(header?.text) : "",
    media: text(list(header?.example?.header_handle)[0]),
    body: text(body?.text) || words,
    footer: text(part("FOOTER")?.text),
    buttons: buttons.map((each) => ({
      kind: buttonKinds.find((kind) => kind === each.type) ?? "QUICK_REPLY",
      text: text(each.text),
      value: text(each.url) || text(each.phone_number),
      example: text(list(each.example)[0]),
    })),
    examples: { ...examplesIn(header, "header"), ...examplesIn(body, "body") },
    code: code ?? emptyCode,
  };
  return { form, isWhole: isOfCode(form) ? code !== null : headerKind !== undefined && areKnown };
}

type Check = keyof ConnectionsTexts["templates"]["checks"];

interface Broken {
  readonly check: Check;
  readonly most?: number;
}

/** The platform's rules that the form breaks, by field. */
type Violations = Readonly<Record<string, Broken>>;

const longest = { header: 60, body: 1_024, footer: 60, button: 25 } as const;

/** The platform counts most emoji as one character; `words.length` would count two. */
const length = (words: string): number => [...words].length;

function wordsBroken(words: string, most: number): Broken | null {
  if (words.trim() === "") return { check: "missing" };
  return length(words) > most ? { check: "tooLong", most } : null;
}

function placeholdersBroken(words: string): Broken | null {
  const rest = words.replace(/\{\{\s*([1-9]\d{0,2}|[a-z][a-z0-9_]*)\s*\}\}/g, "");
  if (/\{\{|\}\}/.test(rest)) return { check: "malformed" };
  const names = placeholdersIn(words);
  if (names.length > 0 && !isNumbered(names)) {
    return names.some((name) => /^\d+$/.test(name)) ? { check: "malformed" } : null;
  }
  return names.some((name) => Number(name) > names.length) ? { check: "gap" } : null;
}

function bodyBroken(body: string): Broken | null {
  const broken = wordsBroken(body, longest.body) ?? placeholdersBroken(body);
  if (broken) return broken;
  return /^\s*\{\{|\}\}\s*$/.test(body) ? { check: "ends" } : null;
}

function headerBroken(header: string): Broken | null {
  if (header === "") return null;
  const broken = wordsBroken(header, longest.header) ?? placeholdersBroken(header);
  return broken ?? (placeholdersIn(header).length > 1 ? { check: "one" } : null);
}

function footerBroken(footer: string): Broken | null {
  if (footer === "") return null;
  return wordsBroken(footer, longest.footer) ?? (footer.includes("{{") ? { check: "none" } : null);
}

function* buttonsBroken(buttons: TemplateForm["buttons"]): Generator<readonly [string, Broken]> {
  for (const [index, { kind, text: words, value, example }] of buttons.entries()) {
    const own = wordsBroken(words, longest.button) ?? (words.includes("{{") ? ({ check: "none" } as const) : null);
    if (own) yield [`button.${index}.text`, own];
    if (kind === "PHONE_NUMBER" && !/^\+?\d{5,20}$/.test(value)) yield [`button.${index}.value`, { check: "phone" }];
    if (kind !== "URL") continue;
    const isUrl = /^https?:\/\/[^\s{}/]+\.[^\s{}/]+[^\s{}]*(\{\{1\}\})?$/i.test(value);
    if (!isUrl) yield [`button.${index}.value`, { check: "url" }];
    if (value.includes("{{") && example.trim() === "") yield [`button.${index}.example`, { check: "example" }];
  }
  const count = (kind: string): number => buttons.filter((each) => each.kind === kind).length;
  if (count("URL") > 2) yield ["buttons", { check: "urls" }];
  if (count("PHONE_NUMBER") > 1) yield ["buttons", { check: "phones" }];
  const replies = buttons.map(({ kind }) => kind === "QUICK_REPLY");
  if (replies.filter((is, index) => is !== replies[index - 1]).length > 2) yield ["buttons", { check: "mixed" }];
}

export function violationsOf(form: TemplateForm): Violations {
  const { name, headerKind, header, media, body, footer, buttons, examples } = form;
  const found: [string, Broken][] = [];
  const add = (field: string, broken: Broken | null): void => void (broken && found.push([field, broken]));
  add("name", wordsBroken(name, 200));
  if (isOfCode(form)) return Object.fromEntries([...found, ...codeBroken(form.code)]);
  if (headerKind === "TEXT") add("header", headerBroken(header) ?? wordsBroken(header, longest.header));
  if (isMedia(headerKind) && media === "") add("media", { check: "media" });
  add("body", bodyBroken(body));
  add("footer", footerBroken(footer));
  for (const [part, words] of [
    ["header", header],
    ["body", body],
  ] as const) {
    for (const placeholder of placeholdersIn(words)) {
      const key = `${part}.${placeholder}`;
      if (!examples[key]?.trim()) found.push([key, { check: "example" }]);
    }
  }
  return Object.fromEntries([...found, ...buttonsBroken(buttons)]);
}
