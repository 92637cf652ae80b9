import { randomBytes } from "node:crypto";
import { cloudChannel } from "../../kernel/channels.ts";
import { dialled, type Fields } from "../core/input.ts";
import type { Call, PlatformRoute } from "../core/route.ts";
import type { Shared } from "../core/shared.ts";
import type { StatusQueue } from "../core/status-queue.ts";
import {
  badParameter,
  GraphError,
  idOf,
  invalidParameter,
  jsonOf,
  missingParameter,
  tokenOf,
  unknownObject,
} from "../graph/graph.ts";
import { type Accounts, type Business, opens, type Sender } from "./accounts.ts";
import type { Customers } from "./customers.ts";
import { type Media, mediaRoutes } from "./media.ts";
import { contentOf, contextOf, type MessageContent, referenceOf, requireProduct } from "./messages.ts";
import type { CloudMessage } from "./statuses.ts";
import type { TemplateReviews } from "./template-reviews.ts";
import { fieldsOf, nodeOf, type StoredTemplate } from "./templates.ts";
import { type Uploads, uploadRoutes } from "./uploads.ts";

interface Cloud {
  readonly accounts: Accounts;
  readonly customers: Customers;
  readonly statuses: StatusQueue<CloudMessage>;
  readonly media: Media;
  readonly reviews: TemplateReviews;
  readonly uploads: Uploads;
  readonly shared: Shared;
}

export function cloudRoutes(cloud: Cloud): PlatformRoute[] {
  const { accounts } = cloud;
  const nextId = messageIds();
  return [
    {
      route: "POST /v{version}/{id}/messages",
      operation: "messages",
      counter: cloud.shared,
      handle(call) {
        const sender = accounts.senderOf(call);
        const body = jsonOf(call);
        requireProduct(body);
        return body.status === undefined ? sendMessage(cloud, sender, body, nextId) : markAsRead(cloud, sender, body);
      },
    },
    {
      route: "GET /v{version}/{id}/message_templates",
      operation: "message_templates",
      handle(call) {
        const address = `${call.origin}/v${call.path.version}/${idOf(call)}/message_templates`;
        return businessOf(accounts, call).templates.page(call.query, address);
      },
    },
    {
      route: "POST /v{version}/{id}/message_templates",
      operation: "message_templates",
      handle(call) {
        const business = businessOf(accounts, call);
        const [owner = ""] = business.numbers.keys();
        const content = jsonOf(call);
        cloud.uploads.requireHandles(content.components);
        const template = business.templates.create(owner, content);
        cloud.reviews.add(business, template);
        const { id, status, category } = template;
        return { id, status, category };
      },
    },
    {
      route: "POST /v{version}/{id}",
      operation: "message_templates",
      handle(call) {
        const { business, template } = templateOf(accounts, call);
        const content = jsonOf(call);
        cloud.uploads.requireHandles(content.components);
        cloud.reviews.add(business, business.templates.edit(template, content));
        return { success: true };
      },
    },
    {
      route: "DELETE /v{version}/{id}/message_templates",
      operation: "message_templates",
      handle(call) {
        businessOf(accounts, call).templates.remove(call.query.get("name"), call.query.get("hsm_id"));
        return { success: true };
      },
    },
    {
      route: "GET /v{version}/{id}/phone_numbers",
      operation: "phone_numbers",
      handle: (call) => ({
        data: [...businessOf(accounts, call).numbers.values()].map(senderNode),
        paging: { cursors: { before: "MAZDZD", after: "MAZDZD" } },
      }),
    },
    ...mediaRoutes(accounts, cloud.media),
    ...uploadRoutes(accounts, cloud.uploads),
    { route: "GET /v{version}/{id}", operation: "node", handle: (call) => node(cloud, call) },
  ];
}

