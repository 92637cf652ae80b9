import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Served, serve } from "../support/http.ts";

export interface S3StandIn extends Served {
  readonly objects: ReadonlyMap<string, { readonly type: string; readonly content: Buffer }>;
  /** Unfinished multipart uploads by id. */
  readonly uploads: ReadonlyMap<string, { readonly key: string; readonly parts: Map<number, Buffer> }>;
  /** The status with which all writes fail. With 0, writes succeed. */
  failWrites: number;
}

/**
 * The part of S3 that the service uses, in memory: objects by path, ranges and multipart uploads. Signatures are not
 * checked.
 */
export async function startS3(bucket: string): Promise<S3StandIn> {
  const objects = new Map<string, { type: string; content: Buffer }>();
  const uploads = new Map<string, { key: string; type: string; parts: Map<number, Buffer> }>();
  const state = { failWrites: 0 };

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const url = new URL(req.url ?? "", "http://s3");
    const key = decodeURIComponent(url.pathname.slice(bucket.length + 2));
    const xml = (text: string, status = 200) => res.writeHead(status, { "content-type": "application/xml" }).end(text);
    const missing = (code: string) => xml(`<Error><Code>${code}</Code><Message>none</Message></Error>`, 404);
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (!url.pathname.startsWith(`/${bucket}/`) && url.pathname !== `/${bucket}`) return void missing("NoSuchBucket");
    if (!/^AWS4-HMAC-SHA256 Credential=key\//.test(req.headers.authorization ?? ""))
      return void res.writeHead(403).end();
    const uploadId = url.searchParams.get("uploadId");
    const type = req.headers["content-type"] ?? "";
    if (req.method === "PUT" && state.failWrites > 0)
      return void xml("<Error><Code>No</Code></Error>", state.failWrites);

    if (req.method === "GET" && url.searchParams.has("uploads")) {
      const found = [...uploads].filter(([, upload]) => upload.key.startsWith(url.searchParams.get("prefix") ?? ""));
      const listed = found.map(([id, upload]) => `<Upload><Key>${upload.key}</Key><UploadId>${id}</UploadId></Upload>`);
      return void xml(`<ListMultipartUploadsResult>${listed.join("")}</ListMultipartUploadsResult>`);
    }
    if (req.method === "POST" && url.searchParams.has("uploads")) {
      const id = randomUUID();
      uploads.set(id, { key, type, parts: new Map() });
      return void xml(
        `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (uploadId !== null) {
      const upload = uploads.get(uploadId);
      if (!upload) return void missing("NoSuchUpload");
      if (req.method === "PUT") {
        upload.parts.set(Number(url.searchParams.get("partNumber")), body);
        return void res.writeHead(200, { etag: etagOf(body) }).end();
      }
      uploads.delete(uploadId);
      if (req.method === "DELETE") return void res.writeHead(204).end();
      const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
      if (parts.slice(0, -1).some((part) => part.length < 5 * 1024 * 1024)) return void missing("EntityTooSmall");
      objects.set(key, { type: upload.type, content: Buffer.concat(parts) });
      return void xml(`<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`);
    }
    if (req.method === "PUT") {
      objects.set(key, { type, content: body });
      return void res.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (req.method === "DELETE") {
      objects.delete(key);
      return void res.writeHead(204).end();
    }
    const object = objects.get(key);
    if (!object) return void missing("NoSuchKey");
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? "") ?? [];
    const content = from === undefined ? object.content : object.content.subarray(Number(from), Number(to) + 1);
    res.writeHead(from === undefined ? 200 : 206, { "content-type": object.type, "content-length": content.length });
    res.end(req.method === "HEAD" ? undefined : content);
  };
  const served = await serve((req, res) => void answer(req, res).catch(() => res.destroy()));
  return Object.assign(state, served, { objects, uploads });
}

const etagOf = (body: Buffer): string => `"${createHash("md5").update(body).digest("hex")}"`;
