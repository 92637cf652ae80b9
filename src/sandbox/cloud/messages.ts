import { type Fields, isObject, isWebAddress } from "../core/input.ts";
import { badParameter, GraphError, invalidParameter, missingParameter } from "../graph/graph.ts";
import type { Placeholders, StoredTemplate, Templates } from "./templates.ts";

export interface MessageContent {
  readonly type: string;
  readonly template?: SentTemplate;
  readonly text?: string;
  /** An image, document or other file: its address or the platform's id. */
  readonly media?: MediaSource & { readonly caption?: string };
  readonly reaction?: { readonly messageId: string; readonly emoji: string };
  /** True for a marketing template, which recipients can opt out of. */
  readonly marketing: boolean;
}

interface SentTemplate {
  readonly name: string;
  readonly language: string;
  readonly parameters: readonly string[];
  readonly header?: { readonly type: string; readonly value: string; readonly filename?: string };
}

interface MediaSource {
  readonly link?: string;
  readonly id?: string;
  /** Only documents have a file name. */
  readonly filename?: string;
}

const limits = { text: 4096, templateBody: 1024, caption: 1024, link: 2048, reference: 512 };

const mediaTypes: readonly string[] = ["image", "document", "video", "audio", "sticker"];
const otherTypes: readonly string[] = ["location", "contacts", "interactive"];

/** `biz_opaque_callback_data`, which every status of the message repeats. */
export function referenceOf(body: Fields): string | undefined {
  const reference = body.biz_opaque_callback_data;
  if (reference === undefined) return undefined;
  if (typeof reference !== "string") throw badParameter("Param biz_opaque_callback_data must be a string");
  if (reference.length <= limits.reference) return reference;
  throw badParameter(`Param biz_opaque_callback_data must be at most ${limits.reference} characters long.`);
}

export function contextOf({ context }: Fields): { readonly message_id: string } | undefined {
  if (context === undefined) return undefined;
  const id = isObject(context) ? context.message_id : undefined;
  if (typeof id !== "string" || id === "" || id.length > limits.reference) {
    throw missingParameter("context['message_id']");
  }
  return { message_id: id };
}

export function requireProduct(body: Fields): void {
  if (body.messaging_product === "whatsapp") return;
  if (body.messaging_product === undefined) throw missingParameter("messaging_product");
  throw badParameter("Param messaging_product must be one of {WHATSAPP}");
}

/** The templates and files that a number's messages can refer to. */
interface Referable {
  readonly templates: Templates;
  hasMedia(id: string): boolean;
}

/** The content of the message. Throws `GraphError` if the platform would refuse this content. */
export function contentOf(body: Fields, known: Referable): MessageContent {
  const type = body.type ?? "text";
  if (type === "template") return templateContent(required(body, "template"), known);
  if (type === "text") return textContent(required(body, "text"));
  if (type === "reaction") return reactionContent(required(body, "reaction"));
  if (typeof type === "string" && mediaTypes.includes(type)) return mediaContent(type, required(body, type), known);
  if (typeof type === "string" && otherTypes.includes(type)) {
    if (typeof body[type] !== "object" || body[type] === null) throw missingParameter(type);
    return { type, marketing: false };
  }
  const all = ["text", "template", "reaction", ...mediaTypes, ...otherTypes].join(", ").toUpperCase();
  throw badParameter(`Param type must be one of {${all}}`);
}

function required(body: Fields, name: string): Fields {
  const value = body[name];
  if (!isObject(value)) throw missingParameter(name);
  return value;
}

function textContent(text: Fields): MessageContent {
  if (typeof text.body !== "string" || text.body.trim() === "") throw missingParameter("text['body']");
  if (text.body.length > limits.text) {
    throw badParameter(`Param text['body'] must be at most ${limits.text} characters long.`);
  }
  return { type: "text", text: text.body, marketing: false };
}

function reactionContent(reaction: Fields): MessageContent {
  const { message_id: messageId, emoji } = reaction;
  if (typeof messageId !== "string" || messageId === "" || messageId.length > limits.reference) {
    throw missingParameter("reaction['message_id']");
  }
  if (typeof emoji !== "string" || emoji.length > 50) throw missingParameter("reaction['emoji']");
  return { type: "reaction", reaction: { messageId, emoji }, marketing: false };
}

