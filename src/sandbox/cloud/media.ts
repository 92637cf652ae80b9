import { createHash, randomInt } from "node:crypto";
import type { CustomerFile } from "../core/customer-input.ts";
import type { Files, StoredFile } from "../core/files.ts";
import type { Sender } from "./accounts.ts";

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

/** The types of files that the platform accepts. */
export const mediaMimes: readonly string[] = [
  ...["audio/aac", "audio/amr", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus"],
  ...["image/jpeg", "image/png", "image/webp", "video/3gpp", "video/mp4", "text/plain", "application/pdf"],
  ...["application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
];
