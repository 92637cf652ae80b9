import { fileSourcesOf } from "../channels/channels.ts";
import { PostgresFetchedFiles } from "../inbox/adapters/postgres/fetched-files.ts";
import { PostgresFileQueue } from "../inbox/adapters/postgres/file-queue.ts";
import { FetchFiles } from "../inbox/public.ts";
import { Downloads } from "../infra/http-client/downloads.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cached } from "../kernel/cached.ts";
import { moduleOf } from "./provide.ts";

/** Wakes the processes that fetch files. */
export const filesWaiting = "files_waiting";

/** Fetches files that customers sent. */
export const filesModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("downloads", ["config"], ({ media }) => new Downloads({ allowPrivate: media.allowPrivateUrls }));
  provideBackground("downloads", "means", ["downloads"], (downloads) => ({ stop: () => downloads.close() }));
  provide("fileQueue", ["cells"], (cells) => new PostgresFileQueue(cells));
  provide("fileSources", ["httpClient", "config", "downloads"], (client, { messagingPlatform, channels }, downloads) =>
    fileSourcesOf({ client, messagingPlatform, urls: channels }, downloads),
  );
  provide(
    "mediaStore",
    ["mediaStorage", "config", "storeMedia", "deleteMedia"],
    (storage, { media: { baseUrl } }, store, remove) => (storage && baseUrl !== "" ? { store, remove } : null),
  );
  provide(
    "fetchFiles",
    ["fileQueue", "cells", "fileSources", "senderDirectory", "mediaStore", "feed", "metrics", "log"],
    (queue, cells, sources, senders, media, feed, metrics, log) => {
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        files: new PostgresFetchedFiles(transaction),
      }));
      return new FetchFiles(queue, unitOfWork, sources, senders, media, feed, {
        onOutcome: ({ channel, businessId, messageId }, outcome, reason) => {
          metrics.countFile(channel, outcome);
          if (outcome === "gone") log.info({ businessId, messageId, reason }, "the file of a message is not available");
        },
        onFailure: (error, file) =>
          log.warn(
            { err: error, ...(file && { businessId: file.businessId, messageId: file.messageId }) },
            "a file of a customer could not be fetched; it is tried again",
          ),
      });
    },
  );
  provideBackground(
    "files of customers",
    "intake",
    ["fetchFiles", "fileQueue", "notifications", "metrics", "config"],
    (fetch, queue, notifications, metrics, { role }) => {
      if (role !== "api") notifications.onWork(filesWaiting, () => fetch.nudge());
      const counts = cached(() => queue.counts());
      return {
        start: () =>
          metrics.gauge("incoming_files_waiting", "Files of customers to be fetched, of all processes", async () => {
            const { due, postponed, underWay } = await counts();
            return { due, postponed, under_way: underWay };
          }),
        stop: () => fetch.stop(),
      };
    },
  );
  provideTick("files.fetch", 5, ["notifications"], (notifications) => notifications.notify(filesWaiting));
});
