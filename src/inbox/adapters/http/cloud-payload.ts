import { reportedStates } from "../../../kernel/delivery.ts";
import { storableText } from "../../../kernel/text.ts";
import type { DeliveryStatus, TemplateNews } from "../../../messaging/public.ts";
import type {
  IncomingMessage,
  IncomingReaction,
  NumberNews,
  PreferenceChange,
  WebhookNews,
} from "../../domain/incoming.ts";

/** The recipient opted out of marketing messages. */
const optedOutCode = 131050;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** One character, which may be put together from many: a family with its skin tones has 25 units. */
const longestEmoji = 64;

/** Whatever the platform sent: nothing of it is taken for granted. */
type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a webhook of the cloud business API. Fields and kinds that are not known are left out, never an error:
 * a webhook that fails is delivered again for days. Throws only when the payload is no JSON.
 */
export function readCloudWebhook(payload: string): WebhookNews {
  const root = unstorable.test(payload) ? JSON.parse(payload, storable) : JSON.parse(payload);
  const messages: IncomingMessage[] = [];
  const reactions: IncomingReaction[] = [];
  const statuses: DeliveryStatus[] = [];
  const preferences: PreferenceChange[] = [];
  const templates: TemplateNews[] = [];
  const numbers: NumberNews[] = [];
  for (const entry of list(object(root).entry)) {
    for (const change of list(entry.changes)) {
      const value = object(change.value);
      templates.push(...readTemplate(text(change.field), value, entry));
      if (change.field === "phone_number_quality_update") numbers.push(...readNumberNews(value, entry));
      const sender = id(object(value.metadata).phone_number_id);
      if (sender === undefined) continue;
      const names = profileNames(value);
      for (const message of list(value.messages)) {
        if (message.type === "reaction") reactions.push(...readReaction(message, sender, names));
        else messages.push(...readMessage(message, sender, names));
      }
      statuses.push(...list(value.statuses).flatMap((status) => readStatus(status, sender)));
      preferences.push(...list(value.user_preferences).flatMap((word) => readPreference(word, sender)));
    }
  }
  return { messages, reactions, statuses, preferences, templates, numbers, connections: [] };
}

function readMessage(message: Json, sender: string, names: ReadonlyMap<string, string>): IncomingMessage[] {
  const from = digits(message.from);
  const platformMessageId = id(message.id);
  const kind = id(message.type);
  if (from === undefined || platformMessageId === undefined || kind === undefined) return [];
  const name = names.get(from);
  const details = omit(message, ["id", "from", "timestamp", "type", "referral", "text"]);
  const referral = object(message.referral);
  const adId = id(referral.source_id);
  const replyTo = id(object(message.context).id);
  return [
    {
      sender,
      from,
      ...(name === undefined ? {} : { name }),
      platformMessageId,
      kind,
      body: bodyOf(kind, object(message[kind])),
      ...(Object.keys(details).length > 0 ? { details } : {}),
      ...(replyTo === undefined ? {} : { replyTo }),
      occurredAt: time(message.timestamp),
      ...(adId !== undefined && referral.source_type === "ad" ? { referral: { adId, details: referral } } : {}),
    },
  ];
}

function readReaction(message: Json, sender: string, names: ReadonlyMap<string, string>): IncomingReaction[] {
  const from = digits(message.from);
  const reaction = object(message.reaction);
  const messageId = id(reaction.message_id);
  if (from === undefined || messageId === undefined) return [];
  const name = names.get(from);
  const emoji = beginning(text(reaction.emoji), longestEmoji);
  const occurredAt = time(message.timestamp);
  return [{ sender, from, ...(name === undefined ? {} : { name }), messageId, emoji, occurredAt }];
}

/** What an inbox shows of each kind of message. */
function bodyOf(kind: string, content: Json): string {
  switch (kind) {
    case "text":
    case "system":
      return text(content.body);
    case "button":
      return text(content.text);
    case "interactive":
      return text(object(content.button_reply).title) || text(object(content.list_reply).title);
    case "location":
      return text(content.name) || text(content.address);
    case "order":
      return text(content.text);
    default:
      return text(content.caption) || text(content.filename);
  }
}

