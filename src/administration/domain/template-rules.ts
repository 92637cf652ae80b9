/** The messaging platform's rules for templates. They are checked here so that a refusal can name the field. */

const templateCategories = ["MARKETING", "UTILITY", "AUTHENTICATION"] as const;
const mediaFormats = ["IMAGE", "VIDEO", "DOCUMENT"] as const;
const buttonKinds = ["QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE", "FLOW", "OTP", "CATALOG"] as const;

/** The greatest lengths in characters. */
export const longest = { name: 512, header: 60, body: 1_024, footer: 60, button: 25, url: 2_000, phone: 20 } as const;
const mostButtons = 10;
const mostOfKind: Readonly<Partial<Record<string, number>>> = {
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  FLOW: 1,
  OTP: 1,
  CATALOG: 1,
};
const parts = ["HEADER", "BODY", "FOOTER", "BUTTONS"];

type TemplateRule =
  | "missing"
  | "no-body"
  | "not-text"
  | "not-list"
  | "not-object"
  | "unknown"
  | "malformed"
  | "too-long"
  | "too-many"
  | "twice"
  /** The next three: a placeholder is wrong, a number is left out, a placeholder is at the start or end of the text. */
  | "placeholder"
  | "gap"
  | "at-an-end"
  /** Two placeholders have nothing between them. */
  | "adjacent"
  /** The text may have no placeholders. */
  | "no-placeholders"
  /** A placeholder, the header's media or a `COPY_CODE` button has no example. */
  | "example"
  /** The quick replies and the other buttons do not form two groups. */
  | "mixed";

/** A broken rule and the path of the field that breaks it, for instance `components[1].text`. */
export interface Violation {
  readonly at: string;
  readonly rule: TemplateRule;
  readonly most?: number;
}

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const upper = (value: unknown): string => text(value).toUpperCase();
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): boolean => text(value).trim() !== "";

/**
 * Finds the first rule that a template breaks.
 *
 * @param structure - `{ language, category, components }` in the platform's format
 */
export function violationOf(structure: object): Violation | null {
  return violations(structure as Json).next().value ?? null;
}

/** Whether the platform accepts this as the name of a template. */
export const isPlatformName = (name: string): boolean => /^[a-z0-9_]{1,512}$/.test(name);

/** A language as the platform names it: `es`, `pt_BR`. */
export const isLanguage = (written: string): boolean => /^[a-z]{2,3}(_[A-Z]{2})?$/.test(written);

function* violations({ language, category, components }: Json): Generator<Violation> {
  yield* textAt(language, "language");
  if (!isLanguage(text(language))) yield { at: "language", rule: "unknown" };
  yield* textAt(category, "category");
  if (!isAmong(templateCategories, category)) yield { at: "category", rule: "unknown" };
  yield* listAt(components, "components");
  const seen = new Set<string>();
  for (const [index, part] of list(components).entries()) {
    const at = `components[${index}]`;
    if (typeof part !== "object") yield { at, rule: "not-object" };
    const component = object(part);
    if (component.type !== undefined) yield* textAt(component.type, `${at}.type`);
    const type = upper(component.type);
    if (!parts.includes(type)) yield { at: `${at}.type`, rule: "unknown" };
    if (seen.has(type)) yield { at: `${at}.type`, rule: "twice" };
    seen.add(type);
    yield* violationsOfPart(type, component, at, category === "AUTHENTICATION");
  }
  if (!seen.has("BODY")) yield { at: "components", rule: "no-body" };
}

function violationsOfPart(type: string, component: Json, at: string, isAuthentication: boolean): Iterable<Violation> {
  if (type === "HEADER") return header(component, at);
  if (type === "FOOTER") return footer(component, at, isAuthentication);
  if (type === "BUTTONS") return buttons(component, at);
  // The platform itself writes the body of an authentication template.
  return isAuthentication && component.text === undefined ? [] : body(component, at);
}

function* header({ format, text: words, example }: Json, at: string): Generator<Violation> {
  const media = isAmong(mediaFormats, upper(format));
  if (media) {
    const [handle] = list(object(example).header_handle);
    if (!isText(handle)) yield { at: `${at}.example.header_handle`, rule: "example" };
    return;
  }
  yield* textAt(format, `${at}.format`);
  if (upper(format) !== "TEXT") yield { at: `${at}.format`, rule: "unknown" };
  yield* wordsOf(words, `${at}.text`, longest.header);
  const placeholders = placeholdersIn(text(words));
  if (placeholders === null) yield { at: `${at}.text`, rule: "placeholder" };
  const names = [...new Set(placeholders)];
  if (names.length > 1) yield { at: `${at}.text`, rule: "too-many", most: 1 };
  const [name] = names;
  if (name === undefined) return;
  if (/^\d+$/.test(name) && name !== "1") yield { at: `${at}.text`, rule: "gap" };
  yield* examples(names, at, "header_text", example, object(example).header_text);
}

function* body({ text: words, example }: Json, at: string): Generator<Violation> {
  const where = `${at}.text`;
  yield* wordsOf(words, where, longest.body);
  const placeholders = placeholdersIn(text(words));
  if (placeholders === null) {
    yield { at: where, rule: "placeholder" };
    return;
  }
  const names = [...new Set(placeholders)];
  if (names.length === 0) return;
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  if (numbers.length > 0 && numbers.length < names.length) yield { at: where, rule: "placeholder" };
  if (numbers.length > 0 && Math.max(...numbers) !== numbers.length) yield { at: where, rule: "gap" };
  if (/^\s*\{\{|\}\}\s*$/.test(text(words))) yield { at: where, rule: "at-an-end" };
  if (text(words).includes("}}{{")) yield { at: where, rule: "adjacent" };
  yield* examples(names, at, "body_text", example, list(object(example).body_text)[0]);
}