function mediaContent(type: string, media: Fields, known: Referable): MessageContent {
  const source = mediaSource(type, media, known);
  const { caption } = media;
  if (caption === undefined) return { type, media: source, marketing: false };
  if (typeof caption !== "string" || caption.length > limits.caption) {
    throw badParameter(`Param ${type}['caption'] must be at most ${limits.caption} characters long.`);
  }
  return { type, media: { ...source, caption }, marketing: false };
}

function mediaSource(name: string, media: Fields, known: Referable): MediaSource {
  const { filename } = media;
  const place = mediaPlace(name, media, known);
  if (filename === undefined) return place;
  if (name !== "document") throw badParameter(`Unexpected key "filename" on param "${name}".`);
  if (typeof filename !== "string") throw badParameter("Param document['filename'] must be a string.");
  return { ...place, filename };
}

function mediaPlace(name: string, { link, id }: Fields, { hasMedia }: Referable): { link: string } | { id: string } {
  if (typeof id === "string" && hasMedia(id)) return { id };
  if (id !== undefined) {
    throw badParameter(`Param ${name}['id'] is not a valid whatsapp business account media attachment ID`);
  }
  if (link === undefined) throw invalidParameter(`${name}: one of 'id' and 'link' is required`);
  if (isWebAddress(link) && link.length <= limits.link) return { link };
  throw badParameter(`Param ${name}['link'] is not a valid URL.`);
}

function templateContent(sent: Fields, known: Referable): MessageContent {
  const { name } = sent;
  const language = isObject(sent.language) ? sent.language.code : undefined;
  if (typeof name !== "string" || name === "") throw missingParameter("template['name']");
  if (typeof language !== "string" || language === "") {
    throw missingParameter("template['language']['code']");
  }
  const components = componentsOf(sent);
  const template = known.templates.find(name, language);
  if (!template) throw new GraphError(132001, `template name (${name.slice(0, 512)}) does not exist in ${language}`);
  requireApproved(template);

  const body = parametersOf(components, "body");
  requireCount("body", body.length, template.body.count);
  requireDifferentNames(body);
  const parameters = body.map((parameter) => textOf(parameter, template.body));
  requireFit(template.body, parameters);
  const header = headerOf(template, parametersOf(components, "header"), known);
  requireButtons(template, components);

  return {
    type: "template",
    template: { name, language, parameters, ...(header ? { header } : {}) },
    marketing: template.category?.toUpperCase() === "MARKETING",
  };
}

interface SentComponent {
  readonly type: string;
  readonly fields: Fields;
  readonly parameters: readonly Fields[];
}

function componentsOf(sent: Fields): SentComponent[] {
  const { components = [] } = sent;
  if (!Array.isArray(components)) throw badParameter("Param template['components'] must be an array.");
  const read = components.map((component: unknown, index): SentComponent => {
    const at = `template['components'][${index}]`;
    if (!isObject(component)) throw badParameter(`Param ${at} must be a JSON object.`);
    const type = typeof component.type === "string" ? component.type.toLowerCase() : "";
    if (!["header", "body", "button"].includes(type)) {
      throw badParameter(`Param ${at}['type'] must be one of {HEADER, BODY, BUTTON}`);
    }
    const { parameters = [] } = component;
    if (!Array.isArray(parameters) || !parameters.every(isObject)) {
      throw badParameter(`Param ${at}['parameters'] must be an array of JSON objects.`);
    }
    return { type, fields: component, parameters };
  });
  for (const type of ["header", "body"]) {
    if (read.filter((component) => component.type === type).length > 1) {
      throw invalidParameter(`component type ${type} is given more than once`);
    }
  }
  return read;
}

const parametersOf = (components: readonly SentComponent[], type: string): readonly Fields[] =>
  components.find((component) => component.type === type)?.parameters ?? [];

