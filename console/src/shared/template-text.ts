/** A template in the platform's format. */
export interface TemplateStructure {
  readonly components?: readonly Component[];
}

interface Component {
  readonly type?: string;
  readonly format?: string;
  readonly text?: string;
  readonly buttons?: readonly { readonly text?: string }[];
  readonly example?: { readonly body_text_named_params?: readonly { readonly param_name?: string }[] };
}

export interface TemplateText {
  /** The header's format, such as `IMAGE` or `LOCATION`; null if the header is a text or missing. */
  readonly media: string | null;
  readonly header: string | null;
  readonly body: string;
  readonly footer: string | null;
  readonly buttons: readonly string[];
  /** The placeholders in the order in which values are sent. */
  readonly placeholders: readonly string[];
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** @param text - used if the platform has no text for the template */
export function templateText(structure: TemplateStructure | null | undefined, text: string): TemplateText {
  const parts = structure?.components ?? [];
  const part = (type: string) => parts.find((each) => each.type?.toUpperCase() === type);
  const header = part("HEADER");
  const format = header?.format?.toUpperCase() ?? "TEXT";
  const body = part("BODY")?.text ?? text;
  return {
    media: header && format !== "TEXT" ? format : null,
    header: format === "TEXT" ? (header?.text ?? null) : null,
    body,
    footer: part("FOOTER")?.text ?? null,
    buttons: (part("BUTTONS")?.buttons ?? []).map((button) => button.text ?? ""),
    placeholders: placeholdersOf(body, part("BODY")),
  };
}

function placeholdersOf(body: string, component: Component | undefined): string[] {
  const names = [...body.matchAll(placeholder)].map(([, name = ""]) => name);
  if (names.every((name) => /^\d+$/.test(name)))
    return Array.from({ length: Math.max(0, ...names.map(Number)) }, (_, index) => String(index + 1));
  const named = component?.example?.body_text_named_params ?? [];
  return named.length > 0 ? named.map(({ param_name = "" }) => param_name) : [...new Set(names)];
}

/** Replaces placeholders by values. Placeholders without a value do not change. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(placeholder, (whole, name: string) => values[name] || whole);
