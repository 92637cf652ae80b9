import type { MediaKind } from "./media.ts";
import type { ApprovalState, PlatformTemplate } from "./platform.ts";

/** A component of the platform's template structure. Other fields are stored without being read. */
export interface TemplateComponent {
  readonly type: string;
  readonly text?: string;
  readonly format?: string;
  readonly buttons?: readonly unknown[];
  readonly example?: {
    readonly body_text?: readonly (readonly string[])[];
    readonly body_text_named_params?: readonly unknown[];
  };
}

interface TemplateStructure {
  readonly language?: string;
  readonly components?: readonly TemplateComponent[];
}

/** A template with the fields that sends and approval checks need. */
export interface Template {
  readonly id: number;
  readonly name: string;
  /** The template's name at the platform. */
  readonly platformName: string;
  readonly body: string;
  readonly structure: TemplateStructure | null;
  readonly headerType: string | null;
  /** The stored media of the header: a file's name or an https URL. */
  readonly fileName: string | null;
  /** `Cloud` or `ProviderB`. */
  readonly provider: string;
  /** The template's id at ProviderB; null if it is not registered there. */
  readonly providerBId: string | null;
}

export interface Media {
  readonly type: MediaKind;
  readonly link: string;
  /** A document's name for the customer; the last part of the link if absent. */
  readonly name?: string;
}

/** The kind of media for a MIME type; `document` for everything that is not image, video or audio. */
export function mediaKindOf(mimeType: string | null): MediaKind {
  const [kind = ""] = (mimeType ?? "").toLowerCase().split("/");
  return kind === "image" || kind === "video" || kind === "audio" ? kind : "document";
}

/** The structure may be stored as the platform sent it, so each field may have any type. */
const asText = (value: unknown): string => (typeof value === "string" ? value : "");
const lengthOf = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);

const componentOf = (structure: TemplateStructure | null, type: string): TemplateComponent | undefined =>
  Array.isArray(structure?.components)
    ? structure.components.find((component) => asText(component?.type).toUpperCase() === type)
    : undefined;

/** The highest n of the placeholders {{n}}; 0 without any. */
const highestPlaceholder = (text: string): number =>
  Math.max(0, ...Array.from(text.matchAll(/\{\{\s*(\d{1,4})\s*\}\}/g), ([, n]) => Number(n)));

/** `{{1}}` or `{{name}}`; the group captures the inside. */
const placeholder = /\{\{\s*([^{}\s]+)\s*\}\}/g;

const namesIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(placeholder), ([, name = ""]) => name).filter((name) => !/^\d+$/.test(name))),
];

/**
 * The names of the BODY's placeholders in the order of a send's parameters. That is the order in the example or, if the
 * example has no names, in the text. Empty if the placeholders are numbered.
 */
export function placeholderNames({ structure }: Pick<Template, "structure">): readonly string[] {
  const component = componentOf(structure, "BODY");
  const text = asText(component?.text);
  if (highestPlaceholder(text) > 0) return [];
  const listed: unknown = component?.example?.body_text_named_params;
  const names = Array.isArray(listed) ? listed.map((one) => asText(one?.param_name)) : [];
  return names.length > 0 && names.every((name) => name !== "") ? names : namesIn(text);
}

/** §1.6: how many parameters a send must carry. Header and button parameters do not count. */
export function requiredParameters({ structure, body }: Pick<Template, "structure" | "body">): number {
  const component = componentOf(structure, "BODY");
  if (!component) return highestPlaceholder(body);
  // `component` of an authentication template has no text before approval, because the platform writes the text.
  const inText = highestPlaceholder(asText(component.text) || body);
  if (inText > 0) return inText;
  const { example } = component;
  const inExample = lengthOf(example?.body_text?.[0]) ?? lengthOf(example?.body_text_named_params);
  return inExample ?? placeholderNames({ structure }).length;
}

/** After approval, the URL of a button that copies a one-time code contains this. */
const codeAddress = "/otp/code/";