function requireApproved({ name, language, status }: StoredTemplate): void {
  if (status === "APPROVED") return;
  if (status === "PAUSED") throw new GraphError(132015, "Template is paused due to low quality");
  if (status === "DISABLED") throw new GraphError(132016, "Template was paused too often and is disabled for good");
  throw new GraphError(132001, `template name (${name}) does not exist in ${language}`);
}

function requireCount(component: string, given: number, expected: number): void {
  if (given === expected) return;
  const details = `number of localizable_params (${given}) does not match the expected number of params (${expected})`;
  throw new GraphError(132000, `${component}: ${details}`);
}

function requireDifferentNames(parameters: readonly Fields[]): void {
  const names = parameters.flatMap(({ parameter_name: name }) => (name === undefined ? [] : [name]));
  if (new Set(names).size < names.length) throw invalidParameter("Parameter name is given more than once");
}

/** The text that a parameter puts into its placeholder. */
function textOf(parameter: Fields, { names }: Placeholders): string {
  const { type, parameter_name: name } = parameter;
  if (names !== null && (typeof name !== "string" || !names.has(name))) {
    throw invalidParameter("Parameter name is missing or empty, or the template does not have it");
  }
  if (type === "currency" || type === "date_time") {
    const value = parameter[type];
    const fallback = isObject(value) ? value.fallback_value : undefined;
    if (typeof fallback === "string" && fallback !== "") return fallback;
    throw invalidParameter(`Parameter 'fallback_value' is mandatory for component parameter type '${type}'`);
  }
  if (type !== "text") {
    throw new GraphError(
      132012,
      `body: Format mismatch, expected TEXT, received ${String(type ?? "UNKNOWN").toUpperCase()}`,
    );
  }
  const { text } = parameter;
  if (text === undefined || text === "") {
    throw invalidParameter("Parameter 'text' is mandatory for component parameter type 'text'");
  }
  if (typeof text !== "string") throw badParameter("Param template['components'] 'text' must be a string.");
  if (/[\n\r\t]| {5}/.test(text)) {
    throw invalidParameter("Param text cannot have new-line/tab characters or more than 4 consecutive spaces");
  }
  return text;
}

function requireFit(body: Placeholders, parameters: readonly string[]): void {
  const length = parameters.reduce((sum, parameter) => sum + parameter.length, body.text.length);
  const placeholders = body.names ? [...body.names] : parameters.map((_, index) => String(index + 1));
  const filled = length - placeholders.reduce((sum, name) => sum + name.length + "{{}}".length, 0);
  if (filled > limits.templateBody)
    throw new GraphError(132005, `body: ${filled} characters, at most ${limits.templateBody}`);
}

function headerOf({ header }: StoredTemplate, given: readonly Fields[], known: Referable): SentTemplate["header"] {
  if (header === null || header.format === "TEXT") {
    requireCount("header", given.length, header?.placeholders.count ?? 0);
    const [parameter] = given;
    return header && parameter ? { type: "text", value: textOf(parameter, header.placeholders) } : undefined;
  }
  const [parameter, ...others] = given;
  const received = typeof parameter?.type === "string" ? parameter.type.toUpperCase() : "UNKNOWN";
  if (parameter === undefined || others.length > 0 || received !== header.format) {
    throw new GraphError(132012, `header: Format mismatch, expected ${header.format}, received ${received}`);
  }
  const type = received.toLowerCase();
  const content = parameter[type];
  if (!isObject(content))
    throw invalidParameter(`Parameter '${type}' is mandatory for component parameter type '${type}'`);
  if (type === "location") return { type, value: `${content.latitude},${content.longitude}` };
  const { link, id, filename } = mediaSource(type, content, known);
  return { type, value: link ?? id ?? "", ...(filename !== undefined && { filename }) };
}

function requireButtons({ openButtons }: StoredTemplate, components: readonly SentComponent[]): void {
  for (const index of openButtons) {
    const button = components.find(({ type, fields }) => type === "button" && String(fields.index) === String(index));
    const text = button?.parameters[0]?.text;
    if (typeof text === "string" && text !== "") continue;
    throw new GraphError(131008, `buttons: Button at index ${index} of type Url requires a parameter`);
  }
}
