import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { PostgresMediaNames } from "../../src/messaging/adapters/postgres/media/media-names.ts";
import { SweepMedia } from "../../src/messaging/application/media/sweep-media.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";
import { formOf, head, multipart, png } from "./media-files.ts";

const unauthorized = { error: "Las credenciales no son válidas", code: "unauthorized" };

const base = "https://media.test/media/";
const fiveGigabytes = 5 * 1024 ** 3;

/** A statement that sets a column of the business's only message. */
const inAMessage = (column: string, value: string): string =>
  `update messages set ${column} = ${value} where business_id = $1`;

/** The end of a statement that adds a campaign. If `state` is given, a recipient with the file's URL is added, too. */
const aCampaign = (template: string, state?: string): string => `
  , added as (
    insert into campaigns (business_id, name, user_id, template_id, step_id, sender_id, tags, template, state, timezone, total)
    select $1, 'Promo', 101, 101, 101, id, '{}', ${template}, 'completed', 'UTC', 0 from senders where business_id = $1
    returning id
  )
  ${
    state === undefined
      ? "select from added"
      : `insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters, state, lease_until)
         select $1, id, 1, 101, '1', array['Ana', 'Tu factura: ' || $2], '${state}', now() from added`
  }`;

describe("stored media of a business", () => {
  let directory: string;
  let world: World;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "recado-quota-"));
    const withImage = aTemplate(101, { headerType: "IMAGE", body: "Hola" });
    const business = (id: number, templates = [aTemplate(id * 100 + 1)]) =>
      aBusiness(id, {
        templates,
        users: [
          ...(aBusiness(id).users ?? []),
          { id: id * 100 + 3, name: "Otra Agente", email: `other@b${id}.test`, roleId: 5, available: false },
          { id: id * 100 + 4, name: "Sara", email: `sara@b${id}.test`, roleId: 3, available: false },
        ],
      });
    world = await startWorld({
      businesses: [business(1, [withImage]), business(2)],
      environment: { ROLE: "api", MEDIA_DIR: directory, MEDIA_BASE_URL: base },
    });
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await world.rows("delete from media_files");
    await setQuota(1, null);
    for (const file of await readdir(directory)) await rm(join(directory, file));
  });

  type Headers = Readonly<Record<string, string>>;
  const key = (businessId = 1): Headers => ({ "x-api-key": world.appKey(businessId) });
  const session = async (userId: number): Promise<Headers> => ({
    authorization: `Bearer ${await world.sessionToken(userId)}`,
  });
  const setQuota = (businessId: number, value: unknown) =>
    world.rows("update businesses set feature_flags = feature_flags || $2 where id = $1", [
      businessId,
      JSON.stringify({ media_quota_bytes: value }),
    ]);
  const post = (content: Buffer, headers: Headers = key(), chunked = false): Promise<Answer> =>
    request(`${world.api}/media`, {
      method: "POST",
      rawBody: formOf({ content }),
      chunked,
      headers: { ...multipart, ...headers },
    });
  const nameOf = ({ status, json, text }: Answer): string => {
    expect(status, text).to.equal(200);
    return json.media_url.slice(base.length);
  };
  const stored = async (headers?: Headers, content = png()): Promise<string> => nameOf(await post(content, headers));
  const usage = async (headers = key()) => (await request(`${world.api}/media/usage`, { headers })).json;
  const read = async (name: string): Promise<number> => (await request(`${world.api}/media/${name}`)).status;
  const remove = (name: string, headers = key()): Promise<Answer> =>
    request(`${world.api}/media/${name}`, { method: "DELETE", headers });
  const expectNoRoom = ({ status, json }: Answer, quota: number): void => {
    expect(json).to.deep.equal({
      success: false,
      error: `No hay espacio para file: la cuota de archivos de la empresa es de ${quota} bytes`,
    });
    expect(status).to.equal(413);
  };
  /** Compares the counters with the stored files. */
  const expectExact = async (): Promise<void> => {
    const [sums] = await world.rows<{ bytes: number; files: number }>(
      "select coalesce(sum(size), 0)::bigint as bytes, count(size) as files from media_files where business_id = 1",
    );
    expect(await usage()).to.include({ used_bytes: sums?.bytes, files: sums?.files });
  };

  describe("are limited by its quota (Media.6)", () => {
    const size = png(100_000).length;
    const file = png(100_000);

    it("of 5 GB if no valid flag sets another one", async () => {
      for (const value of [null, "much", -1, 1.5, {}, "1e9"]) {
        await setQuota(1, value);
        expect(await usage()).to.deep.equal({ used_bytes: 0, quota_bytes: fiveGigabytes, files: 0 });
      }
      for (const value of [250_000, "250000"]) {
        await setQuota(1, value);
        expect((await usage()).quota_bytes).to.equal(250_000);
      }
    });

    for (const chunked of [false, true]) {
      const how = chunked ? "is not announced" : "is announced";
      it(`to the exact byte if the length ${how}`, async () => {
        await setQuota(1, 2 * size);
        await post(file, key(), chunked);
        expectNoRoom(await post(Buffer.concat([file, Buffer.alloc(1)]), key(), chunked), 2 * size);
        await expectExact();
        nameOf(await post(file, key(), chunked));
        expect(await usage()).to.deep.equal({ used_bytes: 2 * size, quota_bytes: 2 * size, files: 2 });
        expectNoRoom(await post(png(), key(), chunked), 2 * size);
        await expectExact();
        expect(await readdir(directory)).to.have.length(2);
      });
    }

    it("independently of other businesses", async () => {
      await setQuota(1, 0);
      expectNoRoom(await post(file), 0);
      nameOf(await post(file, key(2)));
      expect(await usage()).to.include({ used_bytes: 0, files: 0 });
      expect(await usage(key(2))).to.deep.equal({ used_bytes: size, quota_bytes: fiveGigabytes, files: 1 });
    });

    it("and counted exactly, even with many uploads at once", async () => {
      const quota = 5 * size + 50_000;
      await setQuota(1, quota);
      const answers = await Promise.all(Array.from({ length: 25 }, (_, index) => post(file, key(), index % 2 === 0)));
      // Unfinished uploads reserve room. A file that would fit without them is answered with 429 and Retry-After.
      const turnedAway = answers.filter(({ status }) => status === 429);
      for (const { headers } of turnedAway) expect(headers["retry-after"]).to.equal("5");
      for (const _ of turnedAway) answers.push(await post(file));
      const taken = answers.filter(({ status }) => status === 200).length;
      expect(taken).to.be.within(1, 5);
      for (const answer of answers.filter(({ status }) => ![200, 429].includes(status))) expectNoRoom(answer, quota);
      expect(await readdir(directory)).to.have.length(taken);
      await eventually(async () => (await usage()).used_bytes === taken * size);
      await expectExact();
    });

    describe("while files are being uploaded", () => {
      const sockets: Socket[] = [];
      afterEach(() => {
        for (const socket of sockets.splice(0)) socket.destroy();
      });
      /** Announces this many bytes and sends only the first ones. */
      const begin = (announced: number): Socket => {
        const socket = connect(Number(new URL(world.api).port), "127.0.0.1").on("error", () => {});
        sockets.push(socket);
        const lines = [
          "POST /media HTTP/1.1",
          "Host: a",
          `x-api-key: ${world.appKey(1)}`,
          `Content-Type: ${multipart["content-type"]}`,
          `Content-Length: ${announced}`,
        ];
        socket.write(`${lines.join("\r\n")}\r\n\r\n`);
        socket.write(Buffer.concat([Buffer.from(head({})), png(100_000)]));
        return socket;
      };

      it("and reserve their announced size until they are interrupted", async () => {
        await setQuota(1, 1_000_000);
        begin(400_000);
        begin(500_000);
        await eventually(async () => (await usage()).used_bytes === 900_000);
        expect(await usage()).to.include({ files: 0 });
        expectNoRoom(await post(png(150_000)), 1_000_000);
        nameOf(await post(png(50_000)));
        for (const socket of sockets) socket.destroy();
        await eventually(async () => (await usage()).used_bytes === png(50_000).length);
        await expectExact();
      });

      it("and are refused before they are read if they cannot fit", async () => {
        await setQuota(1, 1_000_000);
        const socket = begin(3_000_000);
        const [answer] = await once(socket, "data");
        expect(String(answer))
          .to.match(/^HTTP\/1\.1 413 /)
          .and.include("No hay espacio para file");
        expect(await readdir(directory)).to.deep.equal([]);
        expect(await usage()).to.include({ used_bytes: 0, files: 0 });
      });

      it("and are refused by the size of their type before the quota", async () => {
        await setQuota(1, 0);
        const socket = begin(6 * 1024 * 1024);
        const [answer] = await once(socket, "data");
        expect(String(answer)).to.include("file no puede tener más de 5 MB: es una imagen");
      });
    });

    it("even after the quota was set below the stored size, until there is room again", async () => {
      const [first] = [await stored(key(), file), await stored(key(), file)];
      await setQuota(1, size);
      expectNoRoom(await post(png()), size);
      expect(await usage()).to.deep.equal({ used_bytes: 2 * size, quota_bytes: size, files: 2 });
      await remove(first);
      expectNoRoom(await post(png()), size);
      await setQuota(1, size + png().length);
      await stored();
    });

    it("and counted after any change of the table of files", async () => {
      const insert =
        "insert into media_files (business_id, name, file_name, type) values (1, $1, 'a.png', 'image/png')";
      await world.rows(insert, ["m_old.png"]);
      await world.rows("update media_files set size = 700 where name = 'm_old.png'");
      expect(await usage()).to.include({ used_bytes: 700, files: 1 });
      await world.rows("update media_files set business_id = 2");
      expect([await usage(), await usage(key(2))].map(({ files }) => files)).to.deep.equal([0, 1]);
      await world.rows("delete from media_files");
      expect([await usage(), await usage(key(2))].map((each) => each.used_bytes)).to.deep.equal([0, 0]);
    });
  });

  describe("have a page of their usage (Media.8)", () => {
    it("for App Keys and users of any role, and for no other callers", async () => {
      await stored();
      for (const headers of [key(), await session(101), await session(102)]) {
        expect(await usage(headers)).to.deep.equal({
          used_bytes: png().length,
          quota_bytes: fiveGigabytes,
          files: 1,
        });
      }
      expect(await usage(await session(201))).to.include({ used_bytes: 0, files: 0 });
      const none = await request(`${world.api}/media/usage`);
      expect([none.status, none.json]).to.deep.equal([401, unauthorized]);
    });
  });

  describe("can be deleted (Media.9, Media.10)", () => {
    it("with file, record and used space, after which the URL answers 404", async () => {
      const [name, other] = [await stored(), await stored()];
      const answer = await remove(name);
      expect([answer.status, answer.json]).to.deep.equal([200, { success: true }]);
      expect([await read(name), await read(other)]).to.deep.equal([404, 200]);
      expect(await readdir(directory)).to.deep.equal([other]);
      expect(await world.rows("select name from media_files")).to.deep.equal([{ name: other }]);
      expect(await usage()).to.include({ used_bytes: png().length, files: 1 });
      const again = await remove(name);
      expect([again.status, again.json]).to.deep.equal([404, { success: false, error: "Archivo no encontrado" }]);
      expect(await usage()).to.include({ used_bytes: png().length, files: 1 });
    });

    it("once by several simultaneous requests", async () => {
      const name = await stored();
      const answers = await Promise.all(Array.from({ length: 8 }, () => remove(name)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 7 }, () => 404)]);
      await expectExact();
    });

    const whoMay: [who: string, userId: number | null, uploader: number | null, may: boolean][] = [
      ["an App Key what a user uploaded", null, 102, true],
      ["an administrator what an App Key uploaded", 101, null, true],
      ["an administrator what an agent uploaded", 101, 102, true],
      ["an agent what this agent uploaded", 102, 102, true],
      ["an agent what another agent uploaded", 102, 103, false],
      ["an agent what an App Key uploaded", 102, null, false],
      ["a user of another role what this user uploaded", 104, 104, true],
      ["a user of another role what an agent uploaded", 104, 102, false],
      ["another business's App Key", 2, 102, false],
      ["another business's administrator", 201, 102, false],
    ];
    for (const [who, caller, uploader, may] of whoMay) {
      it(`${may ? "by" : "but not by"} ${who}`, async () => {
        const as = async (id: number | null): Promise<Headers> =>
          id === null || id < 100 ? key(id ?? 1) : await session(id);
        const name = await stored(await as(uploader));
        const answer = await remove(name, await as(caller));
        expect(await read(name)).to.equal(may ? 404 : 200);
        const missing = await remove(`m_${"x".repeat(43)}.png`, await as(caller));
        expect([answer.status, answer.text]).to.deep.equal(may ? [200, '{"success":true}'] : [404, missing.text]);
      });
    }

    it("but not without a key or token", async () => {
      const name = await stored();
      expect((await remove(name, {})).status).to.equal(401);
      expect((await remove(name, { authorization: "Bearer x" })).status).to.equal(401);
      expect(await read(name)).to.equal(200);
    });

    it("but not by a name that leads to another place", async () => {
      for (const name of ["usage", "..%2f..%2fetc%2fpasswd", "%00", "m_", "x".repeat(200), "%F0%9F%98%80"]) {
        const answer = await remove(name);
        expect([answer.status, answer.json.error], name).to.deep.equal([404, "Archivo no encontrado"]);
      }
    });

    it("although the file cannot be removed at once, with the URL answering 404 at once", async () => {
      const name = await stored();
      const storage = resolve(world.container, tokens.mediaStorage);
      if (!storage) throw new Error("no storage");
      const removing = storage.remove;
      storage.remove = () => Promise.reject(new Error("it is held"));
      const answer = await remove(name).finally(() => {
        storage.remove = removing;
      });
      expect([answer.status, await read(name)]).to.deep.equal([200, 404]);
      expect(await usage()).to.include({ used_bytes: png().length, files: 0 });
      await world.rows("update media_files set created_at = now() - interval '2 hours'");
      await sweep();
      expect(await usage()).to.include({ used_bytes: 0, files: 0 });
      expect(await readdir(directory)).to.deep.equal([]);
    });
  });

  const failures: unknown[] = [];
  const sweep = async (names = new PostgresMediaNames(resolve(world.container, tokens.cells))): Promise<number> => {
    const storage = resolve(world.container, tokens.mediaStorage);
    if (!storage) throw new Error("no storage");
    failures.length = 0;
    const files = resolve(world.container, tokens.mediaFiles);
    return await new SweepMedia(storage, files, names, (error) => failures.push(error)).execute();
  };
  const age = (name: string, days: number) =>
    world.rows("update media_files set created_at = now() - make_interval(days => $2) where name = $1", [name, days]);
  const isThere = async (name: string): Promise<boolean> => {
    const isFound = (await read(name)) === 200;
    expect((await readdir(directory)).includes(name)).to.equal(isFound);
    return isFound;
  };

  describe("are deleted after 30 days without a use (Media.7)", () => {
    it("and not earlier", async () => {
      const [old, young] = [await stored(), await stored()];
      await age(old, 31);
      await age(young, 29);
      expect(await sweep()).to.equal(1);
      expect([await isThere(old), await isThere(young)]).to.deep.equal([false, true]);
      await expectExact();
    });

    /** For each kind of use: a statement for business $1, with the file's URL $2 and name $3. */
    const naming: Readonly<Record<string, string>> = {
      "a message's media": inAMessage("media_url", "$2::text"),
      "a message's media with a query behind it": inAMessage("media_url", "$2 || '?x=a/b#c'"),
      "a message's media under an earlier address": inAMessage("media_url", "'https://old.test/' || $3"),
      "a message's text": inAMessage("body", "'Tu factura: ' || $2 || ', gracias'"),
      "a message's text beside another file": inAMessage("body", `'${base}m_${"q".repeat(43)}.pdf ' || $2`),
      "a template's header": "update templates set file_name = $3 where business_id = $1",
      "a template's header by its address": "update templates set file_name = $2 where business_id = $1",
      "a template's structure": `
        update templates set structure = jsonb_set(structure, '{x}', jsonb_build_object('header_handle', array[$2]))
        where business_id = $1`,
      "a deleted template": "update templates set deleted_at = now(), file_name = $3 where business_id = $1",
      "a step's media": "update steps set media = $3 where business_id = $1",
      "a step's media by its address": "update steps set media_url = $2 where business_id = $1",
      "a step's text": "update steps set content = 'Mira ' || $2 where business_id = $1",
      "a quick reply's media": `
        insert into quick_replies (business_id, shortcut, body, media_url) select $1, 'carta', 'La carta', $2`,
      "a quick reply's text": `
        insert into quick_replies (business_id, shortcut, body) select $1, 'carta', 'La carta: ' || $2`,
      "a department's text": "update departments set out_of_hours_message = 'Mira ' || $2 where business_id = $1",
      "the business's picture": "update businesses set image_url = $2 where id = $1",
      "the frozen template of a campaign": aCampaign("jsonb_build_object('media', jsonb_build_object('link', $2))"),
      "the parameters of a queued recipient": aCampaign("'{}'", "queued"),
      "the parameters of a recipient being sent to": aCampaign("'{}'", "sending"),
      "the parameters of a recipient that may be sent again": aCampaign("'{}'", "unknown"),
      "the parameters of a recipient that failed": aCampaign("'{}'", "failed"),
    };
    /** Removes all uses, but no other data of the business. */
    const removeUses = async (): Promise<void> => {
      await world.rows("delete from campaigns");
      await world.rows("update messages set media_url = null, body = 'Hola'");
      await world.rows("update templates set file_name = null, structure = structure - 'x', deleted_at = null");
      await world.rows("update steps set media = null, media_url = null, content = ''");
      await world.rows("delete from quick_replies where shortcut = 'carta'");
      await world.rows("update departments set out_of_hours_message = null");
      await world.rows("update businesses set image_url = null");
    };
    afterEach(removeUses);

    for (const [what, statement] of Object.entries(naming)) {
      it(`unless the same business uses them in ${what}`, async () => {
        const [named, other] = [await stored(), await stored()];
        for (const name of [named, other]) await age(name, 400);
        const values = [1, `${base}${named}`, named];
        await world.rows(`with given as (select $1::bigint, $2::text, $3::text) ${statement}`, values);
        await sweep();
        expect(failures).to.deep.equal([]);
        expect([await isThere(named), await isThere(other)]).to.deep.equal([true, false]);

        await removeUses();
        await sweep();
        expect(await isThere(named), "the file has a recent use").to.equal(true);
        await world.rows("update media_files set named_at = now() - interval '31 days'");
        await sweep();
        expect(await isThere(named)).to.equal(false);
      });
    }

    it("even if another business uses them", async () => {
      const name = await stored();
      await age(name, 31);
      await world.rows("update steps set media = $1 where business_id = 2", [name]);
      await sweep();
      expect(await isThere(name)).to.equal(false);
    });

    it("unless a message with them is sent at that moment", async () => {
      const name = await stored();
      await age(name, 31);
      const send = {
        empresa_id: 1,
        phone_number: "59170000077",
        plantilla_id: 101,
        media_url: `${base}${name}`,
      };
      const whileLooking = new (class extends PostgresMediaNames {
        override async among(files: Parameters<PostgresMediaNames["among"]>[0]) {
          const named = await super.among(files);
          const { status, text } = await world.post("/chats/enviar/plantilla/business", send);
          expect(status, text).to.equal(200);
          return named;
        }
      })(resolve(world.container, tokens.cells));
      await sweep(whileLooking);
      expect(await isThere(name)).to.equal(true);
    });

    it("in several batches, also if those of one business fail", async () => {
      const insert = `
        insert into media_files (business_id, name, file_name, type, size, created_at)
        select $1::bigint, 'm_' || lpad($1::bigint || '-' || n, 43, '0') || '.png', 'a.png', 'image/png', 10, now() - interval '40 days'
        from generate_series(1, $2::integer) as n`;
      await world.rowsOfCell(1, insert, [1, 620]);
      await world.rowsOfCell(2, insert, [2, 130]);
      await world.rows("update steps set media = 'm_' || lpad('1-600', 43, '0') || '.png' where business_id = 1");
      const failing = new (class extends PostgresMediaNames {
        override among(files: Parameters<PostgresMediaNames["among"]>[0]) {
          return files.businessId === 2 ? Promise.reject(new Error("too slow")) : super.among(files);
        }
      })(resolve(world.container, tokens.cells));
      expect(await sweep(failing)).to.equal(619);
      expect(failures.map(String)).to.deep.equal(["Error: too slow"]);
      expect([await usage(), await usage(key(2))].map(({ files }) => files)).to.deep.equal([1, 130]);
      expect(await sweep()).to.equal(130);
      await expectExact();
    });
  });
});
