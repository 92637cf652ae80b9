import type { ChatChannelName } from "../../kernel/channels.ts";
import type { EventFeed } from "../../kernel/events.ts";
import { sentOf, type WebhookNews } from "../domain/incoming.ts";
import type { DropReason, IncomingStores, Recorded, StoredFiles } from "./ports.ts";

/** What is done about recorded news besides; none of it throws, and each returns at once. */
export interface Aftermath {
  /** Is called with news that is dropped. */
  onDropped(channel: ChatChannelName, reason: DropReason, count: number): void;
  /** Looks at statuses that came before their message was known. */
  applyEarly(): void;
  /** Fetches files that came with messages. */
  fetchFiles(): void;
  /** Removes files that were withdrawn. */
  removeFiles(files: StoredFiles): void;
}

/** What a transaction made of news, and what is to be done once it is committed. */
export interface RecordedNews {
  readonly recorded: Recorded;
  readonly tell: () => void;
}

/** Writes down what a channel's platform told, for everybody who keeps something of it. */
export async function recordNews(
  { incoming, deliveries, templates }: IncomingStores,
  channel: ChatChannelName,
  news: WebhookNews,
  options?: { readonly isAgain: boolean },
): Promise<RecordedNews> {
  // Before the recipients of campaigns: who changes a campaign locks it first, then those.
  const tellOfTemplates = news.templates.length > 0 ? await templates.apply(news.templates) : () => {};
  const statuses = [
    ...news.statuses,
    ...news.echoes.flatMap((echo) => (echo.reference ? sentOf(echo, echo.reference) : [])),
  ];
  const tellOfDeliveries = statuses.length > 0 ? await deliveries(channel).apply(statuses) : () => {};
  const recorded = await incoming(channel).record(news, options);
  const tell = () => {
    tellOfTemplates();
    tellOfDeliveries();
  };
  return { recorded, tell };
}

/** After the commit. */
export function tellOf(
  { recorded, tell }: RecordedNews,
  channel: ChatChannelName,
  feed: EventFeed,
  { onDropped, applyEarly, fetchFiles, removeFiles }: Aftermath,
): void {
  feed.publish(recorded.events);
  tell();
  for (const [reason, count] of recorded.dropped) onDropped(channel, reason, count);
  for (const files of recorded.withdrawn) removeFiles(files);
  if (recorded.hasEarly) applyEarly();
  if (recorded.hasFiles) fetchFiles();
}
