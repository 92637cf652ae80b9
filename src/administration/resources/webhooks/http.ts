import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { plainUrl, webUrl } from "../../../infra/http/routing/web-urls.ts";
import { webhookEvents } from "../../../kernel/webhook-events.ts";
import { flag, optionalText } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { mostWebhooks, type Webhook } from "./record.ts";

const longestUrl = 2_000;

const urlErrors = {
  malformed: "no es una dirección válida",
  credentials: "no puede llevar usuario ni contraseña",
  not_https: "debe empezar con https://",
  own_network: "debe estar fuera de la red de este servicio",
} as const;

/** @param urlErrorOf - returns the reason why an address is not allowed, or null if the address is allowed */
export const webhooksOnWire = (urlErrorOf: (url: string) => keyof typeof urlErrors | null): RecordOnWire<Webhook> => ({
  path: "webhooks",
  entity: "webhook",
  one: "Webhook",
  many: "Webhooks",
  fields: {
    url: {
      name: "url",
      schema: {
        type: "string",
        pattern: webUrl,
        maxLength: longestUrl,
        example: "https://crm.example.com/recado",
      },
      read: (input: string) => {
        const error = urlErrorOf(input);
        if (error !== null) throw new InvalidInput(`url ${urlErrors[error]}`);
        return plainUrl(input);
      },
    },
    events: {
      name: "events",
      schema: { type: "array", minItems: 1, maxItems: 100, items: { type: "string", enum: webhookEvents } },
      read: (input: Webhook["events"]) => webhookEvents.filter((event) => input.includes(event)),
    },
    description: optionalText("description"),
    disabled: flag("disabled", false),
  },
  shownOnce: {
    secret: {
      type: "string",
      description: "The secret that signs deliveries, which only the answer to the creation shows",
    },
  },
  rules: [
    `A business can have ${mostWebhooks} webhooks, including disabled ones.`,
    "`url` must be https and outside of this service's own network. Both are checked again at each delivery. Redirects are not " +
      "followed.",
    "A webhook gets events that happen after its creation. A disabled webhook gets none; events of that time can be replayed " +
      "later. Deliveries that are waiting when it is disabled fail, even if it is enabled again at once: " +
      "`.../redeliver` makes one of them again, `.../replay` all of them.",
    "An answer of 410, or five days of failed attempts only, disable the webhook. The audit records this as done by `system`.",
  ],
});
