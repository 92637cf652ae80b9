import { type Infer, idOf, type Schema } from "../../../infra/http/routing/schema.ts";
import { phoneDigits, storableText } from "../../../kernel/text.ts";
import {
  longestFieldName,
  longestFieldText,
  longestName,
  longestPhone,
  mostFields,
  mostTags,
  shortestPhone,
} from "../../domain/contact.ts";

export const contactBody = {
  nombre: { type: "string", pattern: "\\S", maxLength: longestName, example: "Ana Rojas" },
  numero: { type: "string", pattern: "[0-9]", maxLength: 64, example: "+591 722-00009" },
  campos: {
    type: "object",
    maxProperties: mostFields,
    propertyNames: { type: "string", minLength: 1, maxLength: longestFieldName },
    additionalProperties: { type: "string", maxLength: longestFieldText },
    "x-error": { minLength: "campos no puede tener un campo sin nombre" },
  },
  tags: { type: "array", maxItems: mostTags, items: idOf("tag") },
  opted_out: { type: "boolean" },
} as const satisfies Record<string, Schema>;

type GivenContact = Infer<{ readonly type: "object"; readonly properties: typeof contactBody }>;

/** Fields that the body omits are null. */
export const changesIn = (body: GivenContact) => ({
  name: body.nombre === undefined ? null : storableText(body.nombre),
  phone: body.numero === undefined ? null : phoneDigits(body.numero),
  fields:
    body.campos === undefined
      ? null
      : Object.fromEntries(Object.entries(body.campos).map(([name, text]) => [storableText(name), storableText(text)])),
  tagIds: body.tags === undefined ? null : [...new Set(body.tags)],
  optedOut: body.opted_out ?? null,
});

export const contactBodyRule =
  `\`campos\` holds up to ${mostFields} custom fields with texts of up to ${longestFieldText} characters; campaigns use ` +
  "their names in `paramMapping`. `tags` are ids of the business's tags, otherwise 404 `tag_not_found`. Only the digits " +
  `of \`numero\` count: ${shortestPhone} to ${longestPhone}.`;
