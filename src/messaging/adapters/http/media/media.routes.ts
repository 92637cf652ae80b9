import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { isKnown } from "../../../../infra/http/entity-tags.ts";
import { mostParts, type WithFile } from "../../../../infra/http/middleware/multipart.ts";
import { heldTo, userIn } from "../../../../infra/http/routing/caller.ts";
import { type Dialect, failed, type InvalidInput, plainDialect } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../../infra/http/routing/route.ts";
import { failure, integer, objectWith, problem, text } from "../../../../infra/http/routing/schema.ts";
import type { DeleteMedia, DeleteMediaFailure } from "../../../application/media/delete-media.ts";
import type { MediaRegister } from "../../../application/media/ports.ts";
import type { ReadMedia } from "../../../application/media/read-media.ts";
import type { StoreMedia, StoreMediaFailure } from "../../../application/media/store-media.ts";
import { type ByteRange, largestMedia, type MediaKind, type StoredMedia } from "../../../domain/media.ts";

const kinds: Readonly<Record<MediaKind, string>> = {
  image: "una imagen",
  video: "un video",
  audio: "un audio",
  document: "un documento",
};

const acceptedTypes =
  "imagen JPEG o PNG; video MP4 o 3GP; audio AAC, MP4, MP3, AMR u OGG; documento PDF, de Office o de texto";

