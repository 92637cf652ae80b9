import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { PostgresFetchedFiles } from "../../src/inbox/adapters/postgres/files/fetched-files.ts";
import {
  FetchFiles,
  type FetchFilesSettings,
  fetchFilesSettings,
} from "../../src/inbox/application/files/fetch-files.ts";
import type { ClaimedFile } from "../../src/inbox/application/files/ports.ts";
import { PostgresUnitOfWork } from "../../src/infra/postgres/unit-of-work.ts";
import { png } from "../messaging/media-files.ts";
import { eventually } from "../support/wait.ts";
import { Files, mediaBase } from "./files-support.ts";

const bounds = { ofOne: 4, leaseSeconds: 60 };

describe("workers that fetch customers' files", () => {
  let files: Files;
  const workers: FetchFiles[] = [];
  before(async () => {
    files = await Files.start("api");
  });
  after(() => files?.stop());
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.stop();
    await files.world.rows("delete from incoming_files");
  });

  const queue = () => resolve(files.world.container, tokens.fileQueue);
  const fetched = () =>
    new PostgresUnitOfWork(
      resolve(files.world.container, tokens.cells),
      (transaction) => new PostgresFetchedFiles(transaction),
    );
  const finish = (file: ClaimedFile, url: string) => fetched().run(file.businessId, (store) => store.finish(file, url));
  /** Stands for another process that fetches files. */
  const worker = (settings: Partial<FetchFilesSettings> = {}): FetchFiles => {
    const { container } = files.world;
    const made = new FetchFiles(
      queue(),
      fetched(),
      resolve(container, tokens.fileSources),
      resolve(container, tokens.senderDirectory),
      resolve(container, tokens.mediaStore),
      resolve(container, tokens.feed),
      { onOutcome: () => {}, onFailure: () => {} },
      { ...fetchFilesSettings, ...settings },
    );
    workers.push(made);
    return made;
  };
  const waitFor = (count: number) => eventually(async () => (await files.waiting()).length === count);
  /** Lets a customer send pictures. Returns the platform's message ids when all files wait to be fetched. */
  const sent = async (count: number, businessId = 1): Promise<string[]> => {
    const before = (await files.waiting()).length;
    const wamids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const id = files.newId();
      files.platform.has(id, png(i));
      wamids.push(await files.says({ id }, { businessId }));
    }
    await waitFor(before + count);
    return wamids;
  };

  it("never claim the same file twice at the same time", async () => {
    await sent(3);
    await sent(3, 2);
    const claims = await Promise.all(Array.from({ length: 8 }, () => queue().claim(2, bounds)));
    const ids = claims.flat().map(({ messageId }) => messageId);
    expect(ids).to.have.length(6);
    expect(new Set(ids).size).to.equal(6);
    expect(await queue().claim(10, bounds)).to.deep.equal([]);
  });

  it("take turns among businesses, and hold only a few files of each", async () => {
    await sent(9);
    await sent(2, 2);
    const first = await queue().claim(4, bounds);
    expect(first.map(({ businessId }) => businessId).sort()).to.deep.equal([1, 1, 2, 2]);
    const rest = await queue().claim(10, bounds);
    expect(rest.map(({ businessId }) => businessId)).to.deep.equal([1, 1]);
  });

  it("start with the file that has waited longest", async () => {
    const [first] = await sent(3);
    const { id } = await files.message(first ?? "");
    expect((await queue().claim(1, bounds)).map(({ messageId }) => messageId)).to.deep.equal([id]);
  });

  it("fetch files of one business while another one's platform hangs", async () => {
    for (let i = 0; i < 6; i += 1) {
      const id = files.newId();
      files.platform.has(id, () => {});
      await files.says({ id });
    }
    await waitFor(6);
    const [other] = await sent(1, 2);
    worker({ width: 5, slowWidth: 1 }).nudge();
    await files.messageIn(other ?? "", "listo");
  });

  it("keep places free when some downloads hang", async () => {
    for (const businessId of [1, 2]) {
      const id = files.newId();
      files.platform.has(id, () => {});
      await files.says({ id }, { businessId });
    }
    await waitFor(2);
    const hanging = worker({ width: 2, slowWidth: 2, slowMs: 50 });
    hanging.nudge();
    await eventually(async () => (await files.waiting()).every(({ attempts }) => attempts === 1));
    const [third] = await sent(1, 3);
    hanging.nudge();
    await files.messageIn(third ?? "", "listo");
  });

  it("continue the files of a process that died, after its lease has ended", async () => {
    const [wamid] = await sent(1);
    const [dead] = await queue().claim(1, bounds);
    if (!dead) throw new Error("nothing was claimed");
    expect(await queue().claim(1, bounds)).to.deep.equal([]);
    // The process stored the file and died before it recorded that.
    const register = resolve(files.world.container, tokens.mediaFiles);
    const storage = resolve(files.world.container, tokens.mediaStorage);
    const store = resolve(files.world.container, tokens.storeMedia);
    const url = await store.execute({
      ...{ businessId: 1, userId: null, givenName: "", size: { least: 1, most: 10_000 } },
      content: (async function* () {
        yield png();
      })(),
      received: { onName: async (name) => void (await queue().nameIt(dead, name)) },
    });
    const name = url.slice(mediaBase.length);
    expect(await register.find(name)).not.to.equal(null);

    await files.world.rows("update incoming_files set due_at = now(), lease_until = now()");
    for (const each of [worker(), worker(), worker()]) each.nudge();
    const { adjunto } = await files.messageIn(wamid ?? "", "listo");
    expect(adjunto.url).not.to.equal(url);
    expect([await register.find(name), await storage?.has(name)]).to.deep.equal([null, false]);
    // Even if the dead process came back, it could not change anything.
    expect(await finish(dead, url)).to.equal(null);
    expect((await files.message(wamid ?? "")).adjunto.url).to.equal(adjunto.url);
  });

  it("store nothing of an attempt whose lease has ended", async () => {
    await sent(1);
    const [late] = await queue().claim(1, bounds);
    await files.world.rows("update incoming_files set due_at = now(), lease_until = now()");
    const [next] = await queue().claim(1, bounds);
    if (!late || !next) throw new Error("nothing was claimed");
    expect(await queue().nameIt(late, "m_late.png")).to.equal(false);
    expect(await finish(late, `${mediaBase}m_late.png`)).to.equal(null);
    expect(await finish(next, `${mediaBase}m_next.png`)).to.have.length(1);
  });

  it("release a file at once when their process stops during the download", async () => {
    const id = files.newId();
    files.platform.has(id, (response) => response.write(png(100_000)));
    const wamid = await files.says({ id });
    await waitFor(1);
    const ending = worker();
    ending.nudge();
    await eventually(() => files.platform.timesServed(id) === 1);
    await ending.stop();
    expect(await files.stored()).to.satisfy((names: string[]) => names.every((name) => !name.endsWith(".part")));
    files.platform.has(id, png(5));
    worker().nudge();
    await files.messageIn(wamid, "listo");
  });

  it("wait longer after each attempt, and try a last time one day after the first", async () => {
    const id = files.newId();
    files.platform.has(id, png(1));
    files.platform.refuses(id, { status: 500, code: 1 });
    const wamid = await files.says({ id });
    await waitFor(1);
    const pauses: number[] = [];
    const trying = worker();
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await files.world.rows("update incoming_files set due_at = now()");
      trying.nudge();
      const [row] = await eventually(async () => {
        const sql = `select extract(epoch from due_at - now())::float8 as pause from incoming_files
                     where attempts = $1 and lease_until is null`;
        const found = await files.world.rows<{ pause: number }>(sql, [attempt]);
        return found.length > 0 && found;
      });
      pauses.push(row?.pause ?? 0);
    }
    expect(pauses).to.deep.equal([...pauses].sort((a, b) => a - b));
    expect(pauses[3]).to.be.above(60);
    await files.world.rows("update incoming_files set expires_at = now() + interval '20 seconds', due_at = now()");
    trying.nudge();
    await eventually(async () => {
      const sql = "select from incoming_files where attempts = 5 and lease_until is null and due_at = expires_at";
      return (await files.world.rows(sql)).length === 1;
    });
    await files.world.rows("update incoming_files set expires_at = now(), due_at = now()");
    trying.nudge();
    const { detalles } = await files.messageIn(wamid, "no_disponible");
    expect(detalles.archivo.motivo).to.equal("La plataforma no entregó el archivo");
  });

  it("store a file that came with the message itself, even a large one", async () => {
    const [wamid] = await sent(1);
    const content = png(3 * 1024 * 1024 + 17);
    await files.world.rows("update incoming_files set place = null, content = $1", [content]);
    worker().nudge();
    const { adjunto } = await files.messageIn(wamid ?? "", "listo");
    const served = await files.read(adjunto.url);
    expect([adjunto.bytes, served.text.length]).to.deep.equal([content.length, content.toString().length]);
    expect(served.text).to.equal(content.toString());
  });
});
