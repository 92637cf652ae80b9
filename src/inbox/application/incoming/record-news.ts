import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { sentOf, type WebhookNews } from "../../domain/incoming.ts";
import type { DropReason, IncomingStores, Recorded, RecordOptions, StoredFiles } from "./ports.ts";

/** Called after news was recorded. Each function must return at once and must not throw. */
export interface Aftermath {
  onDropped(channel: ChatChannelName, reason: DropReason, count: number): void;
  /** Retries statuses and other news that came before their message was known. */
  applyEarly(): void;
  /** Downloads the files of new messages. */
  fetchFiles(): void;
  /** Deletes withdrawn files. */
  removeFiles(files: StoredFiles): void;
}

export interface RecordedNews {
  readonly recorded: Recorded;
  /** Call it after the commit. */
  readonly tell: () => void;
}

/** Records the news of a channel for every feature that uses it. */
export async function recordNews(
  { incoming, deliveries, templates }: IncomingStores,
  channel: ChatChannelName,
  news: WebhookNews,
  options: RecordOptions = {},
): Promise<RecordedNews> {
  // Templates come first: their news locks campaigns. Statuses lock recipients, which must be locked after campaigns.
  const tellOfTemplates =
    news.templates.length > 0 ? await templates.apply(news.templates, options.elsewhere) : () => {};
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

/** Call it after the commit. */
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
