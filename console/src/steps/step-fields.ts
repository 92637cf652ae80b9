import type { Read } from "../shared/record-form.ts";
import type { Step, StepBody, StepType } from "./steps.ts";

/** The form's values. A missing text is empty, other missing values are null, and JSON is a text. */
export interface Fields extends Omit<Required<StepBody>, "helper_data" | "agente" | "tags" | TextName> {
  readonly helper_data: string;
  readonly agente: string | null;
  /** Comma-separated ids. */
  readonly tags: string;
}
type TextFields = { readonly [Name in TextName]: string };
export type StepFields = Fields & TextFields;
export type FieldName = keyof StepFields;

/** Optional texts. */
const texts = [
  ...(["descripcion", "media", "media_tipo", "media_url", "botones", "titulo_opciones", "opciones"] as const),
  ...(["maps_search", "iniciador", "catalogs", "flow_id"] as const),
];
type TextName = (typeof texts)[number];

export const jsonFields = ["botones", "opciones", "catalogs", "helper_data"] as const;

const empty: StepFields = {
  ...{ nombre: "", identificador: "", tipo: "mensaje", contenido: "", variable: "", descripcion: "", iniciador: "" },
  ...{ media: "", media_tipo: "", media_url: "", botones: "", titulo_opciones: "", opciones: "", catalogs: "" },
  ...{ maps_search: "", flow_id: "", helper_data: "", tags: "", inicio: false, loop: false },
  ...{ paso_id: null, paso_automatico: null, departamento: null, agente: null, catalogo_id: null },
  ...{ ai_prompt_id: null, estructura_id: null, maps_radius: null, check_sucursal: null },
};

/** @param isFirst - true if the business has no steps yet */
export const newStep = (under: Step | null, isFirst: boolean): Read<StepFields> => ({
  fields: { ...empty, paso_id: under?.id ?? null, estructura_id: under?.estructura_id ?? null, inicio: isFirst },
  version: null,
});

export function readOf(step: Step): Read<StepFields> {
  const { id: _, version, created_at: __, updated_at: ___, empresa_id: ____, ...rest } = step;
  const filled = Object.fromEntries(texts.map((name) => [name, step[name] ?? ""])) as TextFields;
  return {
    fields: {
      ...rest,
      ...filled,
      helper_data: step.helper_data === null ? "" : JSON.stringify(step.helper_data, null, 2),
      agente: step.agente === null ? null : String(step.agente),
      tags: idsOf(step.tags).join(","),
    },
    version,
  };
}

const idsOf = (tags: Step["tags"]): string[] =>
  typeof tags === "string" ? (tags.match(/\d+/g) ?? []) : (tags ?? []).map(String);

/** The request body. Fields that the step's type does not use keep their values, in case the type changes back. */
export function bodyOf(fields: StepFields): StepBody {
  const { identificador, helper_data, tags, ...rest } = fields;
  const filled = Object.fromEntries(texts.map((name) => [name, fields[name].trim() === "" ? null : fields[name]]));
  return {
    ...rest,
    ...(filled as { readonly [Name in TextName]: string | null }),
    ...(identificador.trim() !== "" && { identificador: identificador.trim() }),
    helper_data: helper_data.trim() === "" ? null : JSON.parse(helper_data),
    tags: tags === "" ? null : tags,
  };
}

function isJson(text: string): boolean {
  try {
    if (text.trim() !== "") JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isJsonObject = (text: string): boolean => isJson(text) && (text.trim() === "" || /^\s*\{/.test(text));

export const isWrongJson = (name: (typeof jsonFields)[number], text: string): boolean =>
  !(name === "helper_data" ? isJsonObject(text) : isJson(text));

/** The sections of the form with their fields. */
export const parts = [
  { part: "basics", fields: ["tipo", "nombre", "descripcion"] },
  {
    part: "says",
    fields: [
      ...(["contenido", "media_url", "botones", "titulo_opciones", "opciones", "catalogo_id", "catalogs"] as const),
      ...(["maps_search", "maps_radius", "check_sucursal", "flow_id", "ai_prompt_id", "variable"] as const),
    ],
  },
  { part: "goesTo", fields: ["departamento", "agente", "tags"] },
  { part: "way", fields: ["inicio", "paso_id", "iniciador", "paso_automatico", "loop"] },
  { part: "technical", fields: ["identificador", "estructura_id", "media", "media_tipo", "helper_data"] },
] as const satisfies readonly { part: string; fields: readonly FieldName[] }[];

const everywhere: readonly FieldName[] = [
  ...(["tipo", "nombre", "descripcion", "contenido", "inicio", "paso_id", "iniciador", "paso_automatico"] as const),
  ...(["loop", "identificador", "estructura_id"] as const),
];
const file = ["media_url", "media", "media_tipo"] as const;

/** Additional fields by type. */
const ofType: Readonly<Record<StepType, readonly FieldName[]>> = {
  ticket: ["departamento", "agente", "tags", ...file],
  mensaje: file,
  pregunta: ["variable", ...file],
  botones: ["botones", "variable", ...file],
  opciones: ["titulo_opciones", "opciones", "variable"],
  media: file,
  catalogo: ["catalogo_id", "catalogs", "variable"],
  ubicacion: ["maps_search", "maps_radius", "check_sucursal", "variable"],
  sucursal: ["check_sucursal", "maps_radius", "variable"],
  pedido: ["catalogo_id", "check_sucursal", "variable"],
  pago: ["variable", ...file],
  flow: ["flow_id", "helper_data", "variable"],
  ia: ["ai_prompt_id", "helper_data", "variable"],
  fin: [],
};

export const fits = (name: FieldName, type: StepType): boolean =>
  everywhere.includes(name) || ofType[type].includes(name);
