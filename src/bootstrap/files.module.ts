import { ContainerModule } from "inversify";
import { fileSourcesOf } from "../channels/channels.ts";
import { PostgresFetchedFiles } from "../inbox/adapters/postgres/fetched-files.ts";
import { PostgresFileQueue } from "../inbox/adapters/postgres/file-queue.ts";
import { FetchFiles } from "../inbox/public.ts";
import { Downloads } from "../infra/http-client/downloads.ts";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cached } from "../kernel/cached.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Tells the processes that fetch files that there are some. */
export const filesWaiting = "files_waiting";
/** Milliseconds for which figures from the database are good, however often they are asked for. */
const gaugeLifeMs = 5_000;

/** Files that customers send. */
export const filesModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.downloads, [tokens.config], ({ media }) => {
    return new Downloads({ allowPrivate: media.allowPrivateUrls });
  });
  provide(bind, tokens.background, [tokens.downloads], (downloads) =>
    background("downloads", "means", { stop: () => downloads.close() }),
  );
  provide(bind, tokens.fileQueue, [tokens.cells], (cells) => new PostgresFileQueue(cells));
  provide(
    bind,
    tokens.fileSources,
    [tokens.httpClient, tokens.config, tokens.downloads],
    (client, { messagingPlatform, channels }, downloads) =>
      fileSourcesOf({ client, messagingPlatform, urls: channels }, downloads),
  );
  provide(
    bind,
    tokens.mediaStore,
    [tokens.mediaStorage, tokens.config, tokens.storeMedia, tokens.deleteMedia],
    (storage, { media: { baseUrl } }, store, remove) => (storage && baseUrl !== "" ? { store, remove } : null),
  );
  provide(
    bind,
    tokens.fetchFiles,
    [
      tokens.fileQueue,
      tokens.cells,
      tokens.fileSources,
      tokens.senderDirectory,
      tokens.mediaStore,
      tokens.feed,
      tokens.metrics,
      tokens.log,
    ],
    (queue, cells, sources, senders, media, feed, metrics, log) => {
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        files: new PostgresFetchedFiles(transaction),
      }));
      return new FetchFiles(queue, unitOfWork, sources, senders, media, feed, {
        onOutcome: ({ channel, businessId, messageId }, outcome, reason) => {
          metrics.countFile(channel, outcome);
          if (outcome === "gone") log.info({ businessId, messageId, reason }, "the file of a message cannot be had");
        },
        onFailure: (error, file) =>
          log.warn(
            { err: error, ...(file && { businessId: file.businessId, messageId: file.messageId }) },
            "a file of a customer could not be fetched; it is tried again",
          ),
      });
    },
  );
  provide(
    bind,
    tokens.background,
    [tokens.fetchFiles, tokens.fileQueue, tokens.notifications, tokens.metrics, tokens.config],
    (fetch, queue, notifications, metrics, { role }) => {
      if (role !== "api") notifications.onWork(filesWaiting, () => fetch.nudge());
      const counts = cached(gaugeLifeMs, () => queue.counts());
      return background("files of customers", "intake", {
        start: () =>
          metrics.gauge("incoming_files_waiting", "Files of customers to be fetched, of all processes", async () => {
            const { due, postponed, underWay } = await counts();
            return { due, postponed, under_way: underWay };
          }),
        stop: () => fetch.stop(),
      });
    },
  );
  provide(bind, tokens.tick, [tokens.notifications], (notifications) =>
    tick("files.fetch", 5, () => notifications.notify(filesWaiting)),
  );
});
