import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { MediaNames } from "../../src/messaging/application/media/ports.ts";
import { SweepMedia } from "../../src/messaging/application/media/sweep-media.ts";
import { largestMedia } from "../../src/messaging/domain/media.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";
import { formOf, head, multipart, png, refusedFiles, takenFiles } from "./media-files.ts";

const unauthorized = { error: "Las credenciales no son válidas", code: "unauthorized" };

const base = "https://media.test/media/";

describe("POST /media", () => {
  let directory: string;
  let world: World;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "recado-media-"));
    const withImage = aTemplate(101, {
      headerType: "IMAGE",
      body: "Hola",
      structure: {
        language: "es",
        components: [
          { type: "HEADER", format: "IMAGE" },
          { type: "BODY", text: "Hola" },
        ],
      },
    });
    world = await startWorld({
      businesses: [aBusiness(1, { templates: [withImage] }), aBusiness(2)],
      environment: { MEDIA_DIR: directory, MEDIA_BASE_URL: base },
    });
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const post = (rawBody: Buffer | string, headers: Record<string, string> = {}): Promise<Answer> =>
    request(`${world.api}/media`, {
      method: "POST",
      rawBody,
      headers: { ...multipart, "x-api-key": world.appKey(1), ...headers },
    });
  const upload = (content: Buffer | string, name = "foto.png"): Promise<Answer> => post(formOf({ content, name }));
  /** Uploads an accepted file. @returns its name */
  const stored = async (content: Buffer | string, name?: string): Promise<string> => {
    const answer = await upload(content, name);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.json).to.have.all.keys("media_url");
    expect(answer.json.media_url.startsWith(base)).to.equal(true);
    return answer.json.media_url.slice(base.length);
  };
  const read = (name: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
    request(`${world.api}/media/${name}`, { method, headers });
  const bytesOf = async (name: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${world.api}/media/${name}`)).arrayBuffer());
  const onDisk = async (): Promise<string[]> => (await readdir(directory)).sort();
  const rows = () => world.rows<{ name: string }>("select name from media_files order by name");
  /** Expects that nothing of the uploads in `act` is stored, neither on the disk nor in the table. */
  const leavingNothing = async (act: () => Promise<unknown>): Promise<void> => {
    const [files, entries] = [await onDisk(), await rows()];
    await act();
    await eventually(async () => (await onDisk()).length === files.length);
    expect(await onDisk()).to.deep.equal(files);
    await eventually(async () => (await rows()).length === entries.length);
    expect(await rows()).to.deep.equal(entries);
  };
  const expectRefusal = (answer: Answer, status: number, error: string): void => {
    expect(answer.json).to.deep.equal({ success: false, error });
    expect(answer.status).to.equal(status);
    expect(answer.type).to.equal("application/json");
  };

  describe("recognizes a file by its content (Media.2)", () => {
    for (const [called, content, type, extension] of takenFiles) {
      it(`of type ${type}: ${called}`, async () => {
        const name = await stored(content, called);
        expect(name).to.match(new RegExp(`^m_[\\w-]{43}\\.${extension}$`));
        const answer = await read(name);
        expect(answer.status).to.equal(200);
        expect(answer.type).to.equal(type);
        expect(await bytesOf(name)).to.deep.equal(content);
      });
    }

    it("that has another name, which it corrects", async () => {
      const answer = await post(formOf({ content: png(), name: "página.html", type: "text/html" }));
      expect(answer.status, answer.text).to.equal(200);
      const { headers, type } = await read(answer.json.media_url.slice(base.length));
      expect(type).to.equal("image/png");
      expect(headers["content-disposition"]).to.equal(
        "inline; filename=\"p_gina.png\"; filename*=UTF-8''p%C3%A1gina.png",
      );
    });

    for (const [what, content] of Object.entries(refusedFiles)) {
      it(`and refuses ${what} under any name`, () =>
        leavingNothing(async () => {
          for (const name of ["foto.png", "carta.pdf", "a.txt"]) {
            const answer = await upload(content, name);
            expect(answer.status, answer.text).to.equal(415);
            expect(answer.json.error).to.match(/^El contenido de file no es de un tipo admitido/);
          }
        }));
    }
  });

  describe("accepts uploads", () => {
    it("with an App Key or a session token, for their business", async () => {
      const form = formOf({ content: png() });
      const token = await world.sessionToken(202);
      const anonymous = { "x-api-key": "" };
      for (const headers of [{ "x-api-key": world.appKey(2) }, { ...anonymous, authorization: `Bearer ${token}` }]) {
        const answer = await post(form, headers);
        expect(answer.status, answer.text).to.equal(200);
        const [row] = await world.rows("select business_id, type, size from media_files where name = $1", [
          answer.json.media_url.slice(base.length),
        ]);
        expect(row).to.deep.equal({ business_id: 2, type: "image/png", size: png().length });
      }
    });

    it("but not without a valid key or token", () =>
      leavingNothing(async () => {
        const form = formOf({ content: png() });
        const none = await post(form, { "x-api-key": "" });
        expect([none.status, none.json]).to.deep.equal([401, unauthorized]);
        const wrongKey = await post(form, { "x-api-key": "rk_wrong" });
        expect([wrongKey.status, wrongKey.json]).to.deep.equal([401, unauthorized]);
        const wrongToken = await post(form, { "x-api-key": "", authorization: "Bearer wrong" });
        expect([wrongToken.status, wrongToken.json]).to.deep.equal([401, unauthorized]);
      }));
  });

  describe("refuses a request (Media.1)", () => {
    const wrongForms: [what: string, body: () => Buffer, error: string][] = [
      ["with a form without a file", () => formOf(), "file es requerido"],
      [
        "with a form with other fields only",
        () => formOf({ content: "x", field: "a", name: null }),
        "file es requerido",
      ],
      ["with a text in place of the file", () => formOf({ content: "x", name: null }), "file es requerido"],
      ["with an empty file", () => formOf({ content: "" }), "file está vacío"],
      [
        "with a file in another field",
        () => formOf({ content: png(), field: "image" }),
        "Se espera un solo file, y en ese campo",
      ],
      [
        "with two files",
        () => formOf({ content: png() }, { content: png() }),
        "Se espera un solo file, y en ese campo",
      ],
      [
        "with a second file far behind the first",
        () => formOf({ content: png(1_000_000) }, { content: png(1_000_000), field: "other" }),
        "Se espera un solo file, y en ese campo",
      ],
      ["with an incomplete form", () => formOf({ content: png() }).subarray(0, -6), "El formulario no es válido"],
      ["without a form", () => Buffer.from("hola"), "El formulario no es válido"],
    ];
    for (const [what, body, error] of wrongForms) {
      it(what, () => leavingNothing(async () => expectRefusal(await post(body()), 400, error)));
    }

    it("with another content type, or without a boundary", () =>
      leavingNothing(async () => {
        const error = "Se espera multipart/form-data con el campo file";
        expectRefusal(await post("{}", { "content-type": "application/json" }), 400, error);
        const answer = await post(formOf({ content: png() }), { "content-type": "multipart/form-data" });
        expectRefusal(answer, 400, "El formulario no es válido");
      }));

    it("but not with other fields beside the file, which it ignores", async () => {
      const note = { content: "hola", field: "note", name: null };
      const answer = await post(formOf(note, { content: png() }, note));
      expect(answer.status, answer.text).to.equal(200);
    });
  });

  describe("limits the size of each type (Media.1)", () => {
    const megabyte = 1024 * 1024;

    it("to 5 MB for an image", async () => {
      const frame = png().length;
      const name = await stored(png(5 * megabyte - frame));
      expect((await read(name, {}, "HEAD")).headers["content-length"]).to.equal(String(5 * megabyte));
      await leavingNothing(async () => {
        const answer = await upload(png(5 * megabyte - frame + 1));
        expectRefusal(answer, 413, "file no puede tener más de 5 MB: es una imagen");
      });
    });

    it("to 16 MB for a video and an audio", () =>
      leavingNothing(async () => {
        for (const [called, kind] of [
          ["video.mp4", "un video"],
          ["audio.mp3", "un audio"],
        ]) {
          const [, content = Buffer.alloc(0)] = takenFiles.find(([name]) => name === called) ?? [];
          const answer = await upload(Buffer.concat([content, Buffer.alloc(16 * megabyte)]), called);
          expectRefusal(answer, 413, `file no puede tener más de 16 MB: es ${kind}`);
        }
      }));

    it("before it reads the form if the announced length is too large", () =>
      leavingNothing(async () => {
        const socket = connect(Number(new URL(world.api).port), "127.0.0.1");
        const announced = `POST /media HTTP/1.1\r\nHost: a\r\nx-api-key: ${world.appKey(1)}\r\nContent-Type: ${multipart["content-type"]}\r\n`;
        socket.write(`${announced}Content-Length: ${largestMedia + megabyte}\r\n\r\n`);
        socket.on("error", () => {}).write(Buffer.alloc(9 * megabyte));
        const [answer] = await once(socket, "data");
        expect(String(answer))
          .to.match(/^HTTP\/1.1 413 /)
          .and.include('{"success":false,"error":"file no puede tener más de 100 MB"}');
        socket.destroy();
      }));

    it("while it reads the form if no length is announced", () =>
      leavingNothing(async () => {
        const socket = connect(Number(new URL(world.api).port), "127.0.0.1");
        socket.on("error", () => {});
        let answer = "";
        socket.on("data", (data) => {
          answer += data;
        });
        const announced = `POST /media HTTP/1.1\r\nHost: a\r\nx-api-key: ${world.appKey(1)}\r\nContent-Type: ${multipart["content-type"]}\r\n`;
        socket.write(`${announced}Transfer-Encoding: chunked\r\n\r\n`);
        const chunk = (data: Buffer): Buffer =>
          Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]);
        socket.write(chunk(Buffer.concat([Buffer.from(head({})), png()])));
        let written = 0;
        const kept: number[] = [];
        while (answer === "" && written < 9) {
          if (!socket.write(chunk(Buffer.alloc(megabyte))))
            await Promise.race([once(socket, "drain"), once(socket, "data")]).catch(() => {});
          written += 1;
          kept.push((await onDisk()).filter((name) => name.endsWith(".part")).length);
        }
        socket.write("0\r\n\r\n");
        await eventually(() => answer !== "");
        expect(answer)
          .to.match(/^HTTP\/1.1 413 /)
          .and.to.include("5 MB");
        expect(Math.max(...kept)).to.equal(1);
        socket.destroy();
      }));
  });

  describe("leaves nothing behind (Media.3)", () => {
    const storageOf = () => {
      const storage = resolve(world.container, tokens.mediaStorage);
      if (!storage) throw new Error("no storage");
      return storage;
    };
    const unexpected = (error: unknown) => {
      throw error;
    };
    const noUses: MediaNames = { among: async () => [] };
    const begin = async (): Promise<ReturnType<typeof connect>> => {
      const socket = connect(Number(new URL(world.api).port), "127.0.0.1");
      const form = Buffer.concat([Buffer.from(head({})), png(200_000)]);
      socket.write(
        `POST /media HTTP/1.1\r\nHost: a\r\nx-api-key: ${world.appKey(1)}\r\nContent-Type: ${multipart["content-type"]}\r\nContent-Length: ${form.length + 1000}\r\n\r\n`,
      );
      socket.write(form);
      await eventually(async () => (await onDisk()).some((name) => name.endsWith(".part")));
      return socket;
    };

    it("of an interrupted upload, and shows nothing of it before", () =>
      leavingNothing(async () => {
        const socket = await begin();
        const [part = ""] = (await onDisk()).filter((name) => name.endsWith(".part"));
        expect((await read(part)).status).to.equal(404);
        expect((await read(part.slice(0, -5))).status).to.equal(404);
        socket.destroy();
      }));

    it("of an upload whose process died, after an hour", async () => {
      const [dead, young] = [`m_${"a".repeat(43)}.png`, `m_${"b".repeat(43)}.png`];
      for (const name of [dead, young]) await writeFile(join(directory, `${name}.part`), "x");
      await writeFile(join(directory, dead), "x");
      const insert = `insert into media_files (business_id, name, file_name, type, created_at)
                      values (1, $1, 'a.png', 'image/png', now() - $2::interval)`;
      await world.rowsOfCell(1, insert, [dead, "61 minutes"]);
      await world.rowsOfCell(1, insert, [young, "59 minutes"]);
      const finished = await stored(png());
      await world.rowsOfCell(1, "update media_files set created_at = now() - interval '1 day' where name = $1", [
        finished,
      ]);

      const storage = storageOf();
      const sweep = new SweepMedia(storage, resolve(world.container, tokens.mediaFiles), noUses, unexpected);
      // The service's clock sweeps, too, and may already have removed the file `dead`.
      expect(await sweep.execute()).to.be.within(0, 1);
      const left = await onDisk();
      expect(left).to.include.members([`${young}.part`, finished]);
      expect(left.filter((name) => name.startsWith(dead))).to.deep.equal([]);
      expect((await rows()).map(({ name }) => name))
        .to.include(young)
        .and.not.include(dead);
      await storage.remove(young);
      await world.rowsOfCell(1, "delete from media_files where name = $1", [young]);
    });

    it("of others if one file cannot be removed", async () => {
      const [stuck, dead] = [`m_${"c".repeat(43)}.png`, `m_${"d".repeat(43)}.png`];
      for (const name of [stuck, dead]) {
        await world.rowsOfCell(
          1,
          `insert into media_files (business_id, name, file_name, type, created_at)
           values (1, $1, 'a.png', 'image/png', now() - interval '2 hours')`,
          [name],
        );
      }
      const storage = storageOf();
      const remove = async (name: string) => {
        if (name === stuck) throw new Error("it is held");
        await storage.remove(name);
      };
      const failures: unknown[] = [];
      const sweep = new SweepMedia(
        { ...storage, remove } as typeof storage,
        resolve(world.container, tokens.mediaFiles),
        noUses,
        (error) => failures.push(error),
      );
      await sweep.execute();
      expect(failures.map(String)).to.deep.equal(["Error: it is held"]);
      expect((await rows()).map(({ name }) => name))
        .to.include(stuck)
        .and.not.include(dead);
      await world.rowsOfCell(1, "delete from media_files where name = $1", [stuck]);
    });

    it("of a deleted business, and keeps the files of others", async () => {
      await world.rows("insert into businesses (id, name) values (77, 'Corta vida')");
      const [theirs, ours] = [await stored(png()), await stored(png())];
      await world.rows("update media_files set business_id = 77 where name = $1", [theirs]);
      await world.rows("delete from businesses where id = 77");
      const files = resolve(world.container, tokens.mediaFiles);
      await new SweepMedia(storageOf(), files, noUses, unexpected).execute();
      expect(await onDisk())
        .to.include(ours)
        .and.not.include(theirs);
      expect((await read(theirs)).status).to.equal(404);
      expect((await rows()).map(({ name }) => name)).to.not.include(theirs);
    });

    it("of a file that cannot be recorded", () =>
      leavingNothing(async () => {
        const failing = `
          create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
          create trigger refuse before update on media_files for each row execute function refuse();`;
        await world.rows(failing);
        const answer = await upload(png()).finally(() =>
          world.rows("drop trigger refuse on media_files; drop function refuse;"),
        );
        expectRefusal(answer, 500, "Error: fallo inesperado");
      }));
  });

  describe("returns a URL (Media.4)", () => {
    it("with which a template can be sent (§2.6)", async () => {
      const name = await stored(png());
      const media_url = `${base}${name}?x=1`;
      const answer = await world.post("/chats/enviar/plantilla/business", {
        empresa_id: 1,
        phone_number: "59170000077",
        plantilla_id: 101,
        media_url,
      });
      expect([answer.status, answer.json]).to.deep.equal([200, { success: true }]);
      const accepted = await world.control("GET", "/messages?to=59170000077");
      expect(JSON.stringify(accepted)).to.include(media_url);
    });

    it("unlike unknown URLs and those of deleted files, which a send refuses", async () => {
      const gone = await stored(png());
      await rm(join(directory, gone));
      for (const name of [gone, `m_${"x".repeat(43)}.png`, ""]) {
        const answer = await world.post("/chats/enviar/plantilla/business", {
          empresa_id: 1,
          phone_number: "59170000078",
          plantilla_id: 101,
          media_url: `${base}${name}`,
        });
        expect(answer.status).to.equal(400);
        expect(answer.json.error).to.equal("media_url no es accesible: 404");
        if (name !== "") expect((await read(name)).status).to.equal(404);
      }
    });

    it("that is different for each upload", async () => {
      expect(await stored(png())).not.to.equal(await stored(png()));
    });

    it("unless no storage for files is configured, and then says so", async () => {
      const bare = await startWorld({ businesses: [aBusiness(1)] });
      try {
        const answer = await request(`${bare.api}/media`, {
          method: "POST",
          rawBody: formOf({ content: png() }),
          headers: { ...multipart, "x-api-key": bare.appKey(1) },
        });
        expectRefusal(answer, 503, "La subida de archivos no está configurada");
        expect((await request(`${bare.api}/media/a.png`)).status).to.equal(404);
      } finally {
        await bare.stop();
      }
    });
  });

  describe("GET /media/:name (Media.5)", () => {
    const content = png(1_000);
    let name: string;
    before(async () => {
      name = await stored(content, "menú del día.png");
    });

    it("allows browsers and caches to keep a file, but not to run it", async () => {
      const { status, headers } = await read(name);
      expect(status).to.equal(200);
      expect(headers).to.deep.include({
        "content-type": "image/png",
        "content-length": String(content.length),
        "x-content-type-options": "nosniff",
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": "default-src 'none'; sandbox",
        "accept-ranges": "bytes",
        "content-disposition": "inline; filename=\"men_ del d_a.png\"; filename*=UTF-8''men%C3%BA%20del%20d%C3%ADa.png",
        etag: `"${name}"`,
      });
      const text = await read(await stored("Hola, mundo", "a.txt"));
      expect(text.headers["content-disposition"]).to.match(/^attachment; filename="a\.txt"/);
      const table = await read(await stored("nombre,precio\nSopa,12\n", "precios de hoy.CSV"));
      expect(table.headers["content-type"]).to.match(/^text\/plain/);
      expect(table.headers["content-disposition"]).to.match(/^attachment; filename="precios de hoy\.csv"/);
      const other = await read(await stored("Hola, mundo", "a.html"));
      expect(other.headers["content-disposition"]).to.match(/^attachment; filename="a\.txt"/);
    });

    it("answers HEAD with 200 and no body", async () => {
      const answer = await read(name, {}, "HEAD");
      expect([answer.status, answer.text]).to.deep.equal([200, ""]);
      expect(answer.headers["content-length"]).to.equal(String(content.length));
    });

    const size = content.length;
    const ranges: [range: string, status: number, contentRange: string | undefined, from: number, to: number][] = [
      ["bytes=0-0", 206, `bytes 0-0/${size}`, 0, 1],
      ["bytes=10-19", 206, `bytes 10-19/${size}`, 10, 20],
      ["bytes=10-", 206, `bytes 10-${size - 1}/${size}`, 10, size],
      ["bytes=-5", 206, `bytes ${size - 5}-${size - 1}/${size}`, size - 5, size],
      ["bytes=-999999", 206, `bytes 0-${size - 1}/${size}`, 0, size],
      ["bytes=0-999999", 206, `bytes 0-${size - 1}/${size}`, 0, size],
      [`bytes=${size}-`, 416, `bytes */${size}`, 0, 0],
      ["bytes=-0", 416, `bytes */${size}`, 0, 0],
      ["bytes=5-2", 200, undefined, 0, size],
      ["bytes=0-1,5-6", 200, undefined, 0, size],
      ["bytes=-", 200, undefined, 0, size],
      ["lines=1-2", 200, undefined, 0, size],
    ];
    for (const [range, status, contentRange, from, to] of ranges) {
      it(`answers ${range} with ${status}`, async () => {
        const response = await fetch(`${world.api}/media/${name}`, { headers: { range } });
        const bytes = Buffer.from(await response.arrayBuffer());
        expect(response.status).to.equal(status);
        expect(response.headers.get("content-range") ?? undefined).to.equal(contentRange);
        expect(bytes).to.deep.equal(content.subarray(from, to));
        expect(response.headers.get("content-length")).to.equal(String(to - from));
        expect(response.headers.get("cache-control")).to.match(status === 416 ? /^no-store$/ : /immutable/);
      });
    }

    it("answers 304 for a known version, and sends the whole file for a part of another version", async () => {
      for (const tag of [`"${name}"`, `W/"${name}"`, `"x", "${name}"`, "*"]) {
        const answer = await read(name, { "if-none-match": tag });
        expect([answer.status, answer.text]).to.deep.equal([304, ""]);
      }
      const range = "bytes=0-9";
      expect((await read(name, { range, "if-range": '"x"' })).status).to.equal(200);
      expect((await read(name, { range, "if-range": `"${name}"` })).status).to.equal(206);
    });

    it("answers 404 for other names", async () => {
      const wrong = [
        name.replace(/^m_./, "m_!"),
        name.slice(0, -1),
        name.toUpperCase(),
        `${name}.part`,
        `..%2f${name}`,
        "..%2f..%2fetc%2fpasswd",
        "%00",
        "%E0%A4%A",
        "x".repeat(500),
      ];
      for (const each of wrong) expect((await read(each)).status, each).to.be.oneOf([400, 404]);
      expect((await read(name.replace(/^m_./, "m_!"))).json).to.deep.equal({ message: "Not found" });
    });
  });
});
