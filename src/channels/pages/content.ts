import type { FileKind, IncomingFile, IncomingMessage } from "../../inbox/public.ts";
import { beginning, storableText } from "../../kernel/text.ts";
import { type JsonObject, list, longestFileName, object, text } from "../shared/json-fields.ts";
import { fileNameOf } from "../shared/sending.ts";

/** The part of a platform's message that becomes one message of the inbox. */
type Part = Pick<IncomingMessage, "kind" | "body" | "details" | "file">;

/** The maximum number of pictures that the app sends as one message. */
export const mostParts = 30;

/** A message with several files becomes one message per file; the first message keeps the platform's id. */
export const partId = (mid: string, index: number): string => (index === 0 ? mid : `${mid}:${index}`);

const longestUrl = 4_096;
const longestLabel = 1_000;

const fileKinds: ReadonlyMap<unknown, FileKind> = new Map([
  ["image", "image"],
  ["video", "video"],
  ["audio", "audio"],
  ["file", "document"],
]);

const label = (value: unknown): string => beginning(text(value), longestLabel);
const urlOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= longestUrl && /^https?:/i.test(value) && URL.canParse(value)
    ? value
    : undefined;

/** The kinds and details are the cloud platform's, where that platform has the same kind of content. */
export function messageParts(message: JsonObject): Part[] {
  const attachments = list(message.attachments);
  const files = attachments.flatMap(filePart).slice(0, mostParts);
  const [first = otherPart(message, attachments), ...others] = files;
  const details = { ...first.details, ...contextOf(message, attachments) };
  const body = text(message.text) || first.body;
  return [{ ...first, body, ...(Object.keys(details).length > 0 && { details }) }, ...others];
}

export function postbackParts({ title, payload }: JsonObject): Part[] {
  const button = { payload: label(payload), text: label(title) };
  return [{ kind: "button", body: button.text, details: { button } }];
}

/** Stickers usually arrive as an `image` with a `sticker_id`. */
function filePart({ type, payload: given }: JsonObject): Part[] {
  const payload = object(given);
  const url = urlOf(payload.url);
  const sticker = stickerIdOf(payload);
  if (type === "sticker" || sticker !== undefined) {
    const details = sticker === undefined ? {} : { details: { sticker: { id: sticker } } };
    return [{ kind: "sticker", body: "", ...details, ...(url !== undefined && { file: fileAt(url, "sticker") }) }];
  }
  const kind = fileKinds.get(type);
  if (kind === undefined || url === undefined) return [];
  return [{ kind, body: "", file: fileAt(url, kind) }];
}

function stickerIdOf({ sticker_id: id }: JsonObject): string | undefined {
  return typeof id === "number" ? String(id) : label(id) || undefined;
}

const fileAt = (url: string, kind: FileKind): IncomingFile => ({
  kind,
  ...(kind === "document" && { name: beginning(storableText(fileNameOf(url)), longestFileName) }),
  place: { at: "url", url },
});

/** Reads a message without files. */
function otherPart(message: JsonObject, attachments: readonly JsonObject[]): Part {
  const [attachment = {}] = attachments;
  const words = text(message.text);
  const { payload: chosen } = object(message.quick_reply);
  if (typeof chosen === "string") {
    return { kind: "button", body: words, details: { button: { payload: label(chosen), text: words } } };
  }
  const place = locationOf(attachment);
  if (place) return { kind: "location", body: place.name ?? "", details: { location: place } };
  const link = linkOf(attachment);
  if (words !== "" || link) {
    return { kind: "text", body: words || link?.title || link?.url || "", ...(link && { details: { link } }) };
  }
  // `unsupported` is the cloud platform's kind for content that it does not show.
  return { kind: "unsupported", body: "", details: { unsupported: { type: label(attachment.type) || "unknown" } } };
}

function locationOf({ type, title, url, payload }: JsonObject) {
  const { lat: latitude, long: longitude } = object(object(payload).coordinates);
  if (type !== "location" || typeof latitude !== "number" || typeof longitude !== "number") return undefined;
  const name = label(title);
  const shown = urlOf(url);
  return { latitude, longitude, ...(name !== "" && { name }), ...(shown !== undefined && { url: shown }) };
}

/** A shared post, story, video or page. */
function linkOf({ type, title, url, payload: given }: JsonObject) {
  const payload = object(given);
  const address = urlOf(payload.url) ?? urlOf(url);
  const name = label(payload.title) || label(title) || label(payload.text) || label(productOf(payload).title);
  if (address === undefined && name === "") return undefined;
  return { type: label(type), ...(name !== "" && { title: name }), ...(address !== undefined && { url: address }) };
}

const productOf = (payload: JsonObject): JsonObject => list(object(payload.product).elements)[0] ?? {};

/** The story or product that the message refers to. */
function contextOf(message: JsonObject, attachments: readonly JsonObject[]): object {
  const { story: told } = object(message.reply_to);
  const url = urlOf(object(told).url);
  const story = { ...idIn(told), ...(url !== undefined && { url }) };
  const retailerId = label(productOf(object(attachments[0]?.payload)).retailer_id);
  const product = {
    ...(retailerId !== "" && { product_retailer_id: retailerId }),
    ...idIn(object(message.referral).product),
  };
  const context = {
    ...(Object.keys(story).length > 0 && { story }),
    ...(Object.keys(product).length > 0 && { referred_product: product }),
  };
  return Object.keys(context).length > 0 ? { context } : {};
}

function idIn(told: unknown): { readonly id?: string } {
  const id = label(object(told).id);
  return id === "" ? {} : { id };
}
