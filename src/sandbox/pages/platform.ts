import { randomBytes } from "node:crypto";
import { type ChannelName, pageChannel, photoChannel } from "../../kernel/channels.ts";
import { type Fields, isObject } from "../core/input.ts";
import { type Call, control, type Platform } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import type { SentMessage, Shared } from "../core/shared.ts";
import { Windows } from "../core/windows.ts";
import {
  badParameter,
  type ErrorStatuses,
  GraphError,
  graphFailure,
  idOf,
  jsonOf,
  missingParameter,
  tokenOf,
  unknownObject,
} from "../graph/graph.ts";
import { readPage, type SandboxPage } from "../settings.ts";

const limits = { metadata: 1_000, pageText: 2_000, photoTextBytes: 1_000 };

const hourMs = 60 * 60 * 1_000;
/** For how long after the customer's last message each tag allows one more. */
const tagWindowsMs: ReadonlyMap<unknown, number> = new Map([
  ["HUMAN_AGENT", 7 * 24 * hourMs],
  ["ACCOUNT_UPDATE", Number.POSITIVE_INFINITY],
  ["CONFIRMED_EVENT_UPDATE", Number.POSITIVE_INFINITY],
  ["POST_PURCHASE_UPDATE", Number.POSITIVE_INFINITY],
]);

interface Page {
  readonly pageId: string;
  readonly token: string;
  readonly channel: ChannelName;
  readonly people: ReadonlySet<string>;
  readonly photoAccountId: string | undefined;
}

/** Page messages and photo-app direct messages: the paths of the Cloud API, for the ids of pages. */
export function pagesPlatform(
  settings: readonly SandboxPage[],
  shared: Shared,
  errorStatuses: ErrorStatuses,
): Platform {
  const pages = new Senders(settings.map(pageFrom), ({ pageId }) => pageId);
  const windows = new Windows();
  const knows = (token: string) => pages.some((page) => page.token === token);

  function pageOf(call: Call): Page {
    const token = tokenOf(call, knows);
    const page = pages.find(idOf(call));
    if (page?.token !== token) throw unknownObject(call);
    return page;
  }

  function requireReachable(page: Page, to: string, windowMs: number): void {
    if (shared.undeliverable.has(to)) throw new GraphError(551);
    if (page.people.has(to)) return;
    const silence = windows.silence(page.pageId, to);
    if (silence === undefined) throw new GraphError(100, undefined, noSuchUser);
    if (silence >= windowMs) throw new GraphError(10, undefined, outsideWindow);
  }

  function send(call: Call): object {
    const page = pageOf(call);
    const body = jsonOf(call);
    const to = recipientOf(body);
    const windowMs = windowMsOf(body);
    const content = contentOf(body, page.channel);
    requireReachable(page, to, windowMs);
    const id = `m_${randomBytes(36).toString("base64url")}`;
    shared.accept({ ...content, id, channel: page.channel, from: page.pageId, to, context: contextOf(body) });
    return { recipient_id: to, message_id: id };
  }

  /** What the token is of: of what is asked for, what there is. */
  function ownNode(call: Call): object {
    const token = tokenOf(call, knows);
    const page = pages.first((each) => each.token === token);
    if (!page) throw new GraphError(190);
    const asked = call.query.get("fields")?.split(",") ?? [];
    const isLinked = asked.includes("instagram_business_account") && page.photoAccountId !== undefined;
    return { id: page.pageId, ...(isLinked && { instagram_business_account: { id: page.photoAccountId } }) };
  }

  return {
    routes: [
      {
        route: "GET /{version}/{id}",
        operation: "me",
        serves: ({ id }) => id === "me",
        handle: ownNode,
      },
      {
        route: "POST /{version}/{id}/messages",
        operation: "page_messages",
        serves: ({ id }) => pages.find(id) !== undefined,
        counter: shared,
        handle: send,
      },
    ],
    control: [
      control(
        "POST /__sandbox/pages",
        "adds or replaces a page or a photo-app account: {pageId, token, channel, people, photoAccountId}",
        (input) => ({ pageId: pages.put(pageFrom(readPage(input, "page"))).pageId }),
      ),
      windows.sayRoute("pages", (id) => pages.find(id) !== undefined),
    ],
    failure: graphFailure(errorStatuses),
    reset: () => windows.clear(),
  };
}

