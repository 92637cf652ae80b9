import type { ByteRange, StoredMedia } from "../../domain/media.ts";

export type Bytes = AsyncIterable<Uint8Array>;

/** Stores the content of files. The names are made by this service, never by a client. */
export interface MediaStorage {
  /** Stores the whole content durably, or rejects and stores nothing. Reads no faster than it can write. */
  write(name: string, type: string, content: Bytes): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Opens the file only when the caller begins to read the result. */
  read(name: string, range: ByteRange | null): Bytes;
  /** Removes a file, or the remains of its interrupted write. Does nothing if there is neither. */
  remove(name: string): Promise<void>;
}

/** A file that is registered before it is written, so that the sweep can find its remains. */
export interface NewFile extends Omit<StoredMedia, "size"> {
  readonly businessId: number;
  /** The user who uploads it; null for an App Key, and for a file that a customer sent. */
  readonly uploadedBy: number | null;
}

/** The least and most bytes that a file can have, as far as known. */
export interface SizeBounds {
  readonly least: number;
  readonly most: number;
}

/** The space that was reserved for a file. */
export interface Reservation {
  /**
   * In bytes: the file's largest possible size, but at most the rest of the quota. Null if not even the file's least
   * size fits.
   */
  readonly reserved: number | null;
  /** True if the file has no room now, but would have room without the reservations of running uploads. */
  readonly waits: boolean;
  /** The quota in bytes. */
  readonly quota: number;
}

export interface MediaUsage {
  /** Complete files only. */
  readonly files: number;
  /** In bytes, including what running uploads have reserved. */
  readonly bytes: number;
  readonly quota: number;
}

/** Some files of one business, by name. */
export interface NamedFiles {
  readonly businessId: number;
  readonly names: readonly string[];
}

export interface MediaRegister {
  /** Registers the file and reserves its space in the business's quota. Parallel uploads cannot exceed the quota. */
  begin(file: NewFile, size: SizeBounds): Promise<Reservation>;
  /** Makes the file readable, and reduces the reserved space to the file's size. */
  complete(businessId: number, name: string, size: number): Promise<void>;
  /**
   * Makes the file unreadable; its space is freed by `forget`. False if there is no such file, or another user uploaded
   * it.
   */
  withdraw(businessId: number, name: string, uploadedBy: number | null): Promise<boolean>;
  forget(businessId: number, name: string): Promise<void>;
  /** The name is the only secret: everyone who knows the URL may read the file. */
  find(name: string): Promise<StoredMedia | null>;
  /** The file's `fileName`; null if the business has no such file. */
  fileNameOf(businessId: number, name: string): Promise<string | null>;
  /** Records that something is about to refer to the file, which delays its sweep. */
  touch(name: string): Promise<void>;
  usage(businessId: number): Promise<MediaUsage>;
  /** Unfinished and withdrawn files older than `olderThanSeconds`, and all files of deleted businesses. */
  abandoned(olderThanSeconds: number, most: number): Promise<{ readonly businessId: number; readonly name: string }[]>;
  /** Files that were not stored, touched or kept in the last `days` days. Leaves out the businesses in `except`. */
  longUnnamed(days: number, most: number, except: readonly number[]): Promise<readonly NamedFiles[]>;
  /** Records that the files are referred to now. */
  keep(files: NamedFiles): Promise<void>;
  /** Withdraws the files, except those that something has referred to within this many days. */
  withdrawUnnamed(files: NamedFiles, days: number): Promise<void>;
}

/** Finds files named in a business's settings, messages, quick replies, templates, steps, departments and campaigns. */
export interface MediaNames {
  /** Those of the given names to which the business still refers. */
  among(files: NamedFiles): Promise<readonly string[]>;
}

/**
 * Recognizes a file's type by its first bytes; the given name only tells older Office types apart. The returned content
 * still begins with these bytes.
 */
export type RecognizeMedia = (content: Bytes, givenName: string) => Promise<Recognized>;

interface Recognized {
  /** A media type; null for unrecognized or empty content. */
  readonly type: string | null;
  readonly isEmpty: boolean;
  readonly content: Bytes;
}
