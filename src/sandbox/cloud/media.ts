import { createHash, randomInt } from "node:crypto";
import type { CustomerFile } from "../core/customer-input.ts";
import type { Files, StoredFile } from "../core/files.ts";
import type { Call, PlatformRoute } from "../core/route.ts";
import { badParameter, idOf, missingParameter, unknownObject } from "../graph/graph.ts";
import type { Accounts, Sender } from "./accounts.ts";
import { requireProduct } from "./messages.ts";

const defaultLinkMs = 5 * 60 * 1_000;

/** The files that customers send to numbers, and that clients upload for numbers. File ids look like the platform's. */
export class Media {
  constructor(
    readonly files: Files,
    /** How long the address of a file is valid. */
    private readonly linkMs = defaultLinkMs,
  ) {}

  keep(
    { phoneNumberId }: Sender,
    { mime, bytes, filename }: Pick<CustomerFile, "mime" | "bytes" | "filename">,
  ): string {
    const id = String(randomInt(10 ** 14, 2 ** 48 - 1));
    return this.files.keep({ mime, bytes, filename, owner: phoneNumberId }, id);
  }

  /** The platform's description of the file, with an address that requires the number's token. */
  node({ token }: Sender, id: string, { mime, bytes }: StoredFile): object {
    return {
      messaging_product: "whatsapp",
      url: this.files.link(id, { token, forMs: this.linkMs }),
      mime_type: mime,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      file_size: bytes.length,
      id,
    };
  }
}

const mediaMimes: readonly string[] = [
  ...["audio/aac", "audio/amr", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus"],
  ...["image/jpeg", "image/png", "image/webp", "video/3gpp", "video/mp4", "text/plain", "application/pdf"],
  ...["application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
];

/** The most bytes of a request that uploads a file. */
export const maxUploadBytes = 101_000_000;

export function mediaRoutes(accounts: Accounts, media: Media): PlatformRoute[] {
  const isMedia: PlatformRoute["serves"] = (asked) => ownerOf(media.files.find(idOf(asked))) !== undefined;
  const ownerOf = (file: StoredFile | undefined) => file && accounts.senders.find(file.owner);

  /** The file and the number that owns it. Throws if the call has another number's token or `phone_number_id`. */
  function owned(call: Call): { readonly file: StoredFile; readonly owner: Sender } {
    const token = accounts.tokenOf(call);
    const file = media.files.find(idOf(call));
    const owner = ownerOf(file);
    const asked = call.query.get("phone_number_id");
    if (!file || owner?.token !== token) throw unknownObject(call);
    if (asked !== null && asked !== owner.phoneNumberId) throw unknownObject(call);
    return { file, owner };
  }

  return [
    {
      route: "POST /v{version}/{id}/media",
      operation: "media",
      maxBodyBytes: maxUploadBytes,
      handle: async (call) => ({ id: media.keep(accounts.senderOf(call), await uploadIn(call)) }),
    },
    {
      route: "GET /v{version}/{id}",
      operation: "media",
      serves: isMedia,
      handle(call) {
        const { file, owner } = owned(call);
        return media.node(owner, idOf(call), file);
      },
    },
    {
      route: "DELETE /v{version}/{id}",
      operation: "media",
      serves: isMedia,
      handle(call) {
        owned(call);
        media.files.remove(idOf(call));
        return { success: true };
      },
    },
  ];
}

async function uploadIn({ headers, bytes }: Call): Promise<{ mime: string; bytes: Buffer; filename: string }> {
  const type = headers["content-type"] ?? "";
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } })
    .formData()
    .catch(() => null);
  if (!form) throw badParameter("The request must be multipart/form-data");
  requireProduct({ messaging_product: form.get("messaging_product") ?? undefined });
  const file = form.get("file");
  if (!(file instanceof File)) throw missingParameter("file");
  const mime = file.type === "" ? String(form.get("type") ?? "") : file.type;
  if (!mediaMimes.includes(mime.split(";")[0] ?? "")) {
    const known = mediaMimes.join(", ");
    throw badParameter(`Param file must be a file with one of the following types: ${known}. Received '${mime}'.`);
  }
  return { mime, bytes: Buffer.from(await file.arrayBuffer()), filename: file.name };
}
