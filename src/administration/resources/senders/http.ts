import { timestamp } from "../../../infra/http/routing/schema.ts";
import { type SenderPairing, senderPairings } from "../../../kernel/audit.ts";
import { chatChannels, providerBChannel } from "../../../kernel/channels.ts";
import { optionalText, requiredText, secretToken, textOrEmpty } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { ManagedSender } from "../../domain/sender.ts";

/** The format of pairings in the audit. They have no routes of their own. */
export const pairingsOnWire: RecordOnWire<SenderPairing> = {
  path: senderPairings,
  entity: "sender",
  one: "SenderPairing",
  many: "SenderPairings",
  fields: {
    platformId: { name: "platform_id", schema: { type: "string" }, readOnly: true },
    state: { name: "state", schema: { type: "string" }, readOnly: true },
  },
};

const reported = { type: ["string", "null"] } as const;

export const sendersOnWire: RecordOnWire<ManagedSender> = {
  path: "senders",
  entity: "sender",
  one: "Sender",
  many: "Senders",
  fields: {
    name: optionalText("name", 200),
    provider: { name: "provider", schema: { type: "string", enum: chatChannels } },
    platformId: requiredText("platform_id", 200),
    accountId: textOrEmpty("account_id", 200),
    phone: {
      name: "phone",
      schema: { type: "string", pattern: "[0-9]", maxLength: 64, example: "+591 2 2000000" },
      read: (input: string) => input.replaceAll(/\D/g, ""),
    },
    messagesPerSecond: {
      name: "messages_per_second",
      schema: { type: "integer", minimum: 1, maximum: 100_000 },
      fallback: 80,
    },
    token: secretToken("token"),
    state: { name: "state", schema: reported, readOnly: true },
    quality: { name: "quality", schema: reported, readOnly: true },
    accountReport: {
      name: "cuenta",
      schema: {
        type: ["object", "null"],
        required: ["evento", "detalles", "fecha"],
        properties: { evento: { type: "string" }, detalles: { type: "object" }, fecha: timestamp },
      },
      readOnly: true,
      write: (told) => told && { evento: told.event, detalles: told.details, fecha: new Date(told.at).toISOString() },
    },
  },
  verifiedByPlatform: true,
  complete: (sender) =>
    sender.provider === providerBChannel && sender.accountId === ""
      ? { ...sender, accountId: sender.platformId }
      : sender,
  rules: [
    "`token` is never shown. It is required (400) for a new sender, for a change of `provider`, `platform_id`, `account_id` or " +
      "`phone`, and if the stored token can no longer be decrypted. In all other cases a request without `token` keeps the " +
      "stored one.",
    "A new token is checked with the platform. A number's token must give access to the number, `phone` must be the platform's " +
      "own for it, and `account_id` is required and must list the number. A page needs its own token; a photo account its own " +
      "or that of the page it is linked to. An instance must exist at its provider. At provider-b the account must be active, " +
      "and both ids are the account's (`account_id` may be left out).",
    "If the platform does not confirm a field, the answer is 400 and names it: `token` if it gives no access to the sender, " +
      "`provider` if this installation is not connected to that provider. If the platform does not answer, the answer is 502 " +
      "`platform_unavailable`. In all of these cases nothing is changed.",
    "A `platform_id` of a provider can exist only once in the whole installation: a second one is a 409 `taken`.",
    "The `provider` and the `platform_id` of a sender cannot change while something depends on it: 409 `in_use`. This counts " +
      "unfinished campaigns and the open chats that are answered from it: those whose customers wrote to it last, and for " +
      "the business's first sender of a channel also those whose customers wrote to no sender that is still there. For the " +
      "first sender it also counts the templates of its account if the account changes. After a change, `state` and `quality` of the old sender are removed.",
    "A sender is not deleted while the same campaigns, chats or templates depend on it: 409 `in_use`. Templates do not count " +
      "if the business's next sender of the channel has the same account. To retire a number, let its campaigns end or cancel " +
      "them, and close its chats. Closed chats and finished campaigns stay as they are, but such a campaign cannot be sent " +
      "again: its `retry-failed` and `resend-unknown` are a 409.",
    "`phone` is the number that customers see, in digits; for a page or photo account it is the account's id. `platform_id` is the " +
      "id of the number, page or photo account, the name of the instance, or the account at provider-b.",
    "`state` and `quality` are the platform's latest report by the platform's own times; reports that arrive late are ignored. An " +
      "instance is `connecting` while its phone is being paired or the provider reconnects, `open` while the phone is connected, " +
      "and `close` after it was logged out or lost; then it has to be paired again.",
    "A report that changes `state`, `quality` or `cuenta` raises the version. `If-Match` may name any version since the last " +
      "change by a client: reports alone are no reason for a 412, as an instance whose connection comes and goes could not be " +
      "changed otherwise.",
    "`cuenta` is the platform's latest event about the account of a number (`account_update`), such as a restriction or a " +
      "violation, with the platform's own fields and time. It is null as long as there was none, and after `account_id` changed.",
  ],
};
