import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { idOf, timestamp } from "../../../infra/http/routing/schema.ts";
import { plainUrl } from "../../../infra/http/routing/web-urls.ts";
import { idsWritten } from "../../../kernel/ids.ts";
import { isSameJson } from "../../../kernel/same-json.ts";
import { identifierOf } from "../../../kernel/text.ts";
import { flag, optionalText, readOnly, requiredName, textOrEmpty } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import {
  alteredOf,
  approvalStateOf,
  approvalStates,
  bodyIn,
  headerTypeOf,
  isSubmitted,
  type Template,
  TemplateLocked,
} from "../../domain/template.ts";
import { isPlatformName, longest, type Violation, violationOf } from "../../domain/template-rules.ts";

/** Includes `LOCATION`, because templates from a sync can have it and must be accepted when they are saved. */
const headerTypes = ["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"];
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
    platformName: textOrEmpty("id_plantilla", longest.name),
    body: textOrEmpty("descripcion", longest.body),
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
      read: (input: string | readonly number[] | null) => {
        const ids = typeof input === "string" ? idsWritten(input) : (input ?? []);
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
    approvalState: {
      ...readOnly<string | null>("state", { enum: approvalStates }),
      write: approvalStateOf,
    },
    platformStatus: readOnly("platform_status", {
      type: ["string", "null"],
      description: "The platform's review status, for instance `PAUSED` or `DISABLED`",
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
    body: bodyIn(template.structure) || template.body,
    headerType: template.headerType ?? headerTypeOf(template.structure),
  }),
  rules: [
    "`template` is what the platform reviews: `language`, `category` (MARKETING, UTILITY or AUTHENTICATION) and `components`. " +
      "BODY is required; HEADER, FOOTER and BUTTONS are optional; each occurs at most once. An error names the field, for " +
      "instance `template.components[0].text`.",
    "`id_plantilla` has lowercase letters, digits and underscores, 512 at most; if it is left out, it is derived from `nombre`. A " +
      "HEADER is a text of up to 60 characters with at most one placeholder, or an IMAGE, VIDEO or DOCUMENT with " +
      "`example.header_handle`. A BODY has up to 1,024 characters; its placeholders are numbered from 1 without gaps, or named; " +
      "none may be at its beginning or end or directly after another one, and each needs an example. A FOOTER has up to 60 characters and no placeholders.",
    "BUTTONS has up to 10 buttons: 2 of type URL at most, 1 each of PHONE_NUMBER, COPY_CODE, FLOW, OTP and CATALOG; QUICK_REPLY " +
      "buttons must be next to each other. A button's text has up to 25 characters, and no two have the same. A URL may end in one placeholder, which " +
      "needs an example.",
    "`descripcion` is the text of the BODY of `template`, whatever the request says; without that text it is as given. `type` is " +
      "derived from `template` if it is left out. Templates of ProviderB are approved at ProviderB: their `template` is stored " +
      "without checks.",
    "Two templates of type Cloud cannot have the same `id_plantilla` and language, unless one of them is archived: 409 `taken`. " +
      "Older records that already share them can be changed as long as they keep both.",
    "`platform_status` and `rejected_reason` are the platform's latest report, from an answer, a webhook or a sync; `state` is " +
      "derived from the status as in §1.5. §1 and §3 do not use them: they ask the platform itself.",
    "After a submission `id_plantilla`, `template`, `descripcion` and `tipo` cannot change (409 `locked`), unless the platform " +
      "rejected the template: then it may be changed and submitted again. An approved template with other content has to be " +
      "created as a new one. The other fields can change at any time.",
    "An archived template is neither listed by §1 nor sent. It stays at the platform, and campaigns that were already registered continue.",
  ],
};

/** Throws `TemplateLocked`, or `InvalidInput` with a message for the caller. Unchanged values are not checked again. */
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
  const violation = structure && violationOf(structure);
  if (violation) throw new InvalidInput(`template.${violation.at} ${words[violation.rule](violation)}`);
}

const words: Readonly<Record<Violation["rule"], (violation: Violation) => string>> = {
  missing: () => "es requerido",
  "no-body": () => "debe tener un BODY",
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
  adjacent: () => "debe tener un texto entre dos variables",
  "no-placeholders": () => "no lleva variables",
  example: () => "debe tener un ejemplo de cada variable o archivo",
  mixed: () => "debe tener juntas las respuestas rápidas",
};

function anyCase(word: string): string {
  return `${word}|${word.toLowerCase()}`;
}
