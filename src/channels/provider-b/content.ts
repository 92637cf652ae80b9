import type { FileKind, IncomingMessage } from "../../inbox/public.ts";
import { beginning } from "../../kernel/text.ts";
import { type JsonObject, omit } from "../shared/json-fields.ts";
import type { FieldReader } from "./form.ts";

/** The content of one message, in the cloud platform's format. */
type Content = Pick<IncomingMessage, "kind" | "body" | "details" | "file">;

/** A message with several files becomes one message per file; the first message has the text. */
export function contentsOf(fields: JsonObject, field: FieldReader): Content[] {
  const files = filesIn(field);
  if (files.length > 0) return files.map((file, position) => fileContent(file, position === 0 ? field("Body") : ""));
  return [locationIn(field) ?? choiceIn(field) ?? textIn(field) ?? unsupported(fields)];
}

function locationIn(field: FieldReader): Content | undefined {
  const latitude = coordinate(field("Latitude"), 90);
  const longitude = coordinate(field("Longitude"), 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  const [name, address] = [field("Label"), field("Address")];
  const location = { latitude, longitude, ...(name !== "" && { name }), ...(address !== "" && { address }) };
  return { kind: "location", body: name || address || field("Body"), details: { location } };
}

function coordinate(written: string, most: number): number | undefined {
  const degrees = /^-?\d{1,3}(\.\d{1,20})?$/.test(written) ? Number(written) : Number.NaN;
  return Math.abs(degrees) <= most ? degrees : undefined;
}

/** The row of a list or the button that the customer chose. */
function choiceIn(field: FieldReader): Content | undefined {
  const listId = field("ListId");
  if (listId !== "") {
    const [title, description] = [field("ListTitle") || field("Body"), field("ListDescription")];
    const row = { id: listId, title, ...(description !== "" && { description }) };
    return { kind: "interactive", body: title, details: { interactive: { type: "list_reply", list_reply: row } } };
  }
  const [title, payload] = [field("ButtonText"), field("ButtonPayload")];
  if (title === "" && payload === "") return undefined;
  const body = title || field("Body");
  if (field("MessageType") !== "interactive") {
    return { kind: "button", body, details: { button: { payload, text: title } } };
  }
  const interactive = { type: "button_reply", button_reply: { id: payload, title } };
  return { kind: "interactive", body, details: { interactive } };
}

const textIn = (field: FieldReader): Content | undefined =>
  field("Body") === "" ? undefined : { kind: "text", body: field("Body") };

/** Fields that are left out of an unsupported message. They are not content; `Body` is empty in such a message. */
const envelope = [
  ...["MessageSid", "SmsSid", "SmsMessageSid", "AccountSid", "MessagingServiceSid", "From", "To", "WaId"],
  ...["ProfileName", "SmsStatus", "MessageStatus", "NumMedia", "NumSegments", "ReferralNumMedia", "ApiVersion"],
  ...["ChannelMetadata", "Body"],
];

const unsupported = (fields: JsonObject): Content => ({
  kind: "unsupported",
  body: "",
  details: { unsupported: omit(fields, envelope) },
});

const mostFiles = 10;
const longestUrl = 2_048;
const longestMime = 100;

interface GivenFile {
  readonly url: string;
  readonly mime: string;
  readonly kind: FileKind;
}

function filesIn(field: FieldReader): GivenFile[] {
  const count = /^\d{1,2}$/.test(field("NumMedia")) ? Math.min(Number(field("NumMedia")), mostFiles) : 0;
  const isDocument = field("MessageType") === "document";
  return Array.from({ length: count }, (_, position) => {
    const [type = ""] = field(`MediaContentType${position}`).split(";");
    const mime = beginning(type.trim().toLowerCase(), longestMime);
    const kind: FileKind = isDocument ? "document" : fileKindOf(mime);
    return { url: field(`MediaUrl${position}`), mime, kind };
  }).filter(({ url }) => url !== "" && url.length <= longestUrl);
}

function fileKindOf(mime: string): FileKind {
  // Only stickers arrive as WebP. Other pictures arrive as JPEG or PNG.
  if (mime === "image/webp") return "sticker";
  return (["image", "video", "audio"] as const).find((kind) => mime.startsWith(`${kind}/`)) ?? "document";
}

const contactCards: readonly string[] = ["text/vcard", "text/x-vcard", "text/directory"];
/** The provider sends a document's name in `Body`, the field for texts. A text of this form counts as a name. */
const fileName = /^[^\r\n/\\]{1,200}\.[a-z0-9]{1,10}$/i;

function fileContent({ url, mime, kind }: GivenFile, body: string): Content {
  const name = kind === "document" && fileName.test(body) ? body : undefined;
  const file = { kind, ...(name !== undefined && { name }), place: { at: "url", url } as const };
  if (contactCards.includes(mime)) {
    // A placeholder: the contacts in the file replace it when the file has been stored and read.
    const contacts = body === "" ? [] : [{ name: { formatted_name: body } }];
    return { kind: "contacts", body, details: { contacts }, file };
  }
  const said = {
    ...(mime !== "" && { mime_type: mime }),
    ...(name !== undefined ? { filename: name } : body !== "" && { caption: body }),
  };
  return { kind, body, details: { [kind]: said }, file };
}
