import type { Call, PlatformRoute } from "../core/route.ts";
import { badParameter, idOf, missingParameter, tokenOf, unknownObject } from "../graph/graph.ts";
import type { Accounts, Sender } from "./accounts.ts";
import { type Media, mediaMimes } from "./media.ts";
import { requireProduct } from "./messages.ts";

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
