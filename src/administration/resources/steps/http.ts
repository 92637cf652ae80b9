import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { idOf, timestamp } from "../../../infra/http/routing/schema.ts";
import { idIn, idsWritten } from "../../../kernel/ids.ts";
import { identifierOf } from "../../../kernel/text.ts";
import {
  flag,
  jsonText,
  optionalInteger,
  optionalReference,
  optionalText,
  optionalUrl,
  readOnly,
  requiredName,
  textOrEmpty,
} from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Step } from "./record.ts";

/** Only steps of type `ticket` open tickets. */
const stepTypes = [
  ...["ticket", "mensaje", "pregunta", "botones", "opciones", "media", "catalogo", "ubicacion", "sucursal"],
  ...["flow", "ia", "pedido", "pago", "fin"],
] as const;

/** In characters. Some channels accept less in one message. */
const longestText = 4_096;
const longestIdentifier = 200;
const mostTags = 100;

export const stepsOnWire: RecordOnWire<Step> = {
  path: "steps",
  entity: "step",
  one: "Step",
  many: "Steps",
  fields: {
    name: requiredName("nombre"),
    identifier: {
      name: "identificador",
      schema: { type: "string", pattern: String.raw`^\S+$`, maxLength: longestIdentifier },
      fallback: "",
    },
    type: { name: "tipo", schema: { type: "string", enum: stepTypes }, fallback: "ticket" },
    content: textOrEmpty("contenido", longestText),
    variable: textOrEmpty("variable", 200),
    media: optionalText("media"),
    mediaType: optionalText("media_tipo", 200),
    mediaUrl: optionalUrl("media_url"),
    parentStepId: optionalReference("paso_id", "step"),
    description: optionalText("descripcion", longestText),
    buttons: jsonText("botones"),
    optionsTitle: optionalText("titulo_opciones"),
    options: jsonText("opciones"),
    departmentId: optionalReference("departamento", "department"),
    initial: flag("inicio", false),
    catalogId: optionalInteger("catalogo_id"),
    agent: {
      name: "agente",
      schema: { anyOf: [{ type: "string", pattern: String.raw`^\d{1,16}$` }, idOf("user"), { type: "null" }] },
      fallback: null,
      read: (input: string | number | null) => {
        if (input === null) return null;
        const id = idIn(input);
        if (id === null) throw new InvalidInput("agente no es válido");
        return String(id);
      },
    },
    nextStepId: optionalReference("paso_automatico", "step"),
    loop: flag("loop", false),
    aiPromptId: optionalInteger("ai_prompt_id"),
    structureId: optionalInteger("estructura_id"),
    tags: {
      name: "tags",
      schema: {
        anyOf: [
          { type: "string", pattern: String.raw`^[\d\s,"\[\]]*$`, maxLength: 2_000 },
          { type: "array", maxItems: mostTags, items: idOf("tag") },
          { type: "null" },
        ],
      },
      fallback: null,
      read: (input: string | readonly number[] | null) => {
        const ids = typeof input === "string" ? idsWritten(input) : (input ?? []);
        if (ids === null) throw new InvalidInput("tags debe tener ids de etiquetas");
        if (ids.length > mostTags) throw new InvalidInput(`tags puede tener ${mostTags} etiquetas`);
        return ids.length === 0 ? null : [...new Set(ids)].join(",");
      },
    },
    mapsSearch: optionalText("maps_search"),
    mapsRadius: optionalInteger("maps_radius", 1_000_000),
    helperData: { name: "helper_data", schema: { type: ["object", "null"] }, fallback: null },
    initiator: optionalText("iniciador"),
    catalogs: jsonText("catalogs"),
    checkBranch: { name: "check_sucursal", schema: { type: ["boolean", "null"] }, fallback: null },
    flowId: optionalText("flow_id", 200),
    businessId: readOnly("empresa_id", { type: "integer" }),
    createdAt: readOnly("created_at", timestamp),
    updatedAt: readOnly("updated_at", timestamp),
  },
  complete: (step) => ({ ...step, identifier: step.identifier || identifierOf(step.name) || "paso" }),
  rules: [
    "`identificador` is derived from `nombre` if it is left out. It is unique among the steps of one `estructura_id`.",
    "`agente` is the id of a user; `tags` are ids of tags, as an array or comma-separated. Answers have both as text. `botones`, " +
      "`opciones` and `catalogs` are texts that must be valid JSON. The console writes the first two in the messaging platform's " +
      "format for reply buttons and rows of lists, `[{ id, title, description }]`; in `iniciador` it keeps the title that leads to the step.",
    "Following `paso_id`, or `paso_automatico`, from step to step must not lead back to the first one, unless a step of the " +
      "cycle has `loop`.",
    "An archived step is not listed by §6, and opens neither tickets (§5) nor campaigns (§4). Its tickets, the customers who wait " +
      "for one, and the steps that refer to it stay as they are.",
  ],
};
