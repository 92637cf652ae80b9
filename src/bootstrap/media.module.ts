import { ContainerModule } from "inversify";
import { newToken } from "../infra/crypto/secrets.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Log } from "../kernel/log.ts";
import { mediaRoutes } from "../messaging/adapters/http/media/media.routes.ts";
import { PostgresMediaFiles } from "../messaging/adapters/postgres/media/media-files.ts";
import { PostgresMediaNames } from "../messaging/adapters/postgres/media/media-names.ts";
import { DiskStorage } from "../messaging/adapters/storage/disk.ts";
import { recognizeMedia } from "../messaging/adapters/storage/recognize.ts";
import { S3Storage } from "../messaging/adapters/storage/s3.ts";
import { DeleteMedia, ProbeMedia, ReadMedia, ReadSample, StoreMedia, SweepMedia } from "../messaging/public.ts";
import type { Config } from "./config.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const mediaModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.mediaStorage, [tokens.config], ({ media }) => storageOf(media));
  provide(bind, tokens.mediaFiles, [tokens.cells], (cells) => new PostgresMediaFiles(cells));
  provide(bind, tokens.readMedia, [tokens.mediaStorage, tokens.mediaFiles], (...deps) => new ReadMedia(...deps));
  provide(
    bind,
    tokens.ownMediaProbe,
    [tokens.mediaProbe, tokens.readMedia, tokens.config],
    (outside, own, { media }) => new ProbeMedia(outside, own, media.baseUrl),
  );
  provide(
    bind,
    tokens.sampleFiles,
    [tokens.readMedia, tokens.config, tokens.downloads],
    (own, { media }, downloads) => {
      const openPublic = async (url: string) => {
        const outcome = await downloads.open({ url });
        return outcome.kind === "content" ? outcome.content : null;
      };
      return new ReadSample(own, media.baseUrl, openPublic, recognizeMedia);
    },
  );
  provide(
    bind,
    tokens.tick,
    [tokens.mediaStorage, tokens.mediaFiles, tokens.cells, tokens.log],
    (storage, files, cells, log) =>
      tick("media.sweep", 600, async (signal) => {
        const onFailure = (error: unknown) => log.warn({ err: error }, "files could not be swept");
        if (storage) await new SweepMedia(storage, files, new PostgresMediaNames(cells), onFailure).execute(signal);
      }),
  );
  provide(
    bind,
    tokens.storeMedia,
    [tokens.mediaStorage, tokens.mediaFiles, tokens.config, tokens.log],
    (storage, files, { media: { baseUrl } }, log) => {
      const home = storage && baseUrl !== "" ? { storage, baseUrl } : null;
      return new StoreMedia(home, files, recognizeMedia, () => newToken("m"), removedLater(log));
    },
  );
  provide(
    bind,
    tokens.deleteMedia,
    [tokens.mediaStorage, tokens.mediaFiles, tokens.log],
    (storage, files, log) => new DeleteMedia(storage, files, removedLater(log)),
  );
  provide(
    bind,
    tokens.routes,
    [tokens.storeMedia, tokens.readMedia, tokens.deleteMedia, tokens.mediaFiles],
    (store, read, remove, register) => mediaRoutes({ store, read, remove, register }),
  );
});

const removedLater = (log: Log) => (error: unknown) =>
  log.warn({ err: error }, "what is left of a file is removed later");

function storageOf({ directory, s3 }: Config["media"]) {
  if (s3.bucket !== "") return new S3Storage(s3);
  return directory === "" ? null : new DiskStorage(directory);
}
