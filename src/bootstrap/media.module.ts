import { newToken } from "../infra/crypto/secrets.ts";
import type { Log } from "../kernel/log.ts";
import { mediaRoutes } from "../messaging/adapters/http/media/media.routes.ts";
import { PostgresMediaFiles } from "../messaging/adapters/postgres/media/media-files.ts";
import { PostgresMediaNames } from "../messaging/adapters/postgres/media/media-names.ts";
import { DiskStorage } from "../messaging/adapters/storage/disk.ts";
import { recognizeMedia } from "../messaging/adapters/storage/recognize.ts";
import {
  DeleteMedia,
  type MediaStorage,
  ProbeMedia,
  ReadMedia,
  ReadSample,
  StoreMedia,
  SweepMedia,
} from "../messaging/public.ts";
import type { Config } from "./config.ts";
import { moduleOf } from "./provide.ts";

export const mediaModule = moduleOf(({ provide, provideTick }) => {
  provide("mediaStorage", ["config"], ({ media }) => storageOf(media));
  provide("mediaFiles", ["cells"], (cells) => new PostgresMediaFiles(cells));
  provide("readMedia", ["mediaStorage", "mediaFiles"], (...deps) => new ReadMedia(...deps));
  provide(
    "ownMediaProbe",
    ["mediaProbe", "readMedia", "config"],
    (outside, own, { media }) => new ProbeMedia(outside, own, media.baseUrl),
  );
  provide("sampleFiles", ["readMedia", "config", "downloads"], (own, { media }, downloads) => {
    const openPublic = async (url: string) => {
      const outcome = await downloads.open({ url });
      return outcome.kind === "content" ? outcome.content : null;
    };
    return new ReadSample(own, media.baseUrl, openPublic, recognizeMedia);
  });
  provideTick(
    "media.sweep",
    600,
    ["mediaStorage", "mediaFiles", "cells", "log"],
    async (storage, files, cells, log, signal) => {
      const onFailure = (error: unknown) => log.warn({ err: error }, "unused files could not be deleted");
      if (storage) await new SweepMedia(storage, files, new PostgresMediaNames(cells), onFailure).execute(signal);
    },
  );
  provide(
    "storeMedia",
    ["mediaStorage", "mediaFiles", "config", "log"],
    (storage, files, { media: { baseUrl } }, log) => {
      const home = storage && baseUrl !== "" ? { storage, baseUrl } : null;
      return new StoreMedia(home, files, recognizeMedia, () => newToken("m"), removedLater(log));
    },
  );
  provide(
    "deleteMedia",
    ["mediaStorage", "mediaFiles", "log"],
    (storage, files, log) => new DeleteMedia(storage, files, removedLater(log)),
  );
  provide("routes", ["storeMedia", "readMedia", "deleteMedia", "mediaFiles"], (store, read, remove, register) =>
    mediaRoutes({ store, read, remove, register }),
  );
});

const removedLater = (log: Log) => (error: unknown) =>
  log.warn({ err: error }, "a file could not be removed completely; it is removed later");

function storageOf({ directory, s3 }: Config["media"]): MediaStorage | null {
  if (s3.bucket !== "") return s3StorageOf(s3);
  return directory === "" ? null : new DiskStorage(directory);
}

/** Amazon's SDK is loaded only where a bucket is configured: it delays a start by 0.3 s. */
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
