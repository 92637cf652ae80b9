import { crc32, deflateRawSync } from "node:zlib";

/** A file that begins with these bytes of a real file, followed by 600 zeros. */
const filled = (...parts: (string | readonly number[])[]): Buffer =>
  Buffer.concat([
    ...parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
    Buffer.alloc(600),
  ]);

const box = (brand: string): Buffer => filled([0, 0, 0, 24], `ftyp${brand}`, [0, 0, 2, 0], `${brand}mp41`);

const pngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** A picture of one gray pixel, followed by `extra` more bytes. */
export const png = (extra = 0): Buffer =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    pngChunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
    pngChunk("IDAT", Buffer.from([0x78, 0x9c, 0x63, 0x68, 0, 0, 0, 0x82, 0, 0x81])),
    pngChunk("IEND", Buffer.alloc(0)),
    Buffer.alloc(extra, 7),
  ]);

/** A ZIP archive with these entries and an empty central directory. */
export function zip(entries: Readonly<Record<string, string>>): Buffer {
  const files = Object.entries(entries).map(([name, text]) => {
    const data = deflateRawSync(text);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(crc32(text), 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt32LE(text.length, 22);
    header.writeUInt16LE(name.length, 26);
    return Buffer.concat([header, Buffer.from(name), data]);
  });
  return Buffer.concat([...files, Buffer.from("PK\x05\x06"), Buffer.alloc(18)]);
}

const contentTypes = (type: string): string =>
  `<?xml version="1.0"?><Types><Override PartName="/x" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;
const officeFile = (type: string): Buffer => zip({ "[Content_Types].xml": contentTypes(type), "_rels/.rels": "" });

const oldOffice = filled([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const aacFrame = [0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc];
const office = "application/vnd.openxmlformats-officedocument";

/** Accepted files: the name that the client sends, the content, the detected type, and the stored extension. */
export const takenFiles: readonly (readonly [called: string, content: Buffer, type: string, extension: string])[] = [
  ["foto.jpg", filled([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF"), "image/jpeg", "jpg"],
  ["foto.png", png(), "image/png", "png"],
  ["video.mp4", box("isom"), "video/mp4", "mp4"],
  ["video.3gp", box("3gp5"), "video/3gpp", "3gp"],
  ["audio.aac", filled(aacFrame, aacFrame), "audio/aac", "aac"],
  ["audio.m4a", box("M4A "), "audio/mp4", "m4a"],
  ["audio.mp3", filled("ID3", [3, 0, 0, 0, 0, 0, 0], [0xff, 0xfb, 0x90, 0x64]), "audio/mpeg", "mp3"],
  ["audio.amr", filled("#!AMR\n"), "audio/amr", "amr"],
  [
    "nota.ogg",
    filled("OggS", [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 19], "OpusHead"),
    "audio/ogg",
    "ogg",
  ],
  ["carta.pdf", filled("%PDF-1.7\n"), "application/pdf", "pdf"],
  ["precios.txt", Buffer.from("Ají de fideo: Bs 25\n<juan@example.com> 3 < 4\n"), "text/plain", "txt"],
  ["viejo.doc", oldOffice, "application/msword", "doc"],
  ["viejo.xls", oldOffice, "application/vnd.ms-excel", "xls"],
  ["viejo.ppt", oldOffice, "application/vnd.ms-powerpoint", "ppt"],
  ["carta.docx", officeFile("wordprocessingml.document"), `${office}.wordprocessingml.document`, "docx"],
  ["precios.xlsx", officeFile("spreadsheetml.sheet"), `${office}.spreadsheetml.sheet`, "xlsx"],
  ["charla.pptx", officeFile("presentationml.presentation"), `${office}.presentationml.presentation`, "pptx"],
  [
    "libre.docx",
    zip({ "_rels/.rels": "x", "word/document.xml": "x", "[Content_Types].xml": "x" }),
    `${office}.wordprocessingml.document`,
    "docx",
  ],
];

/** Files that are refused under every name. */
export const refusedFiles: Readonly<Record<string, Buffer>> = {
  "a page": Buffer.from("<!doctype html><p>Hola</p>"),
  "a page without its beginning": Buffer.from("Hola <script>alert(1)</script>"),
  "a drawing": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
  "a drawing that is declared as XML": Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
  "a GIF": filled("GIF89a"),
  "a WebP": filled("RIFF", [0, 0, 0, 0], "WEBPVP8 "),
  "an archive": zip({ "a.txt": "a" }),
  "an archive that mentions a folder of documents": zip({ "a.txt": "word/document.xml", "b/word/a.xml": "" }),
  "a program": filled([0x7f], "ELF", [2, 1, 1]),
  "a Windows program": filled("MZ"),
  "a QuickTime film": box("qt  "),
  "bytes that say nothing": Buffer.alloc(5_000, 1),
};

const boundary = "a-boundary";

/** A part of a form, by default a picture as a browser sends it. If `name` is null, the part is a text field. */
interface Part {
  readonly field?: string;
  readonly name?: string | null;
  readonly type?: string;
  readonly content: Buffer | string;
}

export const head = ({ field = "file", name = "foto.png", type = "image/png" }: Omit<Part, "content">): string => {
  const file = name === null ? "" : `; filename="${name}"\r\nContent-Type: ${type}`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${field}"${file}\r\n\r\n`;
};

export const formOf = (...parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(head(part)), Buffer.from(part.content), Buffer.from("\r\n")]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

export const multipart = { "content-type": `multipart/form-data; boundary=${boundary}` };
