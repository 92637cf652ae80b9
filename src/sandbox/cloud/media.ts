import { createHash, randomInt } from "node:crypto";
import type { CustomerFile } from "../core/customer-input.ts";
import type { Files, StoredFile } from "../core/files.ts";
import type { Call, PlatformRoute } from "../core/route.ts";
import { badParameter, idOf, missingParameter, tokenOf, unknownObject } from "../graph/graph.ts";
import type { Accounts, Sender } from "./accounts.ts";
import { requireProduct } from "./messages.ts";

const defaultLinkMs = 5 * 60 * 1_000;

/** Files of numbers, from customers and clients. Their ids have the platform's form. */
export class Media {
  constructor(
    private readonly files: Files,
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

  /** The file, if it belongs to the number. */
  find({ phoneNumberId }: Sender, id: string): StoredFile | undefined {
    const file = this.files.find(id);
    return file?.owner === phoneNumberId ? file : undefined;
  }

  /** The id of the number that owns the file. */
  ownerOf(id: string): string | undefined {
    return this.files.find(id)?.owner;
  }

  remove(id: string): void {
    this.files.remove(id);
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

const maxUploadBytes = 101_000_000;

export function mediaRoutes(accounts: Accounts, media: Media): PlatformRoute[] {
  const ofNumber = (id: string | undefined): Sender | undefined => accounts.sender(id ?? "");
  const isMedia: PlatformRoute["serves"] = (asked) => ofNumber(media.ownerOf(idOf(asked))) !== undefined;

  /** The number that owns the file, if the token is the number's own. */
  function ownerOf(call: Call): Sender {
    const token = tokenOf(call, (token) => accounts.knows(token));
    const owner = ofNumber(media.ownerOf(idOf(call)));
    const asked = call.query.get("phone_number_id");
    if (owner?.token !== token || (asked !== null && asked !== owner.phoneNumberId)) throw unknownObject(call);
    return owner;
  }

  return [
    {
      route: "POST /v{version}/{id}/media",
      operation: "media",
      maxBodyBytes: maxUploadBytes,
      async handle(call) {
        const token = tokenOf(call, (token) => accounts.knows(token));
        const sender = accounts.sender(idOf(call));
        if (sender?.token !== token) throw unknownObject(call);
        return { id: media.keep(sender, await uploadIn(call)) };
      },
    },
    {
      route: "GET /v{version}/{id}",
      operation: "media",
      serves: isMedia,
      handle(call) {
        const owner = ownerOf(call);
        const file = media.find(owner, idOf(call));
        if (!file) throw unknownObject(call);
        return media.node(owner, idOf(call), file);
      },
    },
    {
      route: "DELETE /v{version}/{id}",
      operation: "media",
      serves: isMedia,
      handle(call) {
        ownerOf(call);
        media.remove(idOf(call));
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
