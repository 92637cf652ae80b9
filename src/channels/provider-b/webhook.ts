import { randomBytes } from "node:crypto";
import { networkOf } from "../../infra/http/addresses.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { named, text } from "../../infra/http/routing/schema.ts";
import { sameText } from "../../infra/http/same-text.ts";
import { providerBChannel } from "../../kernel/channels.ts";
import type { ReceivingParts } from "../channel.ts";
import { type Delivered, open, type Proof, webhookRoute } from "../shared/webhook.ts";
import { addressOf } from "./account.ts";
import { webhookPath } from "./callback.ts";
import { type Form, fieldOf, formIn, signaturesOf } from "./form.ts";
import { type KeptForm, kindOf } from "./payload.ts";

/** Documents the main fields of a webhook. */
const providerBDelivery = named(
  "ProviderBWebhook",
  open({
    AccountSid: { ...text, description: "The account that signs with its token" },
    MessageSid: text,
    From: {
      ...text,
      description: "`whatsapp:+<number>` of the customer; in a status, of the sender",
      example: "whatsapp:+59170000001",
    },
    To: { ...text, description: "`whatsapp:+<number>` of the sender; in a status, of the customer" },
    Body: text,
    ProfileName: text,
    NumMedia: { ...text, description: "The number of files, up to 10: `MediaUrl0`, `MediaContentType0`, ..." },
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
    OriginalRepliedMessageSid: { ...text, description: "The message that this one replies to" },
    ReferralSourceType: { ...text, description: "`ad` if the customer came from an ad" },
    ReferralSourceId: text,
    MessageStatus: {
      ...text,
      description: "In a status: `queued`, `sending`, `sent`, `delivered`, `read`, `undelivered` or `failed`",
    },
    ErrorCode: text,
    ErrorMessage: text,
  }),
);

/** In bytes. A text has up to 4,096 characters, and a form needs up to 12 bytes for each of them. */
const bodyLimit = 64 * 1024;

/** The token for checking unknown accounts, so that the response time does not reveal whether an account is known. */
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
      rules: {
        "ProviderBWebhook.1":
          "`X-Twilio-Signature` has, in base64, the HMAC-SHA1 of the URL and all fields sorted by name, with the token of the " +
          "account `AccountSid`. The URL is `PUBLIC_URL` with the requested path and query, with or without a port. It is " +
          "checked before anything else is read; an unknown account is refused like a wrong signature.",
        "ProviderBWebhook.2":
          "The webhook is stored and answered with an empty TwiML document; it is processed afterwards. Repeated, late or " +
          "reordered deliveries change nothing twice and undo nothing.",
        "ProviderBWebhook.3":
          "A message is accepted if `To` is `whatsapp:+` and the number of the sender with this account. Messages for another " +
          "number of the account are answered and dropped, and so are statuses whose `From` is another number.",
        "ProviderBWebhook.4":
          "A message with several files becomes several messages; the first one has the text. There are no reactions.",
        "ProviderBWebhook.5":
          "Each sent message asks for its statuses at this URL, with our reference in the query (`ref`), so that the first " +
          "status settles a message whose answer was lost. `ErrorCode` 21610 and 63033 mean that the customer opted out.",
      },
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
/** An account id of another form cannot belong to a sender, so it is not looked up. */
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

/** Webhooks for other numbers of the account are dropped. A status without `From` is accepted. */
const isOfNumber = (form: Form, kind: "message" | "status", own: string): boolean =>
  kind === "message" ? fieldOf(form, "To") === own : ["", own].includes(fieldOf(form, "From"));
