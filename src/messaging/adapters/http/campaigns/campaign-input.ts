import { type KeyCaller, type UserCaller, userIn } from "../../../../infra/http/routing/caller.ts";
import type { Streaming } from "../../../../infra/http/routing/route.ts";
import { type Infer, idOf, named, objectWith, type Schema } from "../../../../infra/http/routing/schema.ts";
import { instantOf } from "../../../../kernel/instants.ts";
import type { NamedContact, RegisterCampaignCommand } from "../../../application/campaigns/register-campaign.ts";

export const page = { type: "integer", minimum: 1, maximum: 1_000_000, default: 1 } as const;

const clockTime = { type: "string", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", example: "09:00" } as const;

const mostContacts = 200_000;
/** Bytes of a request: enough for `mostContacts` with some fields each. */
export const campaignBodyLimit = 128 * 1024 * 1024;
/** Limits of a contact's fields. No message is longer than `longestText`, so no value needs to be longer either. */
const mostFields = 100;
const longestName = 64;
const longestText = 4_096;

export const campaignBody = named("NewCampaign", {
  type: "object",
  required: ["contacts_id", "contacts", "plantilla_id", "empresa_id", "user_id", "nombre", "step"],
  properties: {
    empresa_id: idOf("business"),
    plantilla_id: idOf("template"),
    contacts_id: { type: "array", minItems: 1, maxItems: mostContacts, items: idOf("contact") },
    contacts: {
      type: "array",
      maxItems: mostContacts,
      items: {
        type: "object",
        required: ["nombre", "numero"],
        maxProperties: mostFields,
        propertyNames: { type: "string", maxLength: longestName },
        properties: {
          nombre: { type: "string", maxLength: longestText, example: "Ana" },
          numero: { type: "string", pattern: "[0-9]", maxLength: 64, example: "59170000001" },
        },
        additionalProperties: {
          type: ["string", "number", "boolean", "null", "object", "array"],
          maxLength: longestText,
        },
      },
    },
    user_id: idOf("user"),
    nombre: {
      type: "string",
      pattern: "\\S",
      maxLength: 200,
      example: "Promo de mayo",
      "x-error": {
        required: "nombre es requerido",
        type: "nombre debe ser un texto",
        pattern: "nombre es requerido",
        maxLength: "nombre no puede tener más de 200",
      },
    },
    tags: { type: "array", maxItems: 100, items: idOf("tag"), default: [] },
    step: idOf("step"),
    paramMapping: {
      type: "object",
      propertyNames: { pattern: "^[1-9][0-9]{0,3}$" },
      additionalProperties: { type: "string" },
    },
    schedule_at: { type: "string", maxLength: 40 },
    send_window: objectWith({ from: clockTime, to: clockTime }),
  },
} as const satisfies Schema);

/** Arrays that are read as streams, because they may be long. */
export const campaignStreams = ["contacts_id", "contacts"] as const;

const notADate = "schedule_at debe ser una fecha ISO 8601";

type CampaignBody = Streaming<Infer<typeof campaignBody>, (typeof campaignStreams)[number]>;

/** Checks what no schema can express. Returns the message for the caller, or undefined if there is no error. */
export function validationErrorOf({ body }: { readonly body: CampaignBody }): string | undefined {
  const { contacts_id, contacts, schedule_at, send_window } = body;
  if (contacts_id.length !== contacts.length) return "contacts y contacts_id deben tener la misma cantidad";
  // A text that is a date in one time zone is a date in every zone, so any zone will do here.
  if (schedule_at !== undefined && instantOf(schedule_at, "UTC") === null) return notADate;
  if (send_window && send_window.from === send_window.to) return "send_window debe durar al menos un minuto";
  return undefined;
}

/** If the caller has a session, the session's user registers the campaign, and `user_id` is ignored. */
export const toCommand = (body: CampaignBody, caller: KeyCaller | UserCaller): RegisterCampaignCommand => ({
  businessId: caller.businessId,
  name: body.nombre,
  userId: userIn(caller) ?? body.user_id,
  templateId: body.plantilla_id,
  stepId: body.step,
  tags: [...new Set(body.tags)],
  contacts: { ids: () => body.contacts_id.batches(), whole: () => wholeContacts(body) },
  mapping: body.paramMapping
    ? new Map(Object.entries(body.paramMapping).map(([placeholder, field]) => [Number(placeholder), field]))
    : null,
  startsAt: body.schedule_at ?? null,
  window: body.send_window ?? null,
});

/** `contacts[i]` describes `contacts_id[i]`; both have the same length. */
async function* wholeContacts({ contacts_id, contacts }: CampaignBody): AsyncGenerator<NamedContact[]> {
  const furtherIds = contacts_id.batches()[Symbol.asyncIterator]();
  let ids: readonly number[] = [];
  for await (const some of contacts.batches()) {
    while (ids.length < some.length) {
      const { value, done } = await furtherIds.next();
      if (done) throw new Error("there are more contacts than ids");
      ids = ids.concat(value);
    }
    yield some.map((fields, index) => ({ id: ids[index] as number, phone: fields.numero, fields }));
    ids = ids.slice(some.length);
  }
}
