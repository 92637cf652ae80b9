import { fileSourcesOf } from "../channels/channels.ts";
import { PostgresFetchedFiles } from "../inbox/adapters/postgres/files/fetched-files.ts";
import { PostgresFileQueue } from "../inbox/adapters/postgres/files/file-queue.ts";
import { FetchFiles } from "../inbox/public.ts";
import { newToken } from "../infra/crypto/secrets.ts";
import { Downloads } from "../infra/http-client/downloads.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cached } from "../kernel/cached.ts";
import type { Log } from "../kernel/log.ts";
import { mediaRoutes } from "../messaging/adapters/http/media/media.routes.ts";
import { PostgresMediaFiles } from "../messaging/adapters/postgres/media/media-files.ts";
import { PostgresMediaNames } from "../messaging/adapters/postgres/media/media-names.ts";
import { DiskStorage } from "../messaging/adapters/storage/disk.ts";
import { recognizeMedia } from "../messaging/adapters/storage/recognize.ts";
import {
  DeleteMedia,
  type MediaStorage,
  NameDocuments,
  ProbeMedia,
  ReadMedia,
  ReadSample,
  StoreMedia,
  SweepMedia,
} from "../messaging/public.ts";
import type { Config } from "./config.ts";
import { moduleOf } from "./provide.ts";

/** Wakes the processes that fetch files. */
export const filesWaiting = "files_waiting";

/** Files of the business, and those that customers sent. */
export const mediaModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("mediaStorage", ({ config: { media } }) => storageOf(media));
  provide("mediaFiles", ({ cells }) => new PostgresMediaFiles(cells));
  provide("readMedia", ({ mediaStorage, mediaFiles }) => new ReadMedia(mediaStorage, mediaFiles));
  provide("nameDocuments", ({ mediaFiles, config: { media } }) => new NameDocuments(mediaFiles, media.baseUrl));
  provide(
    "ownMediaProbe",
    ({ mediaProbe, readMedia, config: { media } }) => new ProbeMedia(mediaProbe, readMedia, media.baseUrl),
  );
  provide("sampleFiles", ({ readMedia, config: { media }, downloads }) => {
    const openPublic = async (url: string) => {
      const outcome = await downloads.open({ url });
      return outcome.kind === "content" ? outcome.content : null;
    };
    return new ReadSample(readMedia, media.baseUrl, openPublic, recognizeMedia);
  });
  provideTick("media.sweep", 600, async ({ mediaStorage, mediaFiles, cells, log }, signal) => {
    const onFailure = (error: unknown) => log.warn({ err: error }, "unused files could not be deleted");
    if (mediaStorage)
      await new SweepMedia(mediaStorage, mediaFiles, new PostgresMediaNames(cells), onFailure).execute(signal);
  });
  provide("storeMedia", ({ mediaStorage: storage, mediaFiles, config: { media }, log }) => {
    const home = storage && media.baseUrl !== "" ? { storage, baseUrl: media.baseUrl } : null;
    return new StoreMedia(home, mediaFiles, recognizeMedia, () => newToken("m"), removedLater(log));
  });
  provide(
    "deleteMedia",
    ({ mediaStorage, mediaFiles, log }) => new DeleteMedia(mediaStorage, mediaFiles, removedLater(log)),
  );
  provide("routes", ({ storeMedia, readMedia, deleteMedia, mediaFiles }) =>
    mediaRoutes({ store: storeMedia, read: readMedia, remove: deleteMedia, register: mediaFiles }),
  );

  provide("downloads", ({ config: { media } }) => new Downloads({ allowPrivate: media.allowPrivateUrls }));
  provideBackground("downloads", "means", ({ downloads }) => ({ stop: () => downloads.close() }));
  provide("fileQueue", ({ cells }) => new PostgresFileQueue(cells));
  provide("fileSources", ({ httpClient, config: { messagingPlatform, channels }, downloads }) =>
    fileSourcesOf({ client: httpClient, messagingPlatform, urls: channels }, downloads),
  );
  provide("mediaStore", ({ mediaStorage, config: { media }, storeMedia, deleteMedia }) =>
    mediaStorage && media.baseUrl !== "" ? { store: storeMedia, remove: deleteMedia } : null,
  );
  provide("fetchFiles", ({ fileQueue, cells, fileSources, senderDirectory, mediaStore, feed, metrics, log }) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => new PostgresFetchedFiles(transaction));
    return new FetchFiles(fileQueue, unitOfWork, fileSources, senderDirectory, mediaStore, feed, {
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
  });
  provideBackground(
    "files of customers",
    "intake",
    ({ fetchFiles, fileQueue, notifications, metrics, config: { role } }) => {
      if (role !== "api") notifications.onWork(filesWaiting, () => fetchFiles.nudge());
      const counts = cached(() => fileQueue.counts());
      return {
        start: () =>
          metrics.gauge("incoming_files_waiting", "Files of customers to be fetched, of all processes", async () => {
            const { due, postponed, underWay } = await counts();
            return { due, postponed, under_way: underWay };
          }),
        stop: () => fetchFiles.stop(),
      };
    },
  );
  provideTick("files.fetch", 5, ({ notifications }) => notifications.notify(filesWaiting));
});

const removedLater = (log: Log) => (error: unknown) =>
  log.warn({ err: error }, "a file could not be removed completely; it is removed later");

function storageOf({ directory, s3 }: Config["media"]): MediaStorage | null {
  if (s3.bucket !== "") return s3StorageOf(s3);
  return directory === "" ? null : new DiskStorage(directory);
}

/** Amazon's SDK is loaded only where a bucket is configured, because loading delays a start by 0.3 s. */
function s3StorageOf(settings: Config["media"]["s3"]): MediaStorage {
  const storage = import("../messaging/adapters/storage/s3.ts").then(({ S3Storage }) => new S3Storage(settings));
  return {
    write: async (...file) => (await storage).write(...file),
    has: async (name) => (await storage).has(name),
    async *read(...part) {
      yield* (await storage).read(...part);
    },
    remove: async (name) => (await storage).remove(name),
  };
}