const dialect: Dialect<InvalidInput | StoreMediaFailure> & WithFile = {
  invalid_input: (error) => [400, failed(error.message)],
  media_empty: () => [400, failed("file está vacío")],
  media_too_large: ({ type }) => [
    413,
    failed(`file no puede tener más de ${(type?.limit ?? 0) / 1024 / 1024} MB: es ${kinds[type?.kind ?? "document"]}`),
  ],
  media_quota_reached: ({ quota }) => [
    413,
    failed(`No hay espacio para file: la cuota de archivos de la empresa es de ${quota} bytes`),
  ],
  file_too_large: () => [413, failed(`file no puede tener más de ${largestMedia / 1024 / 1024} MB`)],
  media_type_refused: () => [415, failed(`El contenido de file no es de un tipo admitido: ${acceptedTypes}`)],
  media_not_configured: () => [503, failed("La subida de archivos no está configurada")],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

interface MediaParts {
  readonly store: StoreMedia;
  readonly read: ReadMedia;
  readonly remove: DeleteMedia;
  readonly register: Pick<MediaRegister, "usage">;
}

/** The first matching route answers, so `/media/usage` must come before `/media/:name`. */
export const mediaRoutes = ({ store, read, remove, register }: MediaParts): Route[] => [
  storeRoute(store),
  usageRoute(register),
  readRoute(read),
  deleteRoute(remove),
];

const storeRoute = (store: StoreMedia): Route =>
  defineRoute({
    method: "post",
    path: "/media",
    operationId: "storeMedia",
    tag: "Media",
    summary: "Store a file and get its URL for `media_url`",
    rules: {
      "Media.1":
        `The form has one file, in the field \`file\`, and at most ${mostParts} parts. Up to 5 MB of image (JPEG, PNG), 16 MB of video (MP4, 3GP) or ` +
        "audio (AAC, MP4, MP3, AMR, OGG), 100 MB of document (PDF, Office, plain text).",
      "Media.2":
        "The file's type is recognized by its content; the client's name and type are ignored. Types that a browser would " +
        "run (HTML, SVG) are refused.",
      "Media.3": "A file is stored completely or not at all. A request may take up to ten minutes.",
      "Media.4": "`media_url` can be used as it is to send a template. Everyone who knows it can read the file.",
      "Media.6":
        "A business can store as much as its feature flag `media_quota_bytes` allows, 5 GB by default. When an upload begins, " +
        "the announced length of the form is reserved; what a smaller or failed file does not need is freed. A file that " +
        "cannot fit is refused before it is read.",
      "Media.7":
        "A file is removed after 30 days without a reference in a message, template, step, campaign or other text of the business.",
    },
    auth: "key-or-session",
    scope: "send",
    body: "multipart",
    bodyLimit: largestMedia,
    responses: {
      200: {
        description: "The file is stored",
        schema: objectWith({ media_url: text }),
      },
      400: { description: "The form is wrong, or the upload was interrupted", schema: failure },
      408: { description: "The request took longer than ten minutes; without a body, and the connection is closed" },
      413: {
        description: "The file is larger than its type allows, or than the rest of the business's quota",
        schema: failure,
      },
      415: { description: "The messaging platform does not accept files of this type", schema: failure },
      500: { description: "Unexpected failure", schema: failure },
      503: { description: "No storage for files is configured", schema: failure },
    },
    dialect,
    handle: async ({ body: { name, content, size }, caller }) => {
      const command = { businessId: caller.businessId, userId: userIn(caller), givenName: name, size, content };
      return { media_url: await store.execute(command) };
    },
  });

const usageRoute = (register: Pick<MediaRegister, "usage">): Route =>
  defineRoute({
    method: "get",
    path: "/media/usage",
    operationId: "getMediaUsage",
    tag: "Media",
    summary: "Get the storage that the business uses, and its quota",
    rules: {
      "Media.8": "`used_bytes` includes what running uploads have reserved; `files` counts complete files only.",
    },
    auth: "key-or-session",
    responses: {
      200: {
        description: "Usage and quota",
        schema: objectWith({ used_bytes: integer, quota_bytes: integer, files: integer }),
      },
      500: { description: "Unexpected failure", schema: failure },
    },
    dialect: { unexpected: dialect.unexpected },
    handle: async ({ caller }) => {
      const { bytes, quota, files } = await register.usage(caller.businessId);
      return { used_bytes: bytes, quota_bytes: quota, files };
    },
  });

const notFound = (): [number, object] => [404, { message: "Not found" }];
const readDialect: Dialect<InvalidInput> = { ...plainDialect, invalid_input: notFound };

const binary = { type: "string", format: "binary" } as const;

const fileHeaders = {
  ETag: "The name of the file",
  "Content-Disposition": "The suggested name for saving it",
} as const;

const fileName = objectWith({ name: { type: "string", maxLength: 100 } } as const);

const readRoute = (read: ReadMedia): Route =>
  defineRoute({
    method: "get",
    path: "/media/:name",
    operationId: "readMedia",
    tag: "Media",
    summary: "Read a stored file",
    rules: {
      "Media.5": "HEAD requests and a single range of bytes are supported. The content under a name never changes.",
    },
    auth: "none",
    params: fileName,
    responses: {
      200: { description: "The file", type: "*/*", schema: binary, headers: fileHeaders },
      206: {
        description: "The requested part",
        type: "*/*",
        schema: binary,
        headers: { ...fileHeaders, "Content-Range": "The range of the part, and the size of the file" },
      },
      304: { description: "The caller already has the file" },
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

const deleteDialect: Dialect<InvalidInput | DeleteMediaFailure> = {
  invalid_input: () => noSuchFile,
  media_not_found: () => noSuchFile,
  media_not_configured: dialect.media_not_configured,
  unexpected: dialect.unexpected,
};
const noSuchFile = [404, failed("Archivo no encontrado")] as const;

const deleteRoute = (remove: DeleteMedia): Route =>
  defineRoute({
    method: "delete",
    path: "/media/:name",
    operationId: "deleteMedia",
    tag: "Media",
    summary: "Delete a stored file",
    rules: {
      "Media.9":
        "`name` is the part of `media_url` after the last slash. After the answer the URL is a 404, except for copies in " +
        "caches, and the file's space is free. Deleting it again is a 404 and changes nothing.",
      "Media.10":
        "App Keys and administrators can delete every file of the business; all other users only files that they uploaded " +
        "themselves. Other files are answered as missing.",
      "Media.11":
        "Records that refer to the file keep its URL: sent messages no longer show it, unless the platform has a copy, and " +
        "later messages with it fail.",
    },
    auth: "key-or-session",
    scope: "send",
    params: fileName,
    responses: {
      200: { description: "The file is deleted", schema: objectWith({ success: { const: true } }) },
      404: { description: "No such file, or not the caller's", schema: failure },
      500: { description: "Unexpected failure", schema: failure },
      503: { description: "No storage for files is configured", schema: failure },
    },
    dialect: deleteDialect,
    handle: async ({ params: { name }, caller }) => {
      await remove.execute({ businessId: caller.businessId, name, uploadedBy: heldTo(caller) });
      return { success: true };
    },
  });

function replyOf(file: StoredMedia, asked: IncomingHttpHeaders, open: (range: ByteRange | null) => Readable): Reply {
  const etag = `"${file.name}"`;
  const headers = { ...fixedHeaders, ETag: etag, "Content-Disposition": dispositionOf(file) };
  const type = file.type.type;
  if (isKnown(asked, etag)) return new Reply(304, null, headers, type);
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

/** A browser must neither guess another type for the file nor run anything in it. */
const fixedHeaders = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Accept-Ranges": "bytes",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
};

/** RFC 6266: `filename` is for clients that cannot read the encoded name in `filename*`. */
function dispositionOf({ fileName, type }: StoredMedia): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]/g, "_");
  const encoded = encodeURIComponent(fileName).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `${type.kind === "document" ? "attachment" : "inline"}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** As RFC 9110 allows, a `Range` header that is not a single range of bytes is ignored. */
function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "")
    return Number(last) === 0 ? "unsatisfiable" : { from: Math.max(0, size - Number(last)), to: size - 1 };
  const [from, to] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== "" && Number(last) < from) return null;
  return from < size ? { from, to } : "unsatisfiable";
}
