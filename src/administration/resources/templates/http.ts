import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { idOf, timestamp } from "../../../infra/http/routing/schema.ts";
import { idsWritten } from "../../../kernel/ids.ts";
import { isSameJson } from "../../../kernel/same-json.ts";
import { identifierOf } from "../../../kernel/text.ts";
import { flag, optionalText, plainUrl, readOnly, requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { alteredOf, bodyIn, headerTypeOf, isSubmitted, TemplateLocked } from "../../domain/template.ts";
import { type Breach, breachOf, isPlatformName, longest } from "../../domain/template-rules.ts";
import type { Template } from "./record.ts";

const headerTypes = ["TEXT", "IMAGE", "VIDEO", "DOCUMENT"];
const mostAgents = 1_000;
const mostVariables = 100;

export const templatesOnWire: RecordOnWire<Template> = {
  path: "templates",
  entity: "template",
  one: "ManagedTemplate",
  many: "ManagedTemplates",
  counter: "record_version",
  fields: {
    name: requiredName("nombre"),
    platformName: { name: "id_plantilla", schema: { type: "string", maxLength: longest.name }, fallback: "" },
    body: { name: "descripcion", schema: { type: "string", maxLength: longest.body }, fallback: "" },
    structure: {
      name: "template",
      schema: {
        type: ["object", "null"],
        description: "The platform's own format: `language`, `category` and `components`",
        example: {
          language: "es",
          category: "UTILITY",
          components: [{ type: "BODY", text: "Hola {{1}}, tu pedido está listo.", example: { body_text: [["Ana"]] } }],
        },
      },
      fallback: null,
    },
    buttons: optionalText("botones", 20_000),
    code: optionalText("codigo", 200),
    // The name of a file of this service, or an address.
    fileName: {
      ...optionalText("archivo_nombre", 2_000),
      read: (given: string | null) => (given ? plainUrl(given) : null),
    },
    headerType: {
      name: "type",
      schema: { anyOf: [{ type: "string", pattern: `^(?:${headerTypes.map(anyCase).join("|")})$` }, { type: "null" }] },
      fallback: null,
    },
    provider: { name: "tipo", schema: { type: "string", enum: ["Cloud", "ProviderB"] }, fallback: "Cloud" },
    allowedAgents: {
      name: "agentes_permitidos",
      schema: {
        anyOf: [
          { type: "string", pattern: String.raw`^[\d\s,]*$`, maxLength: 20_000 },
          { type: "array", maxItems: mostAgents, items: idOf("user") },
          { type: "null" },
        ],
      },
      fallback: null,
      read: (given: string | readonly number[] | null) => {
        const ids = typeof given === "string" ? idsWritten(given) : (given ?? []);
        if (ids === null) throw new InvalidInput("agentes_permitidos debe tener ids de usuarios");
        return ids.length === 0 ? null : [...new Set(ids)].join(",");
      },
    },
    contactVariables: {
      name: "contacto_variables",
      schema: {
        type: ["array", "null"],
        maxItems: mostVariables,
        items: { type: "integer", minimum: 0, maximum: 1_000 },
      },
      fallback: null,
    },
    articles: optionalText("articles", 20_000),
    providerBId: optionalText("id_providerb", 200),
    version: optionalText("version", 50),
    visible: flag("visible", true),
    createdByAi: { name: "created_by_ai", schema: { type: ["boolean", "null"] }, fallback: null },
    state: {
      ...readOnly<string | null>("state", { enum: ["APPROVED", "PENDING", "REJECTED", "no_status"] }),
      write: stateOf,
    },
    platformStatus: readOnly("platform_status", {
      type: ["string", "null"],
      description: "The platform's own word: `PAUSED`, `DISABLED`, ...",
    }),
    platformReason: readOnly("rejected_reason", { type: ["string", "null"] }),
    platformId: readOnly("platform_id", { type: ["string", "null"] }),
    businessId: readOnly("empresa_id", { type: "integer" }),
    createdAt: readOnly("created_at", timestamp),
    updatedAt: readOnly("updated_at", timestamp),
  },
  complete: (template) => ({
    ...template,
    platformName: template.platformName || identifierOf(template.name) || "plantilla",
    body: template.body || bodyIn(template.structure),
    headerType: template.headerType ?? headerTypeOf(template.structure),
  }),
  rules: [
    "`template` holds what the platform approves: `language`, `category` (MARKETING, UTILITY or AUTHENTICATION) and `components`, " +
      "each of HEADER, BODY, FOOTER and BUTTONS at most once, BODY always. The refusal names the field: " +
      "`template.components[0].text`.",
    "`id_plantilla`: lowercase letters, digits and underscores, up to 512; made of `nombre` where it is not given. A HEADER is a " +
      "text up to 60 with at most one placeholder, or IMAGE, VIDEO or DOCUMENT with `example.header_handle`. A BODY has up to " +
      "1,024 characters; its placeholders are numbered from 1 without gaps, or named; none stands at its beginning or end, and " +
      "each has an example. A FOOTER has up to 60, without placeholders.",
    "BUTTONS: up to 10; 2 of URL; 1 of PHONE_NUMBER, COPY_CODE, FLOW, OTP and CATALOG each; QUICK_REPLY ones stand together. " +
      "Texts up to 25. A URL has at most one placeholder, at its end, with an example.",
    "`descripcion` and `type` follow from `template` where they are not given. Templates of ProviderB are approved there: their " +
      "`template` is taken as it is.",
    "`state`, `platform_status` and `rejected_reason` are what the platform said last, by an answer, a webhook or a sync; §1 " +
      "and §3 ask the platform itself.",
    "What was submitted keeps its `id_plantilla`, `template`, `descripcion` and `tipo` (409 `locked`), unless the platform " +
      "rejected it: then it may be changed and submitted again. Another content for an approved one is a new template. The " +
      "other fields change at any time.",
    "An archived template is neither listed by §1 nor sent. The platform keeps it, and campaigns that were registered go on.",
  ],
};

/** What a template shows as: in which states it can still be approved. */
export function stateOf(status: string | null | undefined): string {
  if (status === null || status === undefined) return "no_status";
  if (status === "APPROVED") return "APPROVED";
  return status === "PENDING" || status === "IN_APPEAL" ? "PENDING" : "REJECTED";
}

/** Throws in words for the caller. What is as it was is not looked at again. */
export function checkTemplate(template: Template, before: Template | null): void {
  const altered = before && alteredOf(before, template);
  if (before && altered && isSubmitted(before)) throw new TemplateLocked(altered);
  if (template.provider !== "Cloud") return;
  if (template.platformName !== before?.platformName && !isPlatformName(template.platformName)) {
    throw new InvalidInput("id_plantilla solo puede tener letras minúsculas, dígitos y guiones bajos");
  }
  if (!isSameJson(template.structure, before?.structure ?? null)) checkStructure(template);
}

export function checkStructure({ structure }: Template): void {
  const breach = structure && breachOf(structure);
  if (breach) throw new InvalidInput(`template.${breach.at} ${words[breach.rule](breach)}`);
}

const words: Readonly<Record<Breach["rule"], (breach: Breach) => string>> = {
  missing: () => "es requerido",
  "not-text": () => "debe ser un texto",
  "not-list": () => "debe ser un arreglo",
  "not-object": () => "debe ser un objeto",
  unknown: () => "no es un valor conocido",
  malformed: () => "no es válido",
  "too-long": ({ most }) => `puede tener hasta ${most} caracteres`,
  "too-many": ({ most }) => `puede haber hasta ${most}`,
  twice: () => "está repetido",
  placeholder: () => "tiene una variable mal escrita",
  gap: () => "debe numerar sus variables desde {{1}} sin saltos",
  "at-an-end": () => "no puede empezar ni terminar con una variable",
  "no-placeholders": () => "no lleva variables",
  example: () => "debe tener un ejemplo de cada variable o archivo",
  mixed: () => "debe tener juntas las respuestas rápidas",
};

function anyCase(word: string): string {
  return `${word}|${word.toLowerCase()}`;
}
