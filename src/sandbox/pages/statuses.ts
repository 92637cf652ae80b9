import { type ChannelName, photoChannel } from "../../kernel/channels.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { StatusNews, Telling } from "../core/status-queue.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { fromCustomer, fromPage, type Messaging, messagingDelivery, type Page, type PageMessage } from "./pages.ts";

type News = StatusNews<PageMessage>;

/** The id of the app that sends by the API. */
const appId = 1_000_000_000_000_001;

const steps = {
  page: ["echo", "delivered", "read"],
  photo: ["echo", "read"],
  failing: ["echo"],
} as const;

/** What pages, or photo accounts, tell of a message that they took: first an echo, then what became of it. */
export const pagesTelling = (webhooks: Webhooks, channel: ChannelName): Telling<PageMessage> => ({
  perWebhook: 100,
  stepsOf(_, fails) {
    if (webhooks.target === undefined) return [];
    if (fails) return steps.failing;
    return channel === photoChannel ? steps.photo : steps.page;
  },
  delivery(news) {
    const receipts = groupBy(news, receiptOf);
    return messagingDelivery(webhooks, channel, [...receipts.values()].flatMap(told));
  },
});

/** What one event tells: on pages a receipt stands for all messages to a customer. */
function receiptOf({ message: { page, to, id }, name }: News): string {
  const isShared = name === "delivered" || (name === "read" && page.channel !== photoChannel);
  return isShared ? `${page.pageId} ${to} ${name}` : `${id} ${name}`;
}

function told(news: readonly News[]): Messaging[] {
  const [first] = news;
  if (first === undefined) return [];
  const { page, to } = first.message;
  return [{ page, event: first.name === "echo" ? echoOf(first.message) : receiptFrom(page, to, first.name, news) }];
}

function receiptFrom(page: Page, to: string, name: string, news: readonly News[]): object {
  const at = Math.max(...news.map((each) => each.at));
  const mids = news.map(({ message }) => message.id);
  const watermark = Math.max(...news.map(({ message }) => message.at));
  if (name === "delivered") return fromCustomer(page, to, at, { delivery: { mids, watermark } });
  return fromCustomer(page, to, at, { read: page.channel === photoChannel ? { mid: mids[0] } : { watermark } });
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
  return fromPage(page, to, at, { message });
}