/** True if a button copies the one-time code. A send must then carry the code for the button, too. */
export function copiesCode({ structure }: Pick<Template, "structure">): boolean {
  const buttons = componentOf(structure, "BUTTONS")?.buttons;
  return (Array.isArray(buttons) ? buttons : []).some((each: unknown) => {
    const { type, url } = (each ?? {}) as { readonly type?: unknown; readonly url?: unknown };
    return asText(type).toUpperCase() === "OTP" || asText(url).includes(codeAddress);
  });
}

/** The template's text with its placeholders. The platform's text counts if the structure has it, else `body`. */
export const bodyText = ({ structure, body }: Pick<Template, "structure" | "body">): string =>
  asText(componentOf(structure, "BODY")?.text) || body;

/** The most characters of a filled body that the platform accepts. */
export const longestBody = 1_024;

/**
 * Parses the text once and returns a function that fills its placeholders. A placeholder without a parameter stays as
 * it is.
 *
 * @param names - the placeholders' names in the order of the parameters; empty if the placeholders are numbered
 */
export function textFiller(text: string, names: readonly string[] = []): (parameters: readonly string[]) => string {
  const parts: { readonly text: string; readonly index: number }[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = "", index } of text.matchAll(placeholder)) {
    const at = names.length > 0 ? names.indexOf(name) : /^\d{1,4}$/.test(name) ? Number(name) - 1 : -1;
    parts.push({ text: text.slice(end, index), index: -1 }, { text: whole, index: at });
    end = index + whole.length;
  }
  parts.push({ text: text.slice(end), index: -1 });
  return (parameters) => {
    let filled = "";
    for (const { text, index } of parts) filled += parameters[index] ?? text;
    return filled;
  };
}

/** The text that the customer reads. */
export const renderBody = (template: Pick<Template, "structure" | "body">, parameters: readonly string[]): string =>
  textFiller(bodyText(template), placeholderNames(template))(parameters);

/**
 * The URL of stored media; null if there is none.
 *
 * @param fileName - the name of a stored file, or already an https URL
 * @param baseUrl - the URL below which stored files are served, ending in a slash; null if there is no such URL
 */
export function storedMedia(fileName: string | null, baseUrl: string | null): string | null {
  if (fileName === null || fileName === "") return null;
  if (fileName.startsWith("https://")) return fileName;
  return baseUrl && baseUrl + encodeURIComponent(fileName);
}

/** The kind of media in the header; null if the header has no media. */
export function headerMedia({ headerType, structure }: Pick<Template, "headerType" | "structure">): MediaKind | null {
  const type = (headerType ?? asText(componentOf(structure, "HEADER")?.format)).toLowerCase();
  return type === "image" || type === "document" || type === "video" ? type : null;
}

/** The stored media of the header; null if there is none to send. */
export function storedHeader(
  template: Pick<Template, "headerType" | "structure" | "fileName">,
  baseUrl: string | null,
): Media | null {
  const type = headerMedia(template);
  const link = storedMedia(template.fileName, baseUrl);
  return type && link ? { type, link } : null;
}

/** Older templates have no flag. If AI made such a template, its name begins with `osm_`. */
export const isCreatedByAi = (
  flag: boolean | null,
  { name, platformName }: Pick<Template, "name" | "platformName">,
): boolean => flag ?? (platformName.startsWith("osm_") || name.startsWith("osm_"));

/**
 * The language that a send uses: the template's own, if it has one. Otherwise it is the business's preferred language,
 * if `known` has it or is empty. Otherwise it is the language of the first approved template in `known`, or of the
 * first template if none is approved.
 *
 * @param known - the platform's templates of this name, in its order
 */
export function languageOf(
  structure: TemplateStructure | null,
  preferred: string,
  known: readonly PlatformTemplate[],
): string {
  if (asText(structure?.language) !== "") return asText(structure?.language);
  if (known.some(({ language }) => language === preferred)) return preferred;
  const approvedOrFirst = known.find(({ state }) => state === "APPROVED") ?? known[0];
  return approvedOrFirst?.language ?? preferred;
}

/** §1.5: the state in the language that a send would use. */
export function approvalState(
  structure: TemplateStructure | null,
  preferred: string,
  known: readonly PlatformTemplate[],
): ApprovalState {
  const language = languageOf(structure, preferred, known);
  return known.find((template) => template.language === language)?.state ?? "no_status";
}
