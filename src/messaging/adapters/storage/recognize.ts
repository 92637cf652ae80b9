import { extname } from "node:path";
import { fileTypeFromBuffer } from "file-type";
import type { RecognizeMedia } from "../../application/media/ports.ts";

/** At least this many bytes at the start of a file are examined. A shorter file is examined completely. */
const headBytes = 64 * 1024;

/** Types with another name at the platform. */
const synonyms: Readonly<Record<string, string>> = { "audio/x-m4a": "audio/mp4" };

const office = "application/vnd.openxmlformats-officedocument";
/** Office types, by the folder in which the zip has entries. Only entries near the start of the zip are found. */
const archives: Readonly<Record<string, string>> = {
  "word/": `${office}.wordprocessingml.document`,
  "xl/": `${office}.spreadsheetml.sheet`,
  "ppt/": `${office}.presentationml.presentation`,
};
/** Older Office files all begin alike, so the given name decides between these types. It decides nothing else. */
const olderOffice: Readonly<Record<string, string>> = {
  ".doc": "application/msword",
  ".xls": "application/vnd.ms-excel",
  ".ppt": "application/vnd.ms-powerpoint",
};

/** Recognizes a file by its content, because clients can give any name and type. */
export const recognizeMedia: RecognizeMedia = async (content, givenName) => {
  const chunks = content[Symbol.asyncIterator]();
  const head = await headOf(chunks);
  return { type: await typeOf(head, givenName), isEmpty: head.length === 0, content: rejoined(head, chunks) };
};

async function headOf(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const taken: Uint8Array[] = [];
  for (let length = 0; length < headBytes; ) {
    const { done, value } = await chunks.next();
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  return Buffer.concat(taken);
}

async function* rejoined(head: Buffer, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

async function typeOf(head: Buffer, givenName: string): Promise<string | null> {
  // `fileTypeFromBuffer` rejects for many kinds of broken files.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const type = found?.mime.split(";")[0]?.trim();
  if (type === "application/x-cfb") return olderOffice[extname(givenName).toLowerCase()] ?? "application/msword";
  if (type === "application/zip") return archiveOf(head) ?? type;
  if (type !== undefined) return synonyms[type] ?? type;
  return isPlainText(head) ? "text/plain" : null;
}

/** Bytes from the signature of a zip's entry to the entry's name. */
const entryNameAt = 30;
const entrySignature = 0x04034b50;

function archiveOf(head: Buffer): string | null {
  const isInside = (folder: string): boolean => {
    for (let at = head.indexOf(folder); at !== -1; at = head.indexOf(folder, at + 1)) {
      if (at >= entryNameAt && head.readUInt32LE(at - entryNameAt) === entrySignature) return true;
    }
    return false;
  };
  return Object.entries(archives).find(([folder]) => isInside(folder))?.[1] ?? null;
}

/**
 * True for text without tags and without control characters other than `textControls`. A browser could run text with
 * tags as HTML or SVG.
 */
function isPlainText(head: Buffer): boolean {
  if (head.length === 0 || head.some((byte) => byte === 0x7f || (byte < 0x20 && !textControls.has(byte)))) return false;
  return !/<(?:[!?]|\/?[a-z]+[\s>/])/i.test(head.toString("latin1"));
}

/** Tab, line feed, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);