function readStatus(status: Json, sender: string): DeliveryStatus[] {
  const platformMessageId = id(status.id);
  const state = reportedStates.find((known) => known === status.status);
  if (platformMessageId === undefined || state === undefined) return [];
  const reference = text(status.biz_opaque_callback_data);
  const recipientId = digits(status.recipient_id);
  return [
    {
      sender,
      platformMessageId,
      ...(uuid.test(reference) ? { reference } : {}),
      ...(recipientId === undefined ? {} : { recipientId }),
      state,
      ...(state === "failed" ? { error: readError(list(status.errors)[0] ?? {}) } : {}),
    },
  ];
}

function readError(error: Json) {
  const code = Number.isInteger(error.code) && Math.abs(Number(error.code)) < 2 ** 31 ? Number(error.code) : 0;
  const reason = text(object(error.error_data).details) || text(error.message) || text(error.title);
  return { code, reason: beginning(reason, 500), optedOut: code === optedOutCode };
}

function readPreference(word: Json, sender: string): PreferenceChange[] {
  const from = digits(word.wa_id);
  if (from === undefined || word.category !== "marketing_messages") return [];
  if (word.value !== "stop" && word.value !== "resume") return [];
  return [{ sender, from, optedOut: word.value === "stop", occurredAt: time(word.timestamp) }];
}

/** States of templates by the event that tells of them; others, such as a warning, change none. */
const templateStates: Readonly<Record<string, string | null>> = {
  ...Object.fromEntries(
    ["APPROVED", "PENDING", "REJECTED", "IN_APPEAL", "PAUSED", "DISABLED", "PENDING_DELETION", "LIMIT_EXCEEDED"].map(
      (state) => [state, state],
    ),
  ),
  REINSTATED: "APPROVED",
  DELETED: null,
};

function readTemplate(field: string, value: Json, entry: Json): TemplateNews[] {
  const account = id(entry.id);
  const name = id(value.message_template_name);
  const language = id(value.message_template_language);
  if (account === undefined || name === undefined || language === undefined) return [];
  const { message_template_id: given } = value;
  const platformId = (Number.isSafeInteger(given) ? String(given) : id(given)) ?? null;
  const news = { account, platformId, name, language, at: time(entry.time) };
  if (field === "template_category_update") {
    const category = id(value.new_category);
    return category === undefined ? [] : [{ ...news, category }];
  }
  const event = text(value.event);
  if (field !== "message_template_status_update" || !Object.hasOwn(templateStates, event)) return [];
  return [{ ...news, status: templateStates[event] ?? null, reason: templateReason(value) }];
}

function templateReason(value: Json): string | null {
  const { title, description } = object(value.other_info);
  const reason = text(value.reason);
  return beginning((reason === "NONE" ? "" : reason) || text(description) || text(title), 500) || null;
}

function readNumberNews(value: Json, entry: Json): NumberNews[] {
  const account = id(entry.id);
  const phone = text(value.display_phone_number).replaceAll(/\D/g, "");
  const state = text(value.event);
  if (account === undefined || phone === "" || !/^[A-Z_]{1,50}$/.test(state)) return [];
  return [{ account, phone, state, at: time(entry.time) }];
}

function profileNames(value: Json): ReadonlyMap<string, string> {
  const named = list(value.contacts).map((contact) => [
    text(contact.wa_id),
    beginning(text(object(contact.profile).name), 200),
  ]);
  return new Map(named.filter(([, name]) => name !== "") as [string, string][]);
}

/** What cannot be stored, as JSON may write it; a customer's message may hold it. */
const unstorable = /\\u(0000|d[89a-f])/i;

function storable(_: string, value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storableText(name), inner]));
}

/** At most `length` units, and no half of a character at the cut. */
const beginning = (value: string, length: number): string => value.slice(0, length).replace(/\p{Cs}$/u, "");

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** An identifier that fits an index. */
const id = (value: unknown): string | undefined =>
  typeof value === "string" && value.length > 0 && value.length <= 512 ? value : undefined;

const digits = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{1,64}$/.test(value) ? value : undefined;

/** The platform gives seconds, as text; what is no time or lies ahead of ours counts as now. */
function time(value: unknown): Date {
  const ms = Number(value) * 1000;
  return ms > 0 && ms < Date.now() ? new Date(ms) : new Date();
}

const omit = (value: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
