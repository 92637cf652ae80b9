import { chatChannels } from "../../../kernel/channels.ts";
import { optionalText, requiredText, secretToken } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { ManagedSender } from "./record.ts";

const told = { type: ["string", "null"] } as const;

export const sendersOnWire: RecordOnWire<ManagedSender> = {
  path: "senders",
  entity: "sender",
  one: "Sender",
  many: "Senders",
  fields: {
    name: optionalText("name", 200),
    provider: { name: "provider", schema: { type: "string", enum: chatChannels } },
    platformId: requiredText("platform_id", 200),
    accountId: { name: "account_id", schema: { type: "string", maxLength: 200 }, fallback: "" },
    phone: {
      name: "phone",
      schema: { type: "string", pattern: "[0-9]", maxLength: 64, example: "+591 2 2000000" },
      read: (given: string) => given.replaceAll(/\D/g, ""),
    },
    messagesPerSecond: {
      name: "messages_per_second",
      schema: { type: "integer", minimum: 1, maximum: 100_000 },
      fallback: 80,
    },
    token: secretToken("token"),
    state: { name: "state", schema: told, readOnly: true },
    quality: { name: "quality", schema: told, readOnly: true },
  },
  asksElsewhere: true,
  rules: [
    "`token` is never shown. A new sender needs one, and so does one that gets another `provider` or `platform_id`; otherwise " +
      "a sender keeps the token that it has where none is given.",
    "A token that is given is tried with the platform: a number's on the cloud channel, an instance's at its provider. One " +
      "that does not open the sender is a 400 that names `token`; a platform that does not answer is a 502 `platform_unavailable`, " +
      "and nothing is changed.",
    "Each `platform_id` of a provider is there once in the whole installation.",
    "`phone` is what customers see, digits; a page or photo account, which has none, gives its id. `platform_id` is the id of the " +
      "number, page or account, the name of the instance, or the account at provider-b.",
    "`state` and `quality` are what the platform last said of it. An instance is `connecting` while its phone is being paired or " +
      "the provider connects again, `open` while the phone is connected, and `close` once it was logged out or lost: then it " +
      "is paired again.",
  ],
};
