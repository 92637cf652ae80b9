import { randomBytes } from "node:crypto";
import { RecentMap } from "../core/bounded.ts";
import { isObject } from "../core/input.ts";
import type { PlatformRoute } from "../core/route.ts";
import { badParameter, GraphError, idOf, invalidParameter, missingParameter, unknownObject } from "../graph/graph.ts";
import type { Accounts } from "./accounts.ts";
import { maxUploadBytes } from "./media.ts";

const maxUploads = 10_000;
const appId = "1357908642";
const mimesOf: Readonly<Record<string, readonly string[]>> = {
  IMAGE: ["image/jpeg", "image/png"],
  VIDEO: ["video/mp4"],
  DOCUMENT: ["application/pdf"],
};
const mimes = Object.values(mimesOf).flat();

/** Example files of templates. A client opens an upload, sends the bytes and gets a handle of the file. */
export class Uploads {
  readonly open = new RecentMap<{ readonly token: string; readonly mime: string; readonly length: number }>(maxUploads);
  private readonly handles = new RecentMap<string>(maxUploads);

  begin(token: string, mime: string, length: number): string {
    const id = `upload:${randomBytes(24).toString("base64url")}`;
    this.open.set(id, { token, mime, length });
    return id;
  }

  finish(id: string, mime: string): string {
    this.open.delete(id);
    const handle = `4::${Buffer.from(mime).toString("base64")}:${randomBytes(24).toString("base64url")}`;
    this.handles.set(handle, mime);
    return handle;
  }

  /** Throws if the example of a media header is not the handle of an uploaded file of the header's format. */
  requireHandles(components: unknown): void {
    for (const component of Array.isArray(components) ? components.filter(isObject) : []) {
      const format = String(component.format).toUpperCase();
      const handles = isObject(component.example) ? component.example.header_handle : undefined;
      if (!(format in mimesOf) || !Array.isArray(handles)) continue;
      const mime = this.handles.get(String(handles[0])) ?? "";
      if (!mimesOf[format]?.includes(mime))
        throw invalidParameter("example.header_handle is not a handle of an upload");
    }
  }

  reset(): void {
    this.open.clear();
    this.handles.clear();
  }
}

export function uploadRoutes(accounts: Accounts, uploads: Uploads): PlatformRoute[] {
  return [
    {
      route: "GET /v{version}/app",
      operation: "app",
      handle(call) {
        accounts.tokenOf(call);
        return { id: appId, name: "Sandbox" };
      },
    },
    {
      route: "POST /v{version}/{id}/uploads",
      operation: "uploads",
      handle(call) {
        const token = accounts.tokenOf(call);
        if (idOf(call) !== appId) throw unknownObject(call);
        const length = call.query.get("file_length");
        const mime = call.query.get("file_type");
        if (length === null) throw missingParameter("file_length");
        if (!/^[1-9]\d{0,8}$/.test(length)) throw badParameter("Param file_length must be a positive integer");
        if (mime === null) throw missingParameter("file_type");
        if (!mimes.includes(mime)) throw badParameter(`Param file_type must be one of {${mimes.join(", ")}}`);
        return { id: uploads.begin(token, mime, Number(length)) };
      },
    },
    {
      route: "POST /v{version}/{id}",
      operation: "upload",
      maxBodyBytes: maxUploadBytes,
      serves: (asked) => idOf(asked).startsWith("upload:"),
      handle(call) {
        const token = /^OAuth (\S+)$/.exec(call.headers.authorization ?? "")?.[1];
        const upload = uploads.open.get(idOf(call));
        if (token === undefined) throw new GraphError(190);
        if (upload?.token !== token) throw unknownObject(call);
        if (call.headers.file_offset !== "0") throw missingParameter("file_offset");
        if (call.bytes.length !== upload.length) throw badParameter("The upload is not as long as file_length says");
        return { h: uploads.finish(idOf(call), upload.mime) };
      },
    },
  ];
}
