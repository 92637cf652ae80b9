import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { DiskStorage } from "../../src/messaging/adapters/storage/disk.ts";
import { S3Storage } from "../../src/messaging/adapters/storage/s3.ts";
import type { Bytes, MediaStorage } from "../../src/messaging/application/media/ports.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { type S3StandIn, startS3 } from "./s3-stand-in.ts";

interface Place {
  readonly storage: MediaStorage;
  /** All stored objects, finished or not. */
  held(): Promise<string[]>;
  close(): Promise<void>;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  "on a disk": async () => {
    const directory = await mkdtemp(join(tmpdir(), "recado-media-"));
    const folder = join(directory, "made", "when needed");
    return {
      storage: new DiskStorage(folder),
      held: () => readdir(folder).catch(() => []),
      close: () => rm(directory, { recursive: true, force: true }),
    };
  },
  "in a bucket": async () => {
    const s3 = await startS3("media");
    const storage = new S3Storage({ bucket: "media", region: "us-east-1", endpoint: s3.url });
    return {
      storage,
      held: async () => [...s3.objects.keys(), ...[...s3.uploads.values()].map(({ key }) => `${key}.part`)],
      close: async () => {
        storage.close();
        await s3.close();
      },
    };
  },
};

async function* inChunks(content: Buffer, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function* broken(bytes: number): AsyncGenerator<Uint8Array> {
  yield* inChunks(Buffer.alloc(bytes, 1));
  throw new Error("it broke off");
}

const all = async (bytes: Bytes): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => expect.fail("it succeeded"),
    (error: Error) => error,
  );

const credentials = {
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
  AWS_ACCESS_KEY_ID: "key",
  AWS_SECRET_ACCESS_KEY: "secret",
};

describe("storage of media", () => {
  useRealNetwork();
  const environment = { ...process.env };
  before(() => Object.assign(process.env, credentials));
  after(() => {
    for (const name of Object.keys(credentials)) {
      if (environment[name] === undefined) delete process.env[name];
      else process.env[name] = environment[name];
    }
  });

  for (const [where, open] of Object.entries(places)) {
    describe(where, () => {
      let place: Place;
      let storage: MediaStorage;
      beforeEach(async () => {
        place = await open();
        storage = place.storage;
      });
      afterEach(() => place.close());

      for (const [what, size] of [
        ["one byte", 1],
        ["less than a part", 300_000],
        ["several parts", 11 * 1024 * 1024 + 3],
      ] as const) {
        it(`returns the stored content: ${what}`, async () => {
          const content = Buffer.alloc(size, "abcdefg");
          await storage.write("a.png", "image/png", inChunks(content));
          expect(await storage.has("a.png")).to.equal(true);
          expect((await all(storage.read("a.png", null))).equals(content)).to.equal(true);
          expect(await place.held()).to.deep.equal(["a.png"]);
        });
      }

      it("returns a part of the content", async () => {
        await storage.write("a.txt", "text/plain", inChunks(Buffer.from("0123456789"), 3));
        expect(String(await all(storage.read("a.txt", { from: 2, to: 5 })))).to.equal("2345");
        expect(String(await all(storage.read("a.txt", { from: 9, to: 9 })))).to.equal("9");
      });

      it("reports a missing file", async () => {
        expect(await storage.has("a.png")).to.equal(false);
        expect(await failureOf(all(storage.read("a.png", null)))).to.be.instanceOf(Error);
      });

      for (const size of [1_000, 12 * 1024 * 1024]) {
        it(`stores nothing of a file that breaks off after ${size} bytes, and passes the error on`, async () => {
          const failure = await failureOf(storage.write("a.png", "image/png", broken(size)));
          expect(failure.message).to.equal("it broke off");
          expect(await storage.has("a.png")).to.equal(false);
          expect(await place.held()).to.deep.equal([]);
        });
      }

      it("does not show a file before it is complete", async () => {
        let seen: boolean | undefined;
        async function* content(): AsyncGenerator<Uint8Array> {
          yield Buffer.alloc(6 * 1024 * 1024);
          seen = await storage.has("a.png");
          yield Buffer.alloc(6 * 1024 * 1024);
        }
        await storage.write("a.png", "image/png", content());
        expect(seen).to.equal(false);
      });

      it("reads the content in pieces only as fast as it writes", async () => {
        const chunk = Buffer.alloc(1024 * 1024);
        let [made, taken] = [0, 0];
        async function* content(): AsyncGenerator<Uint8Array> {
          for (let i = 0; i < 24; i++) {
            made += chunk.length;
            taken = (await place.held()).length;
            yield chunk;
          }
        }
        await storage.write("a.mp4", "video/mp4", content());
        expect(made).to.equal(24 * chunk.length);
        // The storage already held the unfinished file when the last chunk was created.
        expect(taken).to.equal(1);
      });

      it("removes a file, its unfinished parts, and ignores a missing one", async () => {
        await storage.write("a.png", "image/png", inChunks(Buffer.from("a")));
        await storage.write("b.png", "image/png", inChunks(Buffer.from("b")));
        await storage.remove("a.png");
        await storage.remove("a.png");
        expect(await place.held()).to.deep.equal(["b.png"]);
      });
    });
  }

  describe("in a bucket", () => {
    let s3: S3StandIn;
    let storage: S3Storage;
    beforeEach(async () => {
      s3 = await startS3("media");
      storage = new S3Storage({ bucket: "media", region: "us-east-1", endpoint: s3.url });
    });
    afterEach(async () => {
      storage.close();
      await s3.close();
    });

    it("stores the file's type", async () => {
      await storage.write("a.png", "image/png", inChunks(Buffer.from("a")));
      await storage.write("b.mp4", "video/mp4", inChunks(Buffer.alloc(6 * 1024 * 1024)));
      expect([...s3.objects].map(([key, { type }]) => [key, type])).to.deep.equal([
        ["a.png", "image/png"],
        ["b.mp4", "video/mp4"],
      ]);
    });

    it("fails if the bucket refuses, and leaves no unfinished upload", async () => {
      s3.failWrites = 403;
      for (const size of [1_000, 12 * 1024 * 1024]) {
        await failureOf(storage.write("a.png", "image/png", inChunks(Buffer.alloc(size))));
      }
      expect([s3.objects.size, s3.uploads.size]).to.deep.equal([0, 0]);
    });

    it("removes the parts of a process that died", async () => {
      const begun = await fetch(`${s3.url}/media/a.png?uploads=`, {
        method: "POST",
        headers: { authorization: "AWS4-HMAC-SHA256 Credential=key/x" },
      });
      expect([begun.status, s3.uploads.size]).to.deep.equal([200, 1]);
      await storage.remove("a.png");
      expect(s3.uploads.size).to.equal(0);
    });

    it("distinguishes a failure of the bucket from a missing file", async () => {
      await s3.close();
      expect(await failureOf(storage.has("a.png"))).to.be.instanceOf(Error);
    });
  });
});
