import { createHash, randomBytes } from "node:crypto";
import { type CustomerFile, messageFields } from "../core/customer-input.ts";
import { BadInput, type Fields, flag, object, optional, type Settings, shape, text } from "../core/input.ts";

export interface QrContent {
  readonly messageType: string;
  readonly message: Fields;
  /** The context of the message. The provider sends it beside `message`, even if `message` contains it, too. */
  readonly contextInfo?: Fields | undefined;
}

/** A message that a customer, or the owner of the paired phone, writes. */
export const readMessage = shape({
  ...messageFields,
  /** `text`, a key of `kinds`, or the provider's own name such as `pollCreationMessage`; `text` when absent. */
  type: optional(text(50)),
  /** Fields of the content. They replace the same fields of the file, or of the type's example in `examples`. */
  content: optional(object),
  view_once: optional(flag),
  /** Further fields of the message's context, such as the ad that the customer came from (`externalAdReply`). */
  context: optional(object),
  /** The id of a message that the customer deletes. Text and file are then ignored. */
  unsend: optional(text(512)),
  /** The id of a message whose text the customer replaces with `text`. */
  edit_of: optional(text(512)),
  /** Fields that replace those of the message's key: for groups, status posts and numbers hidden behind `@lid`. */
  key: optional(object),
});
export type CustomerMessage = Settings<typeof readMessage>;
/** The provider's names of message types, by their common names. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["location", "locationMessage"],
  ["contacts", "contactMessage"],
  ["button", "templateButtonReplyMessage"],
  ["interactive", "listResponseMessage"],
  ["order", "orderMessage"],
]);

const place = { degreesLatitude: -17.7833, degreesLongitude: -63.1821 };
const card = {
  displayName: "Luis Rojas",
  vcard: "BEGIN:VCARD\nVERSION:3.0\nFN:Luis Rojas\nTEL;type=CELL;waid=59170000099:+591 70000099\nEND:VCARD",
};

const examples: Readonly<Record<string, Fields>> = {
  locationMessage: { ...place, name: "Plaza 24 de Septiembre", address: "Santa Cruz de la Sierra" },
  liveLocationMessage: { ...place, accuracyInMeters: 16, sequenceNumber: "1", caption: "" },
  contactMessage: card,
  contactsArrayMessage: { displayName: "1 contact", contacts: [card] },
  templateButtonReplyMessage: { selectedId: "yes", selectedDisplayText: "Sí", selectedIndex: 0 },
  buttonsResponseMessage: { selectedButtonId: "yes", selectedDisplayText: "Sí", type: "DISPLAY_TEXT" },
  listResponseMessage: {
    title: "Azul",
    description: "Talla M",
    listType: "SINGLE_SELECT",
    singleSelectReply: { selectedRowId: "blue" },
  },
  orderMessage: {
    orderId: "1234567890123456",
    itemCount: 2,
    status: "INQUIRY",
    surface: "CATALOG",
    orderTitle: "Tienda",
    token: "AR4xample==",
    totalAmount1000: "25000",
    totalCurrencyCode: "BOB",
  },
};

/**
 * @param wraps - whether the content keeps the form that phones send: `extendedTextMessage` for a text with a context,
 * and `documentWithCaptionMessage` around a document with a caption. Newer versions of the provider unwrap both.
 */
export function contentOf(said: CustomerMessage, contextInfo: Fields | undefined, wraps: boolean): QrContent {
  const { text, media, type = "text", content } = said;
  if (media) return fileContent(said, media, contextInfo, wraps);
  if (type === "text") {
    if (text === undefined) throw new BadInput("text must be given");
    if (contextInfo === undefined || !wraps) return { ...withMessage("conversation", text), contextInfo };
    return { ...withMessage("extendedTextMessage", { text, contextInfo }), contextInfo };
  }
  const messageType = kinds.get(type) ?? type;
  const example = Object.hasOwn(examples, messageType) ? examples[messageType] : undefined;
  if (!example && !content) throw new BadInput(`content must be given for a message of type ${type}`);
  return { ...withMessage(messageType, { ...example, ...content, contextInfo }), contextInfo };
}

const withMessage = (messageType: string, content: unknown): Pick<QrContent, "messageType" | "message"> => ({
  messageType,
  message: { messageContextInfo: { deviceListMetadataVersion: 2 }, [messageType]: content },
});

function fileContent(
  said: CustomerMessage,
  media: CustomerFile,
  contextInfo: Fields | undefined,
  wraps: boolean,
): QrContent {
  const messageType = `${media.type}Message`;
  const file = { ...fileOf(media, wraps), ...detailsOf(media, said.text), ...said.content, contextInfo };
  if (said.view_once) {
    const inside = { message: { [messageType]: { ...file, viewOnce: true } } };
    return { ...withMessage("viewOnceMessageV2", inside), contextInfo };
  }
  if (wraps && media.type === "document" && said.text !== undefined) {
    return { ...withMessage("documentWithCaptionMessage", { message: { [messageType]: file } }), contextInfo };
  }
  return { ...withMessage(messageType, file), contextInfo };
}

/** The fields that every file has. Receivers cannot use `url`: on the platform, the file there is encrypted. */
function fileOf({ bytes, mime }: CustomerFile, isOlder: boolean): Fields {
  const path = `/v/t62.7118-24/${randomBytes(12).toString("hex")}.enc?ccb=11-4&mms3=true`;
  return {
    url: `https://mmg.whatsapp.net${path}`,
    mimetype: mime,
    fileSha256: createHash("sha256").update(bytes).digest("base64"),
    fileLength: isOlder ? `${bytes.length}` : { low: bytes.length, high: 0, unsigned: true },
    mediaKey: randomBytes(32).toString("base64"),
    fileEncSha256: randomBytes(32).toString("base64"),
    directPath: path,
  };
}

function detailsOf({ type, mime, filename }: CustomerFile, caption: string | undefined): Fields {
  switch (type) {
    case "audio":
      return { seconds: 3, ptt: mime.startsWith("audio/ogg") };
    case "sticker":
      return { isAnimated: false };
    case "document": {
      const fileName = filename ?? "document";
      return { title: fileName, fileName, pageCount: 1, ...(caption !== undefined && { caption }) };
    }
    default:
      return { height: 1280, width: 720, ...(caption !== undefined && { caption }) };
  }
}