const pageFrom = ({ pageId, token, channel = pageChannel, people = [], photoAccountId }: SandboxPage): Page => ({
  ...{ pageId, token, channel, photoAccountId },
  people: new Set(people),
});

const noSuchUser = { message: "(#100) No matching user found", subcode: 2018001 };
const outsideWindow = { message: "(#10) This message is sent outside of allowed window.", subcode: 2018278 };

function recipientOf({ recipient }: Fields): string {
  if (!isObject(recipient)) throw missingParameter("recipient");
  if (typeof recipient.id !== "string" || recipient.id === "" || recipient.id.length > 100) {
    throw badParameter("Param recipient['id'] must be a non-empty string");
  }
  return recipient.id;
}

/** Which message it answers, as the platforms of all channels show it here. */
function contextOf({ reply_to: replyTo }: Fields): object | undefined {
  if (replyTo === undefined) return undefined;
  const mid = isObject(replyTo) ? replyTo.mid : undefined;
  if (typeof mid !== "string" || mid === "") throw badParameter("Param reply_to['mid'] must be a non-empty string");
  return { message_id: mid };
}

/** Milliseconds after the customer's last message in which a message of this kind may be sent. */
function windowMsOf({ messaging_type: type = "RESPONSE", tag }: Fields): number {
  if (type === "RESPONSE" || type === "UPDATE") return 24 * hourMs;
  if (type !== "MESSAGE_TAG") {
    throw badParameter("Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG}");
  }
  const windowMs = tagWindowsMs.get(tag);
  if (windowMs === undefined) throw badParameter("Message tag is missing or invalid");
  return windowMs;
}

/** What is sent, either a text or an attachment; throws `GraphError` when the platform would not take it. */
function contentOf(
  { message }: Fields,
  channel: ChannelName,
): Pick<SentMessage, "type" | "text" | "media" | "reference"> {
  if (!isObject(message)) throw missingParameter("message");
  const { text, attachment, metadata } = message;
  if ((text === undefined) === (attachment === undefined)) {
    throw badParameter("Message must have exactly one of text and attachment");
  }
  const content = attachment === undefined ? textContent(text, channel) : attachmentContent(attachment);
  if (metadata === undefined) return content;
  if (typeof metadata !== "string" || metadata.length > limits.metadata) {
    throw badParameter(`Param message['metadata'] must be a string of at most ${limits.metadata} characters`);
  }
  return { ...content, reference: metadata };
}

function textContent(text: unknown, channel: ChannelName): { type: string; text: string } {
  if (typeof text !== "string" || text === "") throw badParameter("Param message['text'] must be a non-empty string");
  const isTooLong =
    channel === photoChannel ? Buffer.byteLength(text) > limits.photoTextBytes : text.length > limits.pageText;
  if (isTooLong) throw badParameter("Length of param message['text'] is too long");
  return { type: "text", text };
}

const attachmentTypes: readonly unknown[] = ["image", "audio", "video", "file"];

function attachmentContent(attachment: unknown): { type: string; media: { link: string } } {
  const { type, payload } = isObject(attachment) ? attachment : {};
  if (typeof type !== "string" || !attachmentTypes.includes(type)) {
    throw badParameter("Param message['attachment']['type'] must be one of {IMAGE, AUDIO, VIDEO, FILE}");
  }
  const link = isObject(payload) ? payload.url : undefined;
  if (typeof link !== "string" || !/^https?:/.test(link) || !URL.canParse(link)) {
    throw badParameter("Param message['attachment']['payload']['url'] should represent a valid URL");
  }
  return { type, media: { link } };
}
