import { useQuery } from "@tanstack/react-query";
import { useMe } from "../app/session.ts";
import { answered, api, type Chat, type paths } from "../shared/api.ts";
import { fieldsOf, listOf, textOf } from "./media.ts";

type Listed =
  paths["/chats/obtener/mensaje/plantilla"]["post"]["responses"][200]["content"]["application/json"]["plantillas"][number];

type HeaderMedia = "image" | "video" | "document";

export interface Template {
  readonly id: number;
  readonly name: string;
  readonly state: Listed["state"];
  readonly header: string;
  readonly headerMedia: HeaderMedia | null;
  /** Whether the template has a file for its header, so that the user need not add one. */
  readonly hasOwnFile: boolean;
  /** The channel that the template is always sent by, or null if it is sent by the chat's channel. */
  readonly channel: Chat["provider"] | null;
  readonly body: string;
  readonly footer: string;
  readonly buttons: readonly string[];
  /** The names of the parameters in their order, or their numbers if they have no names. */
  readonly variables: readonly string[];
}

/** Whether the template is approved and can be sent without choosing a file for its header. */
export const isReady = ({ state, headerMedia, hasOwnFile }: Template): boolean =>
  state === "APPROVED" && (headerMedia === null || hasOwnFile);

const placeholder = /\{\{\s*([^{}\s]+)\s*\}\}/g;
const freshMs = 60_000;

export function useTemplates() {
  const me = useMe();
  return useQuery({
    queryKey: ["templates-to-send", me.id],
    queryFn: async () => {
      const body = { empresa_id: me.empresa.id, usuario_id: me.id };
      const { plantillas } = await answered(api.POST("/chats/obtener/mensaje/plantilla", { body }));
      return plantillas.map(templateOf).sort(byUse);
    },
    staleTime: freshMs,
  });
}

/** Sendable templates come first. */
const byUse = (a: Template, b: Template): number =>
  Number(b.state === "APPROVED") - Number(a.state === "APPROVED") || a.name.localeCompare(b.name);

function templateOf(listed: Listed): Template {
  const components = listOf(fieldsOf(listed.template).components).map(fieldsOf);
  const part = (type: string) => components.find((component) => textOf(component.type).toUpperCase() === type) ?? {};
  const header = part("HEADER");
  const kind = (listed.type ?? textOf(header.format)).toLowerCase();
  const body = textOf(part("BODY").text) || listed.descripcion;
  return {
    id: listed.id,
    name: listed.nombre,
    state: listed.state,
    header: textOf(header.text),
    headerMedia: kind === "image" || kind === "video" || kind === "document" ? kind : null,
    hasOwnFile: (listed.archivo_nombre ?? "") !== "",
    channel: listed.tipo === "ProviderB" ? "provider-b" : null,
    body,
    footer: textOf(part("FOOTER").text),
    buttons: listOf(part("BUTTONS").buttons).map((button) => textOf(fieldsOf(button).text)),
    variables: variablesOf(body, fieldsOf(part("BODY").example)),
  };
}

/** Returns as many parameters as the service counts, since the service refuses more or fewer values. */
function variablesOf(body: string, example: Readonly<Record<string, unknown>>): string[] {
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));
  const inText = Array.from(body.matchAll(placeholder), ([, name = ""]) => name);
  const highest = Math.max(0, ...inText.filter((name) => /^\d{1,4}$/.test(name)).map(Number));
  if (highest > 0) return numbered(highest);
  const named = listOf(example.body_text_named_params).map((one) => textOf(fieldsOf(one).param_name));
  if (named.length > 0 && named.every(Boolean)) return named;
  const examples = listOf(listOf(example.body_text)[0]);
  if (examples.length > 0) return numbered(examples.length);
  return [...new Set(inText)];
}

/** The text that the customer will read. Placeholders without a value stay. */
export const renderedBody = ({ body, variables }: Template, values: readonly string[]): string =>
  body.replace(placeholder, (whole, name: string) => values[variables.indexOf(name)] || whole);