function* footer({ text: words }: Json, at: string, isAuthentication: boolean): Generator<Violation> {
  if (isAuthentication && words === undefined) return;
  yield* wordsOf(words, `${at}.text`, longest.footer);
  if (text(words).includes("{{")) yield { at: `${at}.text`, rule: "no-placeholders" };
}

function* buttons({ buttons: listed }: Json, at: string): Generator<Violation> {
  const where = `${at}.buttons`;
  yield* listAt(listed, where);
  if (list(listed).length === 0) yield { at: where, rule: "missing" };
  if (list(listed).length > mostButtons) yield { at: where, rule: "too-many", most: mostButtons };
  const kinds = list(listed).map((each) => upper(object(each).type));
  for (const [index, each] of list(listed).entries()) {
    const button = object(each);
    const kind = upper(button.type);
    const own = `${where}[${index}]`;
    if (typeof each !== "object") yield { at: own, rule: "not-object" };
    if (button.type !== undefined) yield* textAt(button.type, `${own}.type`);
    if (!isAmong(buttonKinds, kind)) yield { at: `${own}.type`, rule: "unknown" };
    const most = mostOfKind[kind];
    if (most !== undefined && kinds.slice(0, index + 1).filter((other) => other === kind).length > most) {
      yield { at: `${own}.type`, rule: "too-many", most };
    }
    yield* buttonOf(kind, button, own);
  }
  const replies = kinds.map((kind) => kind === "QUICK_REPLY");
  if (replies.filter((is, index) => is !== replies[index - 1]).length > 2) yield { at: where, rule: "mixed" };
  const labels = list(listed).map((each) => text(object(each).text).trim());
  const again = labels.findIndex((label, index) => label !== "" && labels.indexOf(label) < index);
  if (again >= 0) yield { at: `${where}[${again}].text`, rule: "twice" };
}

function* buttonOf(kind: string, button: Json, at: string): Generator<Violation> {
  const { text: words, url, phone_number: phone, example } = button;
  // The platform itself labels `COPY_CODE` and `OTP` buttons.
  if (kind !== "COPY_CODE" && kind !== "OTP") {
    yield* wordsOf(words, `${at}.text`, longest.button);
    if (text(words).includes("{{")) yield { at: `${at}.text`, rule: "no-placeholders" };
  }
  if (kind === "URL") yield* urlOf(url, example, at);
  if (kind === "PHONE_NUMBER") {
    yield* wordsOf(phone, `${at}.phone_number`, longest.phone);
    if (!/^\+?\d+$/.test(text(phone))) yield { at: `${at}.phone_number`, rule: "malformed" };
  }
  if (kind === "COPY_CODE" && !isText(list(example)[0] ?? example)) yield { at: `${at}.example`, rule: "example" };
  if (kind === "FLOW") yield* textAt(button.flow_id, `${at}.flow_id`);
}

function* urlOf(url: unknown, example: unknown, at: string): Generator<Violation> {
  yield* wordsOf(url, `${at}.url`, longest.url);
  if (!/^https?:\/\/[^\s{}/]+\.[^\s{}/]+/i.test(text(url))) yield { at: `${at}.url`, rule: "malformed" };
  const placeholders = placeholdersIn(text(url));
  if (placeholders?.length === 0) return;
  if (placeholders?.length !== 1 || !text(url).endsWith("}}")) yield { at: `${at}.url`, rule: "placeholder" };
  if (!isText(list(example)[0] ?? example)) yield { at: `${at}.example`, rule: "example" };
}

/** Requires a text that is not blank. */
function* textAt(value: unknown, at: string): Generator<Violation> {
  if (value !== undefined && typeof value !== "string") yield { at, rule: "not-text" };
  if (!isText(value)) yield { at, rule: "missing" };
}

function* listAt(value: unknown, at: string): Generator<Violation> {
  if (!Array.isArray(value)) yield { at, rule: value === undefined ? "missing" : "not-list" };
}

function* wordsOf(value: unknown, at: string, most: number): Generator<Violation> {
  yield* textAt(value, at);
  // The platform counts an emoji as one character; `length` would count two.
  if ([...text(value)].length > most) yield { at, rule: "too-long", most };
}

/** Each placeholder needs an example: in the list `numbered` if all placeholders are numbers, else under its name. */
function* examples(
  names: readonly string[],
  at: string,
  field: "header_text" | "body_text",
  example: unknown,
  numbered: unknown,
): Generator<Violation> {
  if (names.every((name) => /^\d+$/.test(name))) {
    const listed = list(numbered);
    if (listed.length !== names.length || !listed.every(isText)) {
      yield { at: `${at}.example.${field}`, rule: "example" };
    }
    return;
  }
  const ofNames = `${field}_named_params`;
  const listed = list(object(example)[ofNames]).map(object);
  const known = listed.filter(({ example }) => isText(example)).map(({ param_name }) => param_name);
  if (known.length !== names.length || !names.every((name) => known.includes(name))) {
    yield { at: `${at}.example.${ofNames}`, rule: "example" };
  }
}

/** The numbers or names inside the placeholders, in their order; null if some braces are not a valid placeholder. */
function placeholdersIn(words: string): readonly string[] | null {
  const found = [...words.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = ""]) => name.trim());
  const rest = words.replace(/\{\{[^{}]*\}\}/g, "");
  const isWhole =
    !rest.includes("{{") &&
    !rest.includes("}}") &&
    found.every((name) => /^([1-9]\d{0,2}|[a-z][a-z0-9_]*)$/.test(name));
  return isWhole ? found : null;
}

const isAmong = (known: readonly string[], value: unknown): boolean => known.some((each) => each === value);
