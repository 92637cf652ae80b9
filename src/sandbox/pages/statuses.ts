import { type ChannelName, photoChannel } from "../../kernel/channels.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { MessageStatus, StatusReporter } from "../core/status-queue.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { eventBetween, type Messaging, messagingDelivery, type Page, type PageMessage } from "./pages.ts";

type PageStatus = MessageStatus<PageMessage>;

/** The id of the app that sends through the API. */
const appId = 1_000_000_000_000_001;

const steps = {
  page: ["echo", "delivered", "read"],
  photo: ["echo", "read"],
  failing: ["echo"],
} as const;

/** Reports each message of pages or photo accounts: first its echo, then its statuses. */
export const pageStatuses = (webhooks: Webhooks, channel: ChannelName): StatusReporter<PageMessage> => ({
  perWebhook: 100,
  stepsOf(_, fails) {
    if (webhooks.target === undefined) return [];
    if (fails) return steps.failing;
    return channel === photoChannel ? steps.photo : steps.page;
  },
  delivery(statuses) {
    const receipts = groupBy(statuses, receiptOf);
    return messagingDelivery(webhooks, channel, [...receipts.values()].flatMap(eventsOf));
  },
});

/** The key of the event that reports the status. On pages, one receipt covers several messages to a customer. */
function receiptOf({ message: { page, to, id }, name }: PageStatus): string {
  const isShared = name === "delivered" || (name === "read" && page.channel !== photoChannel);
  return isShared ? `${page.pageId} ${to} ${name}` : `${id} ${name}`;
}

function eventsOf(statuses: readonly PageStatus[]): Messaging[] {
  const [first] = statuses;
  if (first === undefined) return [];
  const { page, to } = first.message;
  return [{ page, event: first.name === "echo" ? echoOf(first.message) : receiptFrom(page, to, first.name, statuses) }];
}

function receiptFrom(page: Page, to: string, name: string, statuses: readonly PageStatus[]): object {
  const at = Math.max(...statuses.map((each) => each.at));
  const mids = statuses.map(({ message }) => message.id);
  const watermark = Math.max(...statuses.map(({ message }) => message.at));
  if (name === "delivered") return eventBetween(to, page.pageId, at, { delivery: { mids, watermark } });
  return eventBetween(to, page.pageId, at, { read: page.channel === photoChannel ? { mid: mids[0] } : { watermark } });
}

function echoOf({ page, to, id, at, text, type, media, reference, context }: PageMessage): object {
  const isPhoto = page.channel === photoChannel;
  const { link } = (media ?? {}) as { link?: string };
  const { message_id: mid } = (context ?? {}) as { message_id?: string };
  const message = {
    mid: id,
    is_echo: true,
    ...(!isPhoto && { app_id: appId, metadata: reference }),
    text,
    attachments: link === undefined ? undefined : [{ type, payload: { url: link } }],
    reply_to: mid === undefined ? undefined : { mid },
  };
  return eventBetween(page.pageId, to, at, { message });
}
