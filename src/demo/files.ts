import { crc32, deflateSync } from "node:zlib";
import type { Container } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { type MediaKind, mediaTypeOf } from "../messaging/domain/media.ts";

/** Files in the demo's conversations. They are generated, so that the repository need not contain them. */
export interface DemoFile {
  readonly kind: MediaKind;
  /** The file name that readers see. */
  readonly name: string;
  readonly type: string;
  /** The name in the storage; all stored names begin with `m_`. */
  readonly storedAs: string;
  readonly path: string;
  readonly content: Buffer;
}

type Color = readonly [red: number, green: number, blue: number];

const cream: Color = [250, 243, 228];
const wood: Color = [120, 78, 48];
const white: Color = [255, 255, 255];
const black: Color = [20, 20, 20];
const green: Color = [86, 142, 74];
const orange: Color = [222, 132, 44];
const red: Color = [186, 52, 40];
const grey: Color = [205, 205, 210];

/** A PNG of 480 by 360 pixels. `colorAt` returns the color of each pixel. */
function picture(colorAt: (x: number, y: number) => Color): Buffer {
  const [width, height] = [480, 360];
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set(colorAt(x, y), y * (1 + 3 * width) + 1 + 3 * x);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(content.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}

const within = (x: number, y: number, centerX: number, centerY: number, radius: number): boolean =>
  (x - centerX) ** 2 + (y - centerY) ** 2 < radius ** 2;

const plate = (table: Color) =>
  picture((x, y) => {
    if (within(x, y, 190, 160, 42) || within(x, y, 235, 215, 38)) return orange;
    if (within(x, y, 290, 150, 50)) return green;
    if (within(x, y, 300, 215, 22)) return red;
    if (within(x, y, 240, 180, 150)) return within(x, y, 240, 180, 138) ? white : grey;
    return table;
  });

/** Lines of writing on paper. */
const sheet = (heading: Color) =>
  picture((x, y) => {
    if (x < 60 || x > 420 || y < 24 || y > 336) return grey;
    if (y < 76) return heading;
    const isWritten = (y - 92) % 24 < 8 && x > 84 && x < 250 + ((y * 37) % 120) && y > 92 && y < 316;
    return isWritten ? black : cream;
  });

/** Squares that look like a QR code, but encode nothing. */
const code = picture((x, y) => {
  const [column, row] = [Math.floor((x - 90) / 12), Math.floor((y - 30) / 12)];
  if (column < 0 || column > 24 || row < 0 || row > 24) return white;
  const corner = (left: number, top: number) => {
    const [dx, dy] = [column - left, row - top];
    if (dx < 0 || dx > 6 || dy < 0 || dy > 6) return null;
    return dx === 0 || dx === 6 || dy === 0 || dy === 6 || (dx > 1 && dx < 5 && dy > 1 && dy < 5) ? black : white;
  };
  const dark = (column * 7 + row * 13 + ((column * row) % 5)) % 3 === 0;
  return corner(0, 0) ?? corner(18, 0) ?? corner(0, 18) ?? (dark ? black : white);
});

/** Four seconds of silence as MP3: frames of 32 kbit/s at 44.1 kHz, one channel. */
const silence = Buffer.concat(
  Array.from({ length: 153 }, () => Buffer.concat([Buffer.from([0xff, 0xfb, 0x10, 0xc4]), Buffer.alloc(100)])),
);

/** A PDF of one page. */
function page(lines: readonly string[]): Buffer {
  const written = lines.map((line, index) => `BT /F1 14 Tf 60 ${760 - 26 * index} Td (${line}) Tj ET`).join("\n");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${written.length} >>\nstream\n${written}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

function file(kind: MediaKind, name: string, type: string, content: Buffer): DemoFile {
  const storedAs = `m_demo-${name}`;
  return { kind, name, type, storedAs, path: `/media/${storedAs}`, content };
}
const drawing = (name: string, content: Buffer) => file("image", name, "image/png", content);
const document = (name: string, lines: readonly string[]) => file("document", name, "application/pdf", page(lines));

export const demoFiles = {
  menu: drawing("menu.png", sheet(green)),
  qr: drawing("codigo-qr.png", code),
  receipt: drawing("comprobante.png", sheet(orange)),
  box: drawing("caja-abierta.png", plate(grey)),
  dish: drawing("plato.png", plate(wood)),
  voice: file("audio", "mensaje-de-voz.mp3", "audio/mpeg", silence),
  invoice: document("factura-1024.pdf", [
    "Factura 1024",
    "2 platos, envio",
    "Total: Bs 96,00",
    "Gracias por su compra",
  ]),
  list: document("lista-oficina.pdf", ["Lista para la oficina", "12 almuerzos", "Jueves, 12:30"]),
  quote: document("cotizacion.pdf", ["Cotizacion", "20 almuerzos del dia", "20 almuerzos vegetarianos", "Vale 7 dias"]),
} as const satisfies Record<string, DemoFile>;

export async function storeFiles(container: Container, businessId: number): Promise<void> {
  const storage = resolve(container, tokens.mediaStorage);
  const register = resolve(container, tokens.mediaFiles);
  const read = resolve(container, tokens.readMedia);
  if (!storage) return;
  for (const { name: fileName, storedAs: name, type: named, content } of Object.values(demoFiles)) {
    const type = mediaTypeOf(named);
    if (!type || (await read.find(name))) continue;
    const size = { least: content.length, most: content.length };
    await register.begin({ businessId, name, type, fileName, uploadedBy: null }, size);
    await storage.write(name, named, bytesOf(content));
    await register.complete(businessId, name, content.length);
  }
}

/** Replaces the address in the file URLs of the demo's messages with the address of this run. */
export async function placeFiles(container: Container, api: string): Promise<void> {
  const text = `update messages set media_url = $1 || substring(media_url from '/media/m_demo-.*$')
                where media_url like '%/media/m\\_demo-%' and not starts_with(media_url, $1 || '/media/')`;
  await resolve(container, tokens.database).rows({ name: "", text }, [api]);
}

async function* bytesOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}
