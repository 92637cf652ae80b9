import { type SenderPairing, senderPairings } from "../../../kernel/audit.ts";
import { chatChannels, providerBChannel } from "../../../kernel/channels.ts";
import { optionalText, requiredText, secretToken } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { ManagedSender } from "./record.ts";

/** How the audit spells them; they are no records of their own. */
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
  complete: (sender) =>
    sender.provider === providerBChannel && sender.accountId === ""
      ? { ...sender, accountId: sender.platformId }
      : sender,
  rules: [
    "`token` is never shown. A new sender needs one, and so does one whose `provider`, `platform_id`, `account_id` or `phone` " +
      "changes, or whose token cannot be opened any more: without one that is a 400 that names `token`. " +
      "Otherwise a sender keeps the token that it has where none is given.",
    "With the token that is given the platform is asked whether all of that is so. A number's token opens the number, `phone` " +
      "is the one that the platform shows for it, and `account_id`, which a number must have, lists it. A page's token is that " +
      "page's own, a photo account's its own or that of the page that it is linked to. An instance is there at its provider. " +
      "At provider-b both ids are the account's (`account_id` may be left out), and the account is active.",
    "What the platform does not confirm is a 400 that names the field: `token` where it does not open the sender, and " +
      "`provider` where this installation is not connected to it. A platform that does not answer is a 502 " +
      "`platform_unavailable`. In all of these cases nothing is changed.",
    "Each `platform_id` of a provider is there once in the whole installation: another one's is a 409 `taken`.",
    "While something depends on a sender, its `provider` and `platform_id` cannot change: 409 `in_use`, which tells of " +
      "campaigns that are not over; of the open chats of the channel, where it is the business's first sender there; and of " +
      "templates that the account which it would leave has. What was told of the old one (`state`, `quality`) is removed.",
    "For the same campaigns, chats and templates a sender is not deleted: 409 `in_use`. Its account's templates do not keep it " +
      "where the business's next sender of the channel has that account too. To retire a number, let its campaigns end or cancel " +
      "them, and close its chats. Chats and campaigns that are over stay as they are; such a campaign is not sent again: its " +
      "`retry-failed` and `resend-unknown` are a 409.",
    "`phone` is what customers see, digits; a page or photo account, which has none, gives its id. `platform_id` is the id of the " +
      "number, page or account, the name of the instance, or the account at provider-b.",
    "`state` and `quality` are what the platform last said of it, by its own times: what comes late changes nothing. An instance is " +
      "`connecting` while its phone is being paired or the provider connects again, `open` while the phone is connected, and " +
      "`close` once it was logged out or lost: then it is paired again.",
  ],
};
