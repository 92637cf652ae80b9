import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";

describe("importing contacts", () => {
  let world: World;
  before(async () => {
    const tags = [
      { id: 101, name: "VIP" },
      { id: 102, name: "Nuevo" },
    ];
    world = await startWorld({ businesses: [aBusiness(1, { tags, threads: [] }), aBusiness(2)] });
  });
  after(() => world.stop());

  const send = (file: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    request(`${world.api}/contacts/import`, {
      method: "POST",
      rawBody: file,
      headers: { "x-api-key": world.appKey(1), "content-type": "text/csv", ...headers },
    });
  const last = ({ text }: Answer) => JSON.parse(text.trim().split("\n").at(-1) ?? "");
  const contactOf = async (phone: string, businessId = 1) =>
    (await world.get(`/contacts?q=${phone}`, businessId)).json.data.at(0);

  it("creates contacts with names, tags and custom fields", async () => {
    const answer = await send(
      "nombre,numero,tags,opted_out,Ciudad\r\nAna,+591 74000001,VIP|Nuevo,,La Paz\r\nBeto,59174000002,,true,\r\n",
    );
    expect([answer.status, answer.type]).to.deep.equal([200, "application/x-ndjson"]);
    expect(last(answer)).to.deep.equal({ created: 2, updated: 0, unchanged: 0, refused: 0, refused_csv: null });
    expect(await contactOf("74000001")).to.deep.include({
      nombre: "Ana",
      numero: "59174000001",
      campos: { Ciudad: "La Paz" },
      opted_out: false,
      tags: [
        { id: 101, nombre: "VIP" },
        { id: 102, nombre: "Nuevo" },
      ],
    });
    expect(await contactOf("74000002")).to.deep.include({ nombre: "Beto", campos: {}, opted_out: true });
  });

  it("changes contacts with a known number, and does not write unchanged ones", async () => {
    await send("numero,nombre,tags,Ciudad,Rubro\n59174100001,Caro,VIP,Oruro,Bar\n59174100002,Dani,VIP,Oruro,Bar\n");
    const written = () => world.rowsOfCell(1, "select id, xmin::text from contacts where phone = '59174100002'");
    const before = await written();
    const answer = await send(
      "numero,nombre,tags,Ciudad,Rubro\n59174100001,Carolina,Nuevo,,Café\n59174100002,Dani,VIP,,Bar\n59174100003,Eva,,,\n",
    );
    expect(last(answer)).to.deep.include({ created: 1, updated: 1, unchanged: 1, refused: 0 });
    const changed = await contactOf("74100001");
    expect(changed).to.deep.include({ nombre: "Carolina", campos: { Ciudad: "Oruro", Rubro: "Café" } });
    expect(changed.tags).to.have.length(2);
    expect(await written()).to.deep.equal(before);
  });

  it("refuses single rows, and returns them with reasons only to this business", async () => {
    const answer = await send(
      `numero,nombre,tags,opted_out,Nota\n,Sin número,,,\n59174200001,Bien,,,\n59174200002,Mal,Ninguno,,\n59174200003,Mal,,quizás,\n59174200004,Largo,,,${"x".repeat(1_001)}\n59174200005,=cmd(),Ninguno,,\n`,
    );
    const { refused_csv, ...counts } = last(answer);
    expect(counts).to.deep.equal({ created: 1, updated: 0, unchanged: 0, refused: 5 });
    expect((await contactOf("74200001")).nombre).to.equal("Bien");

    const file = await world.get(refused_csv);
    expect([file.status, file.type]).to.deep.equal([200, "text/csv"]);
    const lines = file.text.trim().split("\r\n");
    expect(lines[0]).to.equal("motivo,numero,nombre,tags,opted_out,Nota");
    expect(lines).to.include("numero es requerido,,Sin número,,,");
    expect(lines).to.include("un tag no existe,59174200002,Mal,Ninguno,,");
    expect(lines).to.include("un tag no existe,59174200005,'=cmd(),Ninguno,,");
    expect(lines).to.have.length(6);

    expect((await world.get(refused_csv, 2)).json.code).to.equal("file_not_found");
    expect((await request(world.api + refused_csv)).status).to.equal(401);
    await world.rows("update refused_contacts set created_at = now() - interval '25 hours'");
    expect((await world.get(refused_csv)).status).to.equal(404);
  });

  it("applies several rows with the same number one after the other", async () => {
    const answer = await send(
      "numero;nombre;Ciudad;tags\n59174300001;Uno;Tarija;\n+59174300001;Dos;;\n59174300001;Dos;;\n59174300001;Tres;;Ninguno\n",
    );
    expect(last(answer)).to.deep.include({ created: 1, updated: 1, unchanged: 1, refused: 1 });
    expect(await contactOf("74300001")).to.deep.include({ nombre: "Dos", campos: { Ciudad: "Tarija" } });
  });

  for (const [what, file] of Object.entries({
    "UTF-8 with a byte order mark": Buffer.from('\ufeffnumero,nombre\n59174400001,"Peña, José"\n'),
    "Latin-1": Buffer.from('numero,nombre\n59174400001,"Peña, José"\n', "latin1"),
    semicolons: Buffer.from('numero;nombre\n59174400001;"Peña, José"\n'),
    "lines that end with a carriage return": Buffer.from('numero,nombre\r59174400001,"Peña, José"\r'),
  })) {
    it(`reads ${what}`, async () => {
      expect(last(await send(file))).to.deep.include({ refused: 0, refused_csv: null });
      expect((await contactOf("74400001")).nombre).to.equal("Peña, José");
      await world.rows("delete from contacts where phone = '59174400001'");
    });
  }

  for (const [what, file] of Object.entries({
    "without the column numero": "telefono,nombre\n1,2\n",
    "with a column twice": "numero,a,a\n1,2,3\n",
    "with more columns than an export": `numero,${Array.from({ length: 501 }, (_, i) => `c${i}`).join(",")}\n1\n`,
    "that is empty": "",
  })) {
    it(`refuses a file ${what}`, async () => {
      const answer = await send(file);
      expect([answer.status, answer.json.code]).to.deep.equal([400, "invalid_input"]);
    });
  }

  const wide = Buffer.from("\ufeffnumero,nombre\n59174700001,Ana\n", "utf16le");
  for (const [what, file, reason] of [
    ["in UTF-16", wide, "El CSV está en UTF-16: debe estar en UTF-8 o Latin-1"],
    ["in UTF-16 without a mark", wide.subarray(2), "El CSV está en UTF-16: debe estar en UTF-8 o Latin-1"],
    ["in big-endian UTF-16", Buffer.from(wide).swap16(), "El CSV está en UTF-16: debe estar en UTF-8 o Latin-1"],
    [
      "with tabs between the columns",
      "numero\tnombre\n59174700001\tAna\n",
      "El CSV está separado por tabuladores: las columnas se separan con comas o punto y coma",
    ],
  ] as const) {
    it(`names the reason why it refuses a file ${what}`, async () => {
      const { status, json } = await send(file);
      expect([status, json]).to.deep.equal([400, { error: reason, code: "invalid_input" }]);
    });
  }

  it("refuses new numbers that cannot be phone numbers, and rows with too many fields", async () => {
    const fields = Array.from({ length: 51 }, (_, i) => `c${i}`);
    const full = (phone: string, count: number) => [phone, ...fields.map((_, i) => (i < count ? "x" : ""))].join(",");
    const rows = ["59", "123456", "1".repeat(16), "12345678"].map((phone) => full(phone, 0));
    const answer = await send(
      [["numero", ...fields].join(), ...rows, full("59174800001", 51), full("59174800002", 50)].join("\n"),
    );
    const { refused_csv: file, ...counts } = last(answer);
    expect(counts).to.deep.equal({ created: 2, updated: 0, unchanged: 0, refused: 4 });
    const reasons = (await world.get(file)).text
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",").slice(0, 2));
    expect(reasons.sort()).to.deep.equal([
      ["el contacto no puede tener más de 50 campos", "59174800001"],
      ["numero no es válido", "1".repeat(16)],
      ["numero no es válido", "123456"],
      ["numero no es válido", "59"],
    ]);
  });

  it("refuses rows with cells that would be lost or changed", async () => {
    const rows = [
      "59174810001,Ana,x,,de más",
      "59174810002,Beto,x,sin nombre",
      "5.917E+10,Caro,x",
      "59174810004,Da\0ni,x",
      "59174810005,Eva,x,,,",
    ];
    const { refused_csv: file, ...counts } = last(await send(["numero,nombre,Ciudad,", ...rows].join("\n")));
    expect(counts).to.deep.equal({ created: 1, updated: 0, unchanged: 0, refused: 4 });
    const told = (await world.get(file)).text.split("\r\n").slice(1, -1);
    expect(told.map((line) => line.split(",").slice(0, 2))).to.deep.equal([
      ["la fila tiene más celdas que los encabezados", "59174810001"],
      ["una celda no tiene encabezado", "59174810002"],
      ["numero está en notación científica", "5.917E+10"],
      ["una celda no es válida", "59174810004"],
    ]);
  });

  it("ends with an error and the counts so far if a quote is not closed, or a row has too many cells", async () => {
    const endOf = async (start: number, row: string) => {
      const rows = Array.from({ length: 1_000 }, (_, i) => `591748${start + i},Fila ${i}\n`).join("");
      return last(await send(`numero,nombre\n${rows}${row}`));
    };
    const counts = { created: 1_000, updated: 0, unchanged: 0, refused: 0 };
    expect(await endOf(20_000, '59174830000,"Ana\n')).to.deep.equal({
      ...{ error: "El CSV no es válido", code: "invalid_input" },
      ...counts,
    });
    expect(await endOf(40_000, `59174830000${",".repeat(1_000)}x\n`)).to.deep.equal({
      ...{ error: "Una fila del CSV tiene más de 1000 celdas", code: "invalid_input" },
      ...counts,
    });
  });

  it("accepts an export without changing anything", async () => {
    const fields = {
      nombre: "otro nombre",
      " Numero ": "como una columna",
      id: "7",
      motivo: "x",
      "campos.a": "con prefijo",
      " ": "sin nombre",
      "=suma": "=1+1",
      apostrofes: "''=1",
      signo: "-5",
      tabulador: "\tcelda",
      bordes: "  con espacios  ",
      vacio: "",
      lineas: 'una\r\ndos "comillas", y coma',
      puntos: "a;b;c;d;e;f;g;h",
    };
    await world.rows("insert into tags (business_id, id, name) values (1, 103, 'a|b\\c'), (1, 104, '=tag')");
    const { json: made } = await world.post("/contacts", {
      ...{ nombre: " @Ana ", numero: "59174900001", campos: fields, tags: [101, 103, 104], opted_out: true },
    });
    // New contacts have numbers of at most 15 digits. A contact that a platform created may have a longer one, here 17.
    await world.rows("update contacts set phone = '12345678901234567' where phone = '59174000001'");
    for (let i = 0; i < 6; i += 1) {
      const campos = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`campo ${i}.${n}`, `'-${n}`]));
      await world.post("/contacts", { numero: `5917490010${i}`, campos });
    }
    const exported = async () => {
      const headers = { accept: "text/csv", "x-api-key": world.appKey(1) };
      return (await request(`${world.api}/contacts`, { headers })).text;
    };
    const file = await exported();
    const [count] = await world.rows<{ n: number }>("select count(*) as n from contacts where business_id = 1");
    expect(last(await send(file))).to.deep.equal({
      ...{ created: 0, updated: 0, unchanged: count?.n, refused: 0, refused_csv: null },
    });
    expect(await exported()).to.equal(file);
    expect((await world.get(`/contacts/${made.id}`)).json).to.deep.equal(made);

    // Business 2 does not have these tags.
    const untagged = file.replaceAll(/VIP\|a\\\|b\\\\c\|=tag|VIP\|Nuevo|VIP|Nuevo/g, "");
    await send(untagged, { "x-api-key": world.appKey(2) });
    expect(await contactOf("74900001", 2)).to.deep.include({
      ...{
        nombre: " @Ana ",
        opted_out: true,
        campos: Object.fromEntries(Object.entries(fields).filter(([, text]) => text)),
      },
    });
  });

  it("accepts its refused rows after they are corrected", async () => {
    const refused = last(await send("numero,nombre,tags,Nota\n59174950001,'=Ana,Ninguno,-1\n"));
    const { text } = await world.get(refused.refused_csv);
    expect(last(await send(text.replace("Ninguno", "VIP")))).to.deep.include({ created: 1, refused: 0 });
    expect(await contactOf("74950001")).to.deep.include({ nombre: "=Ana", campos: { Nota: "-1" } });
  });

  it("is allowed to administrators and keys, and only as CSV", async () => {
    const bearer = async (user: number) => ({ authorization: `Bearer ${await world.sessionToken(user)}` });
    const post = (headers: Record<string, string>) =>
      request(`${world.api}/contacts/import`, {
        method: "POST",
        rawBody: "numero\n59174500001\n",
        headers: { "content-type": "text/csv", ...headers },
      });
    const refused = await post(await bearer(102));
    expect([refused.status, refused.json.code]).to.deep.equal([403, "forbidden"]);
    expect(await contactOf("74500001")).to.equal(undefined);
    expect(last(await post(await bearer(101)))).to.deep.include({ created: 1 });
    expect((await send("{}", { "content-type": "application/json" })).status).to.equal(415);
  });

  it("keeps the imported rows of a file that breaks off", async () => {
    const rows = Array.from({ length: 2_500 }, (_, i) => `591746${String(i).padStart(5, "0")},Fila ${i}\n`).join("");
    const { hostname, port } = new URL(world.api);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const head = `POST /contacts/import HTTP/1.1\r\nHost: a\r\nx-api-key: ${world.appKey(1)}\r\nContent-Type: text/csv\r\nContent-Length: 9999999\r\n\r\n`;
    socket.write(`${head}numero,nombre\n${rows}`);
    const count = async () =>
      (await world.rows<{ n: number }>("select count(*) as n from contacts where phone like '591746%'"))[0]?.n;
    await eventually(async () => (await count()) === 2_000);
    socket.destroy();
    await once(socket, "close");
    expect(await count()).to.equal(2_000);
    // The business can start its next import.
    expect(last(await send("numero,nombre\n59174699999,Después\n"))).to.deep.include({ created: 1 });
  });

  it("reports its progress", async () => {
    const { hostname, port } = new URL(world.api);
    const socket = connect(Number(port), hostname);
    let heard = "";
    socket.on("data", (chunk) => (heard += chunk));
    const rows = Array.from({ length: 1_100 }, (_, i) => `591747${String(i).padStart(5, "0")}\n`).join("");
    const head = `POST /contacts/import HTTP/1.1\r\nHost: a\r\nx-api-key: ${world.appKey(1)}\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    socket.write(head + chunk("numero\n") + chunk(rows));
    await eventually(() => heard.includes('{"created":1000,"updated":0,"unchanged":0,"refused":0}'));
    socket.write(`${chunk("59174799999\n")}0\r\n\r\n`);
    await once(socket, "close");
    expect(heard).to.include('{"created":1101,"updated":0,"unchanged":0,"refused":0,"refused_csv":null}');
  });
});
