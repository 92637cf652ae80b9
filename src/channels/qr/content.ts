import { contactIn, type FileKind, mostContacts } from "../../inbox/public.ts";
import { beginning } from "../../kernel/text.ts";
import { type JsonObject, list, longestEmoji, object, omit, text } from "../shared/json-fields.ts";

/** The content of a message, in the cloud platform's format. */
export interface Content {
  readonly kind: string;
  readonly body: string;
  readonly details?: object;
  readonly file?: { readonly kind: FileKind; readonly name?: string };
}

/** A message, or a change of another message. */
export type Found =
  | { readonly is: "message"; readonly content: Content; readonly context: JsonObject }
  | { readonly is: "reaction"; readonly messageId: unknown; readonly emoji: string }
  | { readonly is: "withdrawal"; readonly messageId: unknown }
  | { readonly is: "edit"; readonly messageId: unknown; readonly body: string; readonly at: unknown };

const mostWrappers = 5;
/** In characters; the platform's own limit. */
const longestText = 65_536;
const longestDetail = 4_096;
const mostOptions = 20;
/** In characters of JSON. If unsupported content is larger, only its text is kept. */
const longestUnsupported = 8_192;

/** Fields that contain another message in their field `message`. */
const wrappers: readonly string[] = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
  "deviceSentMessage",
  "associatedChildMessage",
  "groupMentionedMessage",
  "lottieStickerMessage",
  "botInvokeMessage",
];

/** Messages in these fields are not shown: they are encrypted, or have nothing that a person wrote. */
const silent: readonly string[] = [
  "senderKeyDistributionMessage",
  "fastRatchetKeySenderKeyDistributionMessage",
  "secretEncryptedMessage",
  "pollUpdateMessage",
  "encReactionMessage",
  "encCommentMessage",
  "encEventResponseMessage",
  "keepInChatMessage",
  "pinInChatMessage",
  "albumMessage",
  "stickerSyncRmrMessage",
  "messageHistoryBundle",
  "messageHistoryNotice",
  "botFeedbackMessage",
];

/** The provider writes a type as its name or as its number. */
const revocations: readonly unknown[] = ["REVOKE", 0];
const edits: readonly unknown[] = ["MESSAGE_EDIT", 14];

/** Undefined if the message has no content to show. */
export function contentIn(message: unknown, wrapped = 0): Found | undefined {
  const told = object(message);
  const wrapper = wrappers.find((name) => Object.hasOwn(told, name));
  if (wrapper !== undefined) {
    return wrapped < mostWrappers ? contentIn(object(told[wrapper]).message, wrapped + 1) : undefined;
  }
  if (Object.hasOwn(told, "protocolMessage")) return changeIn(object(told.protocolMessage));
  if (Object.hasOwn(told, "reactionMessage")) return reactionIn(object(told.reactionMessage));
  if (text(told.conversation) !== "") return shown(plainText(told.conversation), object(told.contextInfo));
  for (const [name, read] of readers) {
    const held = Object.hasOwn(told, name) ? object(told[name]) : undefined;
    if (held) return shown(read(held), object(held.contextInfo));
  }
  const other = Object.keys(told).find((name) => /Message(?:V\d)?$/.test(name) && !silent.includes(name));
  if (other === undefined) return undefined;
  const held = object(told[other]);
  return shown(unsupported(other, held), object(held.contextInfo));
}

const shown = (content: Content, context: JsonObject): Found => ({ is: "message", content, context });

/** An author's withdrawal or edit of an earlier message. */
export function changeIn({ type, key, editedMessage, timestampMs: at }: JsonObject): Found | undefined {
  const messageId = object(key).id;
  if (revocations.includes(type)) return { is: "withdrawal", messageId };
  if (!edits.includes(type)) return undefined;
  const { protocolMessage: _, editedMessage: __, ...edited } = object(editedMessage);
  const found = contentIn(edited);
  return found?.is === "message" ? { is: "edit", messageId, body: found.content.body, at } : undefined;
}

const reactionIn = ({ key, text: emoji }: JsonObject): Found => ({
  is: "reaction",
  messageId: object(key).id,
  emoji: beginning(text(emoji), longestEmoji),
});

const plainText = (body: unknown): Content => ({ kind: "text", body: beginning(text(body), longestText) });

const short = (value: unknown): string => beginning(text(value), longestDetail);

/** Drops empty values and `false`. */
const given = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== "" && value !== false),
  );

