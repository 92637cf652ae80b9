import type { AccountNews, NumberNews, PreferenceChange, WebhookNews } from "../../inbox/public.ts";
import { reportedStates } from "../../kernel/delivery.ts";
import { beginning } from "../../kernel/text.ts";
import type { DeliveryStatus, TemplateNews } from "../../messaging/public.ts";
import { nothingGathered } from "../shared/gathered-news.ts";
import {
  digits,
  id,
  type JsonObject,
  list,
  longestName,
  object,
  omit,
  parseWebhook,
  text,
  timeOfSeconds,
  uuid,
} from "../shared/json-fields.ts";
import { storableCode } from "../shared/refusals.ts";
import { readEcho, readEdit, readMessage, readReaction, readWithdrawal } from "./messages.ts";

/** Error code: the recipient opted out of marketing messages. */
const optedOutCode = 131050;
/** The fields that are read. Others are ignored, such as `history` with messages from before a number was connected. */
export const readFields: readonly string[] = [
  ...["messages", "user_preferences", "smb_message_echoes"],
  ...["message_template_status_update", "template_category_update"],
  ...["phone_number_quality_update", "account_update"],
];

/** True if the payload has a field that is read. */
export const isReadOfCloud = (told: unknown): boolean =>
  list(object(told).entry).some(({ changes }) => list(changes).some(({ field }) => readFields.includes(text(field))));

/**
 * Reads a webhook of the cloud business API. Unknown fields and events are skipped without an error, because the
 * platform repeats a failed webhook for days. Throws only if the payload is not JSON.
 */
export function readCloudWebhook(payload: string): WebhookNews {
  const root = parseWebhook(payload);
  const news = nothingGathered();
  for (const entry of list(root.entry)) {
    for (const change of list(entry.changes)) {
      const value = object(change.value);
      const field = text(change.field);
      news.templates.push(...readTemplate(field, value, entry));
      if (field === "phone_number_quality_update") news.numbers.push(...readNumberNews(value, entry));
      if (field === "account_update") news.accounts.push(...readAccountNews(value, entry));
      const sender = id(object(value.metadata).phone_number_id);
      if (sender === undefined) continue;
      if (field === "smb_message_echoes") {
        const written = list(value.message_echoes);
        news.echoes.push(...written.flatMap((message) => readEcho(message, sender)));
        news.edits.push(...written.flatMap((message) => readEdit(message, sender, "business")));
      }
      if (field !== "messages" && field !== "user_preferences") continue;
      news.preferences.push(...list(value.user_preferences).flatMap((word) => readPreference(word, sender)));
      if (field !== "messages") continue;
      const names = profileNames(value);
      for (const message of list(value.messages).map(withErrorsOf(value))) {
        if (message.type === "reaction") news.reactions.push(...readReaction(message, sender, names));
        else if (message.type === "edit") news.edits.push(...readEdit(message, sender, "customer"));
        else if (message.type === "revoke") news.withdrawals.push(...readWithdrawal(message, sender));
        else news.messages.push(...readMessage(message, sender, names));
      }
      news.statuses.push(...list(value.statuses).flatMap((status) => readStatus(status, sender)));
    }
  }
  return news;
}

/** Copies the errors beside the list of messages into each message that has no errors of its own. */
const withErrorsOf =
  ({ errors }: JsonObject) =>
  (message: JsonObject): JsonObject =>
    Array.isArray(errors) ? { errors, ...message } : message;

function readStatus(status: JsonObject, sender: string): DeliveryStatus[] {
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

function readError(error: JsonObject) {
  const code = Number.isInteger(error.code) ? storableCode(Number(error.code)) : 0;
  const reason = text(object(error.error_data).details) || text(error.message) || text(error.title);
  return { code, reason: beginning(reason, 500), optedOut: code === optedOutCode };
}

function readPreference(word: JsonObject, sender: string): PreferenceChange[] {
  const from = digits(word.wa_id);
  if (from === undefined || word.category !== "marketing_messages") return [];
  if (word.value !== "stop" && word.value !== "resume") return [];
  return [{ sender, from, optedOut: word.value === "stop", occurredAt: timeOfSeconds(word.timestamp) }];
}

/** Template states by event. Other events, such as warnings, change no state. */
const templateStates: Readonly<Record<string, string | null>> = {
  ...Object.fromEntries(
    ["APPROVED", "PENDING", "REJECTED", "IN_APPEAL", "PAUSED", "DISABLED", "PENDING_DELETION", "LIMIT_EXCEEDED"].map(
      (state) => [state, state],
    ),
  ),
  REINSTATED: "APPROVED",
  DELETED: null,
};

function readTemplate(field: string, value: JsonObject, entry: JsonObject): TemplateNews[] {
  const account = id(entry.id);
  const name = id(value.message_template_name);
  const language = id(value.message_template_language);
  if (account === undefined || name === undefined || language === undefined) return [];
  const { message_template_id: given } = value;
  const platformId = (Number.isSafeInteger(given) ? String(given) : id(given)) ?? null;
  const news = { account, platformId, name, language, at: timeOfSeconds(entry.time) };
  if (field === "template_category_update") {
    const category = id(value.new_category);
    return category === undefined ? [] : [{ ...news, category }];
  }
  const event = text(value.event);
  if (field !== "message_template_status_update" || !Object.hasOwn(templateStates, event)) return [];
  return [{ ...news, status: templateStates[event] ?? null, reason: templateReason(value) }];
}

function templateReason(value: JsonObject): string | null {
  const { title, description } = object(value.other_info);
  const reason = text(value.reason);
  return beginning((reason === "NONE" ? "" : reason) || text(description) || text(title), 500) || null;
}

function readNumberNews(value: JsonObject, entry: JsonObject): NumberNews[] {
  const account = id(entry.id);
  const phone = text(value.display_phone_number).replaceAll(/\D/g, "");
  const state = text(value.event);
  if (account === undefined || phone === "" || !/^[A-Z_]{1,50}$/.test(state)) return [];
  return [{ account, phone, state, at: timeOfSeconds(entry.time) }];
}

function profileNames(value: JsonObject): ReadonlyMap<string, string> {
  const named = list(value.contacts).map((contact) => [
    text(contact.wa_id),
    beginning(text(object(contact.profile).name), longestName),
  ]);
  return new Map(named.filter(([, name]) => name !== "") as [string, string][]);
}

/** In characters of JSON. Longer details are dropped; the platform's events have a few hundred. */
const mostDetails = 8_000;

function readAccountNews(value: JsonObject, entry: JsonObject): AccountNews[] {
  const account = id(entry.id);
  const event = text(value.event);
  if (account === undefined || !/^[A-Z0-9_]{1,64}$/.test(event)) return [];
  const told = omit(value, ["event"]);
  const details = JSON.stringify(told).length > mostDetails ? {} : told;
  return [{ account, event, details, at: timeOfSeconds(entry.time) }];
}
