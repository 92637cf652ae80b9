import { randomBytes } from "node:crypto";
import { RecentMap } from "./bounded.ts";

/** In base64. */
export const onePixelPng =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const limits = { files: 200, bytes: 200_000_000, links: 10_000 };

export interface StoredFile {
  readonly mime: string;
  readonly bytes: Buffer;
  readonly filename?: string | undefined;
  /** The id of the number, page or instance, or ProviderB's ids of account and message. Empty for profile pictures. */
  readonly owner: string;
}

interface Link {
  readonly id: string;
  /** The required token; `undefined` if no token is required. */
  readonly token: string | undefined;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The files of customers and clients on all platforms. If they are too many or too large, the oldest are removed. */
export class Files {
  /** Scheme and host of the sandbox; empty until it listens. */
  origin = "";
  private readonly files = new Map<string, StoredFile>();
  private readonly links = new RecentMap<Link>(limits.links);
  private held = 0;

  keep(file: StoredFile, id: string = randomBytes(12).toString("hex")): string {
    this.remove(id);
    this.files.set(id, file);
    this.held += file.bytes.length;
    for (const oldest of this.files.keys()) {
      if (this.files.size <= limits.files && this.held <= limits.bytes) break;
      this.remove(oldest);
    }
    return id;
  }

  find(id: string): StoredFile | undefined {
    return this.files.get(id);
  }

  remove(id: string): void {
    this.held -= this.files.get(id)?.bytes.length ?? 0;
    this.files.delete(id);
  }

  /** Creates a secret address of the file. Without `forMs`, the address has no time limit. */
  link(id: string, { token, forMs = Number.POSITIVE_INFINITY }: { token?: string; forMs?: number } = {}): string {
    const name = randomBytes(24).toString("base64url");
    this.links.set(name, { id, token, until: Date.now() + forMs });
    return `${this.origin}/__attachments/${name}`;
  }

  /** The file of the address, for a caller with this token. */
  open(name: string, token: string | undefined): StoredFile | "missing" | "forbidden" {
    const link = this.links.get(name);
    if (link?.token !== undefined && link.token !== token) return "forbidden";
    if (!link || link.until <= Date.now()) return "missing";
    return this.files.get(link.id) ?? "missing";
  }

  reset(): void {
    this.files.clear();
    this.links.clear();
    this.held = 0;
  }
}
