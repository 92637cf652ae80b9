import { randomBytes } from "node:crypto";
import { networkOf } from "../../infra/http/addresses.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { named, type Schema, text } from "../../infra/http/routing/schema.ts";
import { sameText } from "../../infra/http/same-text.ts";
import { providerBChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { type Delivered, type Proof, webhookRoute } from "../shared/webhook.ts";
import { webhookPath } from "./callback.ts";
import { type Form, fieldOf, formIn, signaturesOf } from "./form.ts";
import { addressOf } from "./numbers.ts";
import { type KeptForm, kindOf } from "./payload.ts";

/** The fields that are read; there are others. */
const providerBDelivery = named("ProviderBWebhook", {
  type: "object",
  properties: {
    AccountSid: { ...text, description: "The account, whose token signs" },
    MessageSid: text,
    From: {
      ...text,
      description: "`whatsapp:+<number>`; the customer's, or in a status the sender's",
      example: "whatsapp:+59170000001",
    },
    To: { ...text, description: "`whatsapp:+<number>`; the sender's, or in a status the customer's" },
    Body: text,
    ProfileName: text,
    NumMedia: { ...text, description: "How many files, up to 10: `MediaUrl0`, `MediaContentType0`, ..." },
    MediaUrl0: text,
    MediaContentType0: text,
    MessageType: { ...text, description: "`text`, `image`, `location`, `button`, `interactive`, ..." },
    Latitude: text,
    Longitude: text,
    Address: text,
    Label: text,
    ButtonText: text,
    ButtonPayload: text,
    ListId: text,
    ListTitle: text,
    OriginalRepliedMessageSid: { ...text, description: "The message that it answers" },
    ReferralSourceType: { ...text, description: "`ad` if the customer came from an ad" },
    ReferralSourceId: text,
    MessageStatus: {
      ...text,
      description: "In a status: `queued`, `sending`, `sent`, `delivered`, `read`, `undelivered` or `failed`",
    },
    ErrorCode: text,
    ErrorMessage: text,
  },
  additionalProperties: true,
} as const satisfies Schema);

/** Bytes. A message has up to 4,096 characters, each of up to 12 bytes as a form writes it. */
const bodyLimit = 64 * 1024;

/** For accounts that no business has: they cost a signature, too. */
const tokenOfNoAccount = randomBytes(16).toString("hex");

interface FormProof extends Proof {
  readonly form: Form;
  readonly phone: string;
  readonly reference: string;
}

export const providerBWebhookRoutes = (parts: ReceivingParts): Route[] => [
  webhookRoute<FormProof>(
    {
      channel: providerBChannel,
      path: webhookPath,
      operationId: "receiveProviderBWebhook",
      summary: "Customer messages and delivery statuses from ProviderB",
      rules: [
        [
          "ProviderBWebhook.1",
          "`X-Twilio-Signature` holds, in base64, the HMAC-SHA1 with the token of the account `AccountSid` of the address and all " +
            "fields in the order of their names. The address is `PUBLIC_URL` followed by the path and the query that were " +
            "called, with or without a port. It is checked before anything else is read; an account that no business has is refused like " +
            "a wrong signature.",
        ],
        [
          "ProviderBWebhook.2",
          "It is stored and answered with an empty TwiML document; what follows from it happens afterwards. What was " +
            "delivered twice or out of order changes nothing twice and turns nothing back.",
        ],
        [
          "ProviderBWebhook.3",
          "A message counts where `To` is `whatsapp:+` and the number of the sender with that account. What came for " +
            "another number of the account is answered and dropped, and so is a status whose `From` is another number.",
        ],
        [
          "ProviderBWebhook.4",
          "A message with several files becomes several messages; the first of them has the text. Reactions do not exist there.",
        ],
        [
          "ProviderBWebhook.5",
          "Each message that is sent asks for its statuses at this address, with our reference in the query (`ref`). So a message " +
            "whose answer was lost is settled by its first status. `ErrorCode` 21610 and 63033 say that the customer opted out.",
        ],
      ],
      schema: providerBDelivery,
      bodyType: "application/x-www-form-urlencoded",
      bodyLimit,
      failures: parts.newFailureLimit("wrong provider-b webhooks"),
      refusal: "Invalid signature",
      answer: { type: "text/xml", text: '<?xml version="1.0" encoding="UTF-8"?><Response/>' },
      prove: (delivered) => proven(delivered, parts),
      keep: (_, proof) => kept(proof),
    },
    parts,
  ),
];

const signatureForm = /^[A-Za-z0-9+/]{27}=$/;
/** Ids that no sender can have are not looked up. */
const isId = /^[^\p{C}]{1,200}$/u;

async function proven(
  { body, headers, url, ip }: Delivered,
  { senderTokens, address }: ReceivingParts,
): Promise<FormProof | null> {
  const given = String(headers["x-twilio-signature"] ?? "");
  const form = signatureForm.test(given) ? formIn(body) : null;
  if (form === null) return null;
  const account = fieldOf(form, "AccountSid");
  const found = isId.test(account) ? await senderTokens.find(providerBChannel, account, networkOf(ip)) : null;
  const expected = signaturesOf(found?.token ?? tokenOfNoAccount, address.root + url, form);
  const isSigned = expected.map((each) => sameText(given, each)).includes(true);
  if (!isSigned || found === null) return null;
  const reference = new URLSearchParams(url.split("?")[1]).get("ref") ?? "";
  return { about: { platformId: account, owner: found.owner }, form, phone: found.phone, reference };
}

function kept({ form, phone, reference }: FormProof): string | null {
  const kind = kindOf((name) => fieldOf(form, name));
  if (kind === null || !isOfNumber(form, kind, addressOf(phone))) return null;
  const fields = Object.fromEntries([...form.keys()].map((name) => [name, fieldOf(form, name)]));
  return JSON.stringify({ at: Date.now(), reference, fields } satisfies KeptForm);
}

/** An account has several numbers; a status that does not say which one it is about counts by its message. */
const isOfNumber = (form: Form, kind: "message" | "status", own: string): boolean =>
  kind === "message" ? fieldOf(form, "To") === own : ["", own].includes(fieldOf(form, "From"));
