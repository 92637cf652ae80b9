import { pageChannel, photoChannel } from "../kernel/channels.ts";
import { readAdAccount } from "./ads/settings.ts";
import {
  dialled,
  flag,
  integer,
  listOf,
  oneOf,
  optional,
  phoneNumber,
  reader,
  type Settings,
  shape,
  text,
  texts,
  webAddress,
} from "./core/input.ts";
import { readWebhookTarget } from "./core/webhooks.ts";

const readTemplate = shape({
  name: text(512),
  language: text(20),
  status: text(50),
  category: optional(text(50)),
  components: listOf(reader<unknown>({}), 20),
});
export type SandboxTemplate = Settings<typeof readTemplate>;

/** A phone number of a business at the platform. Phone numbers with the same `accountId` share templates. */
export const readAccount = shape({
  token: text(1024),
  accountId: text(100),
  phoneNumberId: text(100),
  displayPhoneNumber: text(30),
  /** Messages above this rate are refused with 130429; there is no limit when absent. */
  messagesPerSecond: optional(integer(1, 100_000)),
  /** `GREEN` when absent. */
  quality: optional(oneOf("GREEN", "YELLOW", "RED", "UNKNOWN")),
  /** Customers per day, such as `TIER_250`; `TIER_UNLIMITED` when absent. It is reported but not enforced. */
  messagingLimit: optional(text(50)),
  templates: listOf(readTemplate, 6_000),
  /** Customers who can be written to at any time. Others must write first. */
  people: optional(listOf(phoneNumber, 100_000)),
});
export type SandboxAccount = Settings<typeof readAccount>;

/** A page or photo-app account. `people` can be written to at any time; others must write first. */
export const readPage = shape({
  pageId: text(100),
  token: text(1024),
  /** `pageChannel` when absent. */
  channel: optional(oneOf(pageChannel, photoChannel)),
  people: optional(listOf(text(100), 100_000)),
  photoAccountId: optional(text(100)),
});
export type SandboxPage = Settings<typeof readPage>;

/** A phone paired with the QR provider. */
export const readQrInstance = shape({
  instance: text(100),
  apiKey: text(1024),
  /** `false` means that the phone is off. */
  connected: optional(flag),
  phone: optional(phoneNumber),
  /** The address of all its webhooks, unless a client sets another one. */
  webhook: optional(shape({ url: webAddress, headers: optional(texts) })),
  /** Whether webhooks include files. When absent, the client sets this together with the webhook. */
  webhookBase64: optional(flag),
  /** The event that reports messages sent through the API; `send.message` when absent. */
  echo: optional(oneOf("send.message", "messages.upsert", "both")),
  /** The form of status webhooks, which depends on the provider's version; `keyId` when absent. */
  updates: optional(oneOf("keyId", "key", "list", "id")),
  /**
   * True for the message types of older provider versions: `extendedTextMessage` for a text with a context, and
   * `documentWithCaptionMessage` for a document with a caption.
   */
  wraps: optional(flag),
});
export type SandboxQrInstance = Settings<typeof readQrInstance>;

/** `variables` is the number of variables. Their names are "1", "2" and so on. */
const readProviderBTemplate = shape({ contentId: text(100), variables: integer(0, 100) });
export type SandboxProviderBTemplate = Settings<typeof readProviderBTemplate>;

/** An account at ProviderB with the number that its messages are sent from. */
export const readProviderB = shape({
  accountId: text(100),
  token: text(1024),
  phone: phoneNumber,
  templates: optional(listOf(readProviderBTemplate, 6_000)),
  /** `active` when absent. */
  status: optional(oneOf("active", "suspended", "closed")),
  /** Customers who can be written to at any time. Others must write first. */
  people: optional(listOf(phoneNumber, 100_000)),
  webhookUrl: optional(webAddress),
});
export type SandboxProviderB = Settings<typeof readProviderB>;

/** An application at the host of the Pusher protocol. */
const readPusherApp = shape({ appId: text(100), key: text(100), secret: text(1024) });
export type SandboxPusherApp = Settings<typeof readPusherApp>;

/** A customer: a phone number with or without `+`, or the id that a page has for the customer. */
const readRecipient = reader<string>({ ...text(100).json, becomes: (written: string) => dialled(written) ?? written });
export const readRecipients = listOf(readRecipient, 100_000);

/** Throws a `BadInput` that names the invalid setting. */
export const readSettings = shape({
  /** 0 means any free port. */
  port: integer(0, 65_535),
  host: text(255),
  /** Where cloud numbers, pages and photo accounts send webhooks. When absent, they send no webhooks. */
  webhook: optional(readWebhookTarget),
  accounts: listOf(readAccount, 10_000),
  pages: optional(listOf(readPage, 10_000)),
  qrInstances: optional(listOf(readQrInstance, 10_000)),
  providerB: optional(listOf(readProviderB, 10_000)),
  pusherApps: optional(listOf(readPusherApp, 100)),
  adAccounts: optional(listOf(readAdAccount, 1_000)),
  /** Milliseconds from a message's acceptance to its first delivery status, and between statuses; 50 when absent. */
  statusDelayMs: optional(integer(0, 3_600_000)),
  /** Milliseconds for which file addresses of the cloud channel and ProviderB are valid; 300,000 when absent. */
  mediaLinkMs: optional(integer(0, 3_600_000)),
  /** Milliseconds until a client's template is reviewed; 2,000 when absent. */
  reviewDelayMs: optional(integer(0, 3_600_000)),
  /** How many accepted messages are remembered; 100,000 when absent. */
  keepMessages: optional(integer(1, 1_000_000)),
  /** Recipients that cannot be reached. The cloud channel refuses them with 131026. */
  undeliverable: optional(readRecipients),
});

export type SandboxSettings = Settings<typeof readSettings> & { readonly log?: ((line: string) => void) | undefined };
