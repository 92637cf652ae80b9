import { type ChatChannelName, pageChannel, photoChannel, providerBChannel } from "../../kernel/channels.ts";
import { domainError } from "../../kernel/errors.ts";

export interface MediaType {
  readonly type: string;
  readonly extension: string;
  /** Browsers show images, videos and audios; they offer documents for download. */
  readonly kind: MediaKind;
  /** Bytes of the largest file of this type. */
  readonly limit: number;
  /** Whether the messaging platform accepts it. Files of other types are stored only if a customer sent them. */
  readonly isSendable: boolean;
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

type Extensions = Readonly<Partial<Record<MediaKind, Readonly<Record<string, string>>>>>;

/** Types that the messaging platform accepts, each with the extension of its stored files. */
const sendable: Extensions = {
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

/** Types that are stored only if a customer sent the file. Browsers never run such a file: they show or download it. */
const received: Extensions = {
  image: { "image/webp": "webp", "image/gif": "gif" },
  document: {
    "image/heic": "heic",
    "image/heif": "heif",
    "image/tiff": "tiff",
    "image/bmp": "bmp",
    "video/quicktime": "mov",
    "video/x-m4v": "m4v",
    "video/webm": "webm",
    "video/matroska": "mkv",
    "video/vnd.avi": "avi",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "text/vcard": "vcf",
    "text/calendar": "ics",
    "application/rtf": "rtf",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/zip": "zip",
    "application/x-rar-compressed": "rar",
    "application/x-7z-compressed": "7z",
  },
};

const typesIn = (extensions: Extensions, isSendable: boolean): MediaType[] =>
  (Object.entries(extensions) as [MediaKind, Readonly<Record<string, string>>][]).flatMap(([kind, byType]) =>
    Object.entries(byType).map(([type, extension]) => ({ type, extension, kind, limit: limits[kind], isSendable })),
  );

const types = new Map([...typesIn(sendable, true), ...typesIn(received, false)].map((each) => [each.type, each]));

/** Undefined if files of the type are never stored. */
export const mediaTypeOf = (type: string | null): MediaType | undefined => types.get(type ?? "");

/** The limits of a channel that does not accept all sendable files. */
interface Takes {
  readonly types?: readonly string[];
  /** Bytes of the largest file that the channel accepts. */
  readonly largest: number;
}

const takes: Readonly<Partial<Record<ChatChannelName, Takes>>> = {
  [pageChannel]: { largest: 25 * megabyte },
  [photoChannel]: {
    types: ["image/jpeg", "image/png", "video/mp4", "audio/aac", "audio/mp4", "application/pdf"],
    largest: 25 * megabyte,
  },
  [providerBChannel]: {
    types: [
      ...["image/jpeg", "image/png", "video/mp4", "audio/aac", "audio/mpeg", "audio/amr", "audio/ogg"],
      ...["application/pdf", "application/msword", `${office}.wordprocessingml.document`],
      ...[`${office}.spreadsheetml.sheet`, `${office}.presentationml.presentation`],
    ],
    largest: 16 * megabyte,
  },
};

/** The types of files that can be sent on a channel, with the limits there. */
export function sendableOn(channel: ChatChannelName): MediaType[] {
  const { types: taken, largest = largestMedia } = takes[channel] ?? {};
  return [...types.values()]
    .filter(({ type, isSendable }) => isSendable && (taken?.includes(type) ?? true))
    .map((each) => ({ ...each, limit: Math.min(each.limit, largest) }));
}

/** A stored file. Its name cannot be guessed. */
export interface StoredMedia {
  readonly name: string;
  /** The name that a browser suggests when the file is saved. */
  readonly fileName: string;
  readonly type: MediaType;
  /** Bytes. */
  readonly size: number;
}

const longestStem = 100;

/** Extensions that a file may keep instead of the usual one of its type. For instance, plain text may keep `csv`. */
const otherExtensions: Readonly<Record<string, readonly string[]>> = { "text/plain": ["csv", "tsv"] };

/** The name that the client gave, without dangerous characters and with an extension of the file's real type. */
export function downloadName(given: string, { type, extension: usual }: MediaType): string {
  const written = given.replaceAll(/[\p{C}"\\/:*?<>|]/gu, " ").replaceAll(/\s+/g, " ");
  const stem = written.replace(/\.[^.]*$/, "").trim();
  const ending = /\.([^.]*)$/.exec(written.trim())?.[1]?.toLowerCase();
  const extension = otherExtensions[type]?.find((other) => other === ending) ?? usual;
  return `${[...stem].slice(0, longestStem).join("").trim() || "media"}.${extension}`;
}

/** Bytes of a file, both ends included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Files of the given type are never stored, or are stored only if a customer sent them. */
export class MediaTypeRefused extends domainError("media_type_refused") {}

export class MediaTooLarge extends domainError("media_too_large") {
  constructor(readonly type: MediaType) {
    super(`more than ${type.limit} bytes of ${type.type}`);
  }
}

/** The business's quota has no room for the file. */
export class MediaQuotaReached extends domainError("media_quota_reached") {
  /** @param quota - bytes */
  constructor(readonly quota: number) {
    super(`no room within ${quota} bytes`);
  }
}

/** There is no such file, or the caller may not delete it; both get the same answer. */
export class MediaNotFound extends domainError("media_not_found") {}

export class MediaEmpty extends domainError("media_empty") {}

/** The installation has no storage for files, or no public address for them. */
export class MediaNotConfigured extends domainError("media_not_configured") {}
