import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { WithFile } from "../../../../infra/http/middleware/multipart.ts";
import { type Dialect, failed, type InvalidInput, plainDialect } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../../infra/http/routing/route.ts";
import { failure, objectWith, problem, text } from "../../../../infra/http/routing/schema.ts";
import type { ReadMedia } from "../../../application/media/read-media.ts";
import type { StoreMedia, StoreMediaFailure } from "../../../application/media/store-media.ts";
import { type ByteRange, largestMedia, type MediaKind, type StoredMedia } from "../../../domain/media.ts";

const kinds: Readonly<Record<MediaKind, string>> = {
  image: "una imagen",
  video: "un video",
  audio: "un audio",
  document: "un documento",
};

const takenTypes =
  "imagen JPEG o PNG; video MP4 o 3GP; audio AAC, MP4, MP3, AMR u OGG; documento PDF, de Office o de texto";

const dialect: Dialect<InvalidInput | StoreMediaFailure> & WithFile = {
  invalid_input: (error) => [400, failed(error.message)],
  media_empty: () => [400, failed("file está vacío")],
  media_too_large: ({ type }) => [
    413,
    failed(`file no puede tener más de ${(type?.limit ?? 0) / 1024 / 1024} MB: es ${kinds[type?.kind ?? "document"]}`),
  ],
  file_too_large: () => [413, failed(`file no puede tener más de ${largestMedia / 1024 / 1024} MB`)],
  media_type_refused: () => [415, failed(`El contenido de file no es de un tipo admitido: ${takenTypes}`)],
  media_not_configured: () => [503, failed("La subida de archivos no está configurada")],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

export const mediaRoutes = (store: StoreMedia, read: ReadMedia): Route[] => [storeRoute(store), readRoute(read)];

const storeRoute = (store: StoreMedia): Route =>
  defineRoute({
    method: "post",
    path: "/media",
    operationId: "storeMedia",
    tag: "Media",
    summary: "Store a file and get an address of it for `media_url`",
    rules: [
      [
        "Media.1",
        "The form holds one file, in the field `file`. Up to 5 MB of image (JPEG, PNG), 16 MB of video (MP4, 3GP) or " +
          "audio (AAC, MP4, MP3, AMR, OGG), 100 MB of document (PDF, Office, plain text).",
      ],
      [
        "Media.2",
        "What the file is, is read from its content; its name and the type that the client claims decide nothing. " +
          "Pages and drawings that a browser would run (HTML, SVG) are refused.",
      ],
      ["Media.3", "A file is stored whole or not at all, and a whole request may take ten minutes."],
      ["Media.4", "`media_url` can be used as it is to send a template. Whoever knows it can read the file."],
    ],
    auth: "key-or-session",
    body: "multipart",
    bodyLimit: largestMedia,
    responses: {
      200: {
        description: "The file is stored",
        schema: objectWith({ media_url: text }),
      },
      400: { description: "The form is wrong, or broke off", schema: failure },
      408: { description: "The request took longer than ten minutes; without a body, and the connection is closed" },
      413: { description: "The file is larger than files of its type may be", schema: failure },
      415: { description: "The messaging platform takes no files of this type", schema: failure },
      500: { description: "Unexpected failure", schema: failure },
      503: { description: "No place for files is configured", schema: failure },
    },
    dialect,
    handle: async ({ body: { name, content }, caller }) => ({
      media_url: await store.execute({ businessId: caller.businessId, givenName: name, content }),
    }),
  });

const notFound = (): [number, object] => [404, { message: "Not found" }];
const readDialect: Dialect<InvalidInput> = { ...plainDialect, invalid_input: notFound };

const binary = { type: "string", format: "binary" } as const;

const readRoute = (read: ReadMedia): Route =>
  defineRoute({
    method: "get",
    path: "/media/:name",
    operationId: "readMedia",
    tag: "Media",
    summary: "Read a stored file",
    rules: [["Media.5", "HEAD and a single range of bytes are answered. A file never changes under its name."]],
    auth: "none",
    params: objectWith({ name: { type: "string", maxLength: 100 } }),
    responses: {
      200: { description: "The file", type: "*/*", schema: binary },
      206: { description: "The part that was asked for", type: "*/*", schema: binary },
      304: { description: "The caller has it already" },
      404: { description: "No such file", schema: problem },
      416: { description: "The file has no such part" },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: readDialect,
    handle: async ({ params: { name }, headers }) => {
      const file = await read.find(name);
      if (!file) return new Reply(...notFound());
      return replyOf(file, headers, (range) => Readable.from(read.content(file, range), { objectMode: false }));
    },
  });

function replyOf(file: StoredMedia, asked: IncomingHttpHeaders, open: (range: ByteRange | null) => Readable): Reply {
  const etag = `"${file.name}"`;
  const headers = { ...fixedHeaders, ETag: etag, "Content-Disposition": dispositionOf(file) };
  const type = file.type.type;
  if (isKnown(asked["if-none-match"], etag)) return new Reply(304, null, headers, type);
  const ifRange = asked["if-range"];
  const range = ifRange === undefined || ifRange === etag ? rangeOf(asked.range, file.size) : null;
  if (range === "unsatisfiable") {
    const once = { "Cache-Control": "no-store", "Content-Range": `bytes */${file.size}` };
    return new Reply(416, "", { ...headers, ...once }, type);
  }
  if (!range) return new Reply(200, open(null), { ...headers, "Content-Length": String(file.size) }, type);
  const part = {
    "Content-Range": `bytes ${range.from}-${range.to}/${file.size}`,
    "Content-Length": String(range.to - range.from + 1),
  };
  return new Reply(206, open(range), { ...headers, ...part }, type);
}

/** A browser must neither take the file for another type than it is, nor run anything in it. */
const fixedHeaders = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Accept-Ranges": "bytes",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
};

/** RFC 6266: the plain name for whoever does not read the encoded one. */
function dispositionOf({ fileName, type }: StoredMedia): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]/g, "_");
  const encoded = encodeURIComponent(fileName).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `${type.kind === "document" ? "attachment" : "inline"}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));

/** RFC 9110: what is no single range of bytes counts as none given. */
function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "")
    return Number(last) === 0 ? "unsatisfiable" : { from: Math.max(0, size - Number(last)), to: size - 1 };
  const [from, to] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== "" && Number(last) < from) return null;
  return from < size ? { from, to } : "unsatisfiable";
}
