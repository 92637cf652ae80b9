import { DomainError } from "../../kernel/errors.ts";

/** What the messaging platform takes as media, and nothing else is kept. */
export interface MediaType {
  readonly type: string;
  readonly extension: string;
  readonly kind: MediaKind;
  /** Bytes. */
  readonly limit: number;
}

export type MediaKind = "image" | "video" | "audio" | "document";

const megabyte = 1024 * 1024;
const limits = {
  image: 5 * megabyte,
  video: 16 * megabyte,
  audio: 16 * megabyte,
  document: 100 * megabyte,
} as const satisfies Record<MediaKind, number>;

/** Bytes of the largest file of any type. */
export const largestMedia = Math.max(...Object.values(limits));

const office = "application/vnd.openxmlformats-officedocument";

/** By type: the extension that its files get. */
const extensions: Readonly<Record<MediaKind, Readonly<Record<string, string>>>> = {
  image: { "image/jpeg": "jpg", "image/png": "png" },
  video: { "video/mp4": "mp4", "video/3gpp": "3gp" },
  audio: {
    "audio/aac": "aac",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/amr": "amr",
    "audio/ogg": "ogg",
  },
  document: {
    "application/pdf": "pdf",
    "text/plain": "txt",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    [`${office}.wordprocessingml.document`]: "docx",
    [`${office}.spreadsheetml.sheet`]: "xlsx",
    [`${office}.presentationml.presentation`]: "pptx",
  },
};

const types = new Map<string, MediaType>(
  Object.entries(extensions).flatMap(([kind, byType]) =>
    Object.entries(byType).map(([type, extension]): [string, MediaType] => [
      type,
      { type, extension, kind: kind as MediaKind, limit: limits[kind as MediaKind] },
    ]),
  ),
);

/** Undefined for what the platform does not take. */
export const mediaTypeOf = (type: string | null): MediaType | undefined => types.get(type ?? "");

/** A file that was stored under a name that nobody can guess. */
export interface StoredMedia {
  readonly name: string;
  /** What whoever saves it gets to see. */
  readonly fileName: string;
  readonly type: MediaType;
  /** Bytes. */
  readonly size: number;
}

const longestStem = 100;

/** The name that the client gave, made harmless, with the extension of what the file really is. */
export function downloadName(given: string, { extension }: MediaType): string {
  const written = given.replaceAll(/[\p{C}"\\/:*?<>|]/gu, " ").replaceAll(/\s+/g, " ");
  const stem = written.replace(/\.[^.]*$/, "").trim();
  return `${[...stem].slice(0, longestStem).join("").trim() || "media"}.${extension}`;
}

/** Bytes of a file, both ends included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Its content is none of what the platform takes. */
export class MediaTypeRefused extends DomainError<"media_type_refused"> {
  readonly code = "media_type_refused";
}

export class MediaTooLarge extends DomainError<"media_too_large"> {
  readonly code = "media_too_large";
  constructor(readonly type: MediaType) {
    super(`more than ${type.limit} bytes of ${type.type}`);
  }
}

/** All that the business may store is stored, or there is less room left than the file needs. */
export class MediaQuotaReached extends DomainError<"media_quota_reached"> {
  readonly code = "media_quota_reached";
  /** @param quota - bytes */
  constructor(readonly quota: number) {
    super(`no room within ${quota} bytes`);
  }
}

/** No such file, or not the caller's: both are answered alike. */
export class MediaNotFound extends DomainError<"media_not_found"> {
  readonly code = "media_not_found";
}

export class MediaEmpty extends DomainError<"media_empty"> {
  readonly code = "media_empty";
}

/** Nowhere to store files, or no address under which they would be found. */
export class MediaNotConfigured extends DomainError<"media_not_configured"> {
  readonly code = "media_not_configured";
}