/** Key: the field with a message's content. Value: the function that reads this field. */
const readers = new Map<string, (held: JsonObject) => Content>([
  ["extendedTextMessage", (held) => plainText(held.text)],
  ["imageMessage", (held) => file("image", held)],
  ["videoMessage", (held) => file("video", held)],
  ["ptvMessage", (held) => file("video", held)],
  ["audioMessage", (held) => file("audio", held, { voice: held.ptt === true })],
  ["documentMessage", (held) => file("document", held, { filename: short(held.fileName) || short(held.title) })],
  ["stickerMessage", (held) => file("sticker", held, { animated: held.isAnimated === true })],
  ["locationMessage", location],
  ["liveLocationMessage", location],
  ["contactMessage", (held) => contacts([held])],
  ["contactsArrayMessage", (held) => contacts(list(held.contacts))],
  ["buttonsResponseMessage", (held) => choice("button_reply", held.selectedButtonId, held.selectedDisplayText)],
  ["templateButtonReplyMessage", templateButton],
  [
    "listResponseMessage",
    (held: JsonObject) =>
      choice("list_reply", object(held.singleSelectReply).selectedRowId, text(held.title), held.description),
  ],
  ["interactiveResponseMessage", flowAnswer],
  ["orderMessage", order],
]);

function file(kind: FileKind, held: JsonObject, facts: Readonly<Record<string, unknown>> = {}): Content {
  const mime = short(held.mimetype);
  const name = short(facts.filename);
  return {
    kind,
    body: beginning(text(held.caption), longestText) || name,
    details: { [kind]: given({ mime_type: mime, ...facts }) },
    file: { kind, ...(name !== "" && { name }) },
  };
}

function location(held: JsonObject): Content {
  const [name, address] = [short(held.name), short(held.address)];
  const { degreesLatitude: latitude, degreesLongitude: longitude } = held;
  const at = typeof latitude === "number" && typeof longitude === "number" ? { latitude, longitude } : {};
  const body = name || address || short(held.caption) || short(held.comment);
  return { kind: "location", body, details: { location: { ...at, ...given({ name, address }) } } };
}

function contacts(cards: readonly JsonObject[]): Content {
  const read = cards.slice(0, mostContacts).map(({ vcard, displayName }) => contactIn(text(vcard), short(displayName)));
  return { kind: "contacts", body: "", details: { contacts: read } };
}

function choice(type: "button_reply" | "list_reply", chosen: unknown, title: unknown, description?: unknown): Content {
  const body = short(title);
  const reply = { id: short(chosen), title: body, ...given({ description: short(description) }) };
  return { kind: "interactive", body, details: { interactive: { type, [type]: reply } } };
}

function templateButton({ selectedId, selectedDisplayText }: JsonObject): Content {
  const body = short(selectedDisplayText);
  return { kind: "button", body, details: { button: { payload: short(selectedId), text: body } } };
}

function flowAnswer(held: JsonObject): Content {
  const { name, paramsJson } = object(held.nativeFlowResponseMessage);
  const body = short(object(held.body).text);
  const reply = { name: short(name), body, response_json: short(paramsJson) };
  return { kind: "interactive", body, details: { interactive: { type: "nfm_reply", nfm_reply: reply } } };
}

/** `product_items` stays empty: the provider does not send the products, and only the phone could request them. */
function order(held: JsonObject): Content {
  const note = short(held.message);
  const title = short(held.orderTitle);
  const amount = amountOf(held.totalAmount1000);
  const facts = { id: short(held.orderId), title, text: note, amount, currency: short(held.totalCurrencyCode) };
  const { itemCount } = held;
  const items = typeof itemCount === "number" ? { item_count: itemCount } : {};
  return { kind: "order", body: note || title, details: { order: { ...given(facts), ...items, product_items: [] } } };
}

/** Converts thousandths of a currency unit to units: 12500 becomes 12.5. */
function amountOf(thousandths: unknown): number | undefined {
  const amount = typeof thousandths === "object" ? longOf(thousandths) : Number(thousandths);
  return Number.isSafeInteger(amount) && amount >= 0 ? amount / 1_000 : undefined;
}

/** A 64-bit number, which the provider writes as two halves; NaN for other values. */
export function longOf(told: unknown): number {
  const { low, high } = object(told);
  return typeof low === "number" && typeof high === "number" ? high * 2 ** 32 + (low >>> 0) : Number.NaN;
}

function unsupported(type: string, held: JsonObject): Content {
  const name = short(held.name) || short(held.title) || short(object(held.product).title);
  const options = list(held.options)
    .slice(0, mostOptions)
    .map(({ optionName }) => short(optionName));
  const { hydratedContentText } = object(held.hydratedTemplate);
  const texts = [
    held.text,
    held.caption,
    held.contentText,
    object(held.body).text,
    hydratedContentText,
    held.description,
  ];
  const said = texts.map(short).find((each) => each !== "") ?? "";
  const body = [name, said, ...options].filter((line) => line !== "").join("\n");
  const content = omit(held, ["contextInfo", "encKey", "mediaKey", "jpegThumbnail"]);
  const there = JSON.stringify(content).length <= longestUnsupported ? { content } : {};
  return {
    kind: "unsupported",
    body: beginning(body, longestText),
    details: { unsupported: { type: beginning(type, 100), ...there } },
  };
}