function sendMessage(cloud: Cloud, sender: Sender, body: Fields, nextId: (recipient: string) => string): object {
  if (body.recipient_type !== undefined && body.recipient_type !== "individual") {
    throw badParameter("Param recipient_type must be one of {INDIVIDUAL}");
  }
  const { to: input } = body;
  if (input === undefined) throw missingParameter("to");
  const to = typeof input === "string" ? dialled(input) : null;
  if (to === null) throw invalidParameter("Param to is not a valid phone number");

  const reference = referenceOf(body);
  const context = contextOf(body);
  const hasMedia = (id: string) => cloud.media.files.find(id)?.owner === sender.phoneNumberId;
  const content = contentOf(body, { templates: sender.business.templates, hasMedia });
  requireReachable(cloud, sender, to, content);
  if (!sender.mayEmit()) throw new GraphError(130429, overRate);

  const id = nextId(to);
  const origin = { channel: cloudChannel, from: sender.phoneNumberId, sender } as const;
  cloud.statuses.add(cloud.shared.accept({ ...content, ...origin, id, to, reference, context }));
  return {
    messaging_product: "whatsapp",
    contacts: [{ input, wa_id: to }],
    messages: [content.type === "template" ? { id, message_status: "accepted" } : { id }],
  };
}

function requireReachable(
  { shared, customers }: Cloud,
  sender: Sender,
  to: string,
  { type, marketing }: MessageContent,
): void {
  if (shared.undeliverable.has(to)) throw new GraphError(131026, "Message Undeliverable.");
  if (marketing && customers.hasOptedOut(sender, to)) throw new GraphError(131050, optedOut);
  if (type !== "template" && !customers.windowIsOpen(sender, to)) throw new GraphError(131047, outsideWindow);
}

const outsideWindow =
  "Message failed to send because more than 24 hours have passed since the customer last replied to this number.";
const overRate =
  "Message failed to send because there were too many messages sent from this phone number in a short period of time";
const optedOut = "This recipient has chosen to stop receiving marketing messages from your business.";

function markAsRead({ shared }: Cloud, { phoneNumberId }: Sender, { status, message_id: id }: Fields): object {
  if (status !== "read") throw badParameter("Param status must be one of {READ}");
  if (typeof id !== "string" || !id.startsWith("wamid.")) throw badParameter("Param message_id is not a message id");
  shared.reads.addMessage(phoneNumberId, id);
  return { success: true };
}

/** The object that the call's path names: a number, a business account or a template. */
function node({ accounts, shared }: Cloud, call: Call): object {
  const token = tokenOf(call, (token) => shared.graphTokens.some((isKnown) => isKnown(token)));
  const id = idOf(call);
  const sender = accounts.senders.find(id);
  if (sender?.token === token) return senderNode(sender);
  const business = accounts.businesses.get(id);
  if (business && opens(business, token)) return businessNode(business);
  if (!accounts.knows(token)) throw unknownObject(call);
  return nodeOf(templateOf(accounts, call).template, fieldsOf(call.query));
}

/** The template that the call's path names. Throws if no account with the call's token has this template. */
function templateOf(accounts: Accounts, call: Call): { business: Business; template: StoredTemplate } {
  const token = accounts.tokenOf(call);
  for (const business of accounts.businesses.values()) {
    const template = opens(business, token) ? business.templates.byId(idOf(call)) : undefined;
    if (template) return { business, template };
  }
  throw unknownObject(call);
}

function businessOf(accounts: Accounts, call: Call): Business {
  const token = accounts.tokenOf(call);
  const business = accounts.businesses.get(idOf(call));
  if (!business || !opens(business, token)) throw unknownObject(call);
  return business;
}

/** Ids are never repeated, even after a restart of the sandbox. */
function messageIds(): (recipient: string) => string {
  const start = randomBytes(6).toString("hex").toUpperCase();
  let count = 0;
  return (recipient) => {
    count += 1;
    return `wamid.${Buffer.from(`${recipient}\u0015\u0002${start}${count}`).toString("base64")}`;
  };
}

const senderNode = ({ phoneNumberId, displayPhoneNumber, quality, messagingLimit }: Sender): object => ({
  id: phoneNumberId,
  display_phone_number: displayPhoneNumber,
  verified_name: "Sandbox",
  quality_rating: quality ?? "GREEN",
  whatsapp_business_manager_messaging_limit: messagingLimit ?? "TIER_UNLIMITED",
  code_verification_status: "VERIFIED",
  platform_type: "CLOUD_API",
});

const businessNode = ({ accountId }: Business): object => ({
  id: accountId,
  name: "Sandbox",
  timezone_id: "1",
  message_template_namespace: "sandbox",
});
