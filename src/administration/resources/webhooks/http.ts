import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { webhookEvents } from "../../../kernel/webhook-events.ts";
import { flag, optionalText } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { mostWebhooks, type Webhook } from "./record.ts";

const longestUrl = 2_000;

const complaints = {
  malformed: "no es una dirección válida",
  credentials: "no puede llevar usuario ni contraseña",
  not_https: "debe empezar con https://",
  own_network: "debe estar fuera de nuestra red",
} as const;

/** @param complaintAbout - says what speaks against an address; null where nothing does */
export const webhooksOnWire = (
  complaintAbout: (url: string) => keyof typeof complaints | null,
): RecordOnWire<Webhook> => ({
  path: "webhooks",
  entity: "webhook",
  one: "Webhook",
  many: "Webhooks",
  fields: {
    url: {
      name: "url",
      schema: {
        type: "string",
        pattern: "^https?://",
        maxLength: longestUrl,
        example: "https://crm.example.com/recado",
      },
      read: (given: string) => {
        const complaint = complaintAbout(given);
        if (complaint !== null) throw new InvalidInput(`url ${complaints[complaint]}`);
        return given;
      },
    },
    events: {
      name: "events",
      schema: { type: "array", minItems: 1, maxItems: 100, items: { type: "string", enum: webhookEvents } },
      read: (given: Webhook["events"]) => webhookEvents.filter((event) => given.includes(event)),
    },
    description: optionalText("description"),
    disabled: flag("disabled", false),
  },
  once: { secret: { type: "string", description: "What signs, in the answer that made it and never again" } },
  rules: [
    `A business has ${mostWebhooks} at most, disabled ones too; one more is refused.`,
    "The address is https and outside of this service's own network; both are checked again at each delivery. Redirects " +
      "are not followed.",
    "An endpoint hears of what happens from now on. While it is disabled it hears of nothing; what happened meanwhile can be " +
      "replayed. Deliveries that still wait when it is disabled fail, also where it is enabled again at once: one of them " +
      "is made again by `.../redeliver`, all of them by `.../replay`.",
    "An answer of 410 disables it, and so do five days in which every attempt failed. The audit tells, by `system`.",
  ],
});
