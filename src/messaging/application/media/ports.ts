import type { ByteRange, StoredMedia } from "../../domain/media.ts";

export type Bytes = AsyncIterable<Uint8Array>;

/** Where the files are. Names are made here, never by a client. */
export interface MediaStorage {
  /** Keeps all of the content for good, or rejects and keeps nothing. Takes it no faster than it can be written. */
  write(name: string, type: string, content: Bytes): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Opens nothing before it is read. */
  read(name: string, range: ByteRange | null): Bytes;
  /** Removes a file, and what a write that was cut off left of it; no error when there is neither. */
  remove(name: string): Promise<void>;
}

/** A file that is entered before any of it is written, so that nothing can be left behind unknown. */
export interface NewFile extends Omit<StoredMedia, "size"> {
  readonly businessId: number;
  /** The user who uploads it; null for an App Key. */
  readonly uploadedBy: number | null;
}

/** Bytes that a file has at least and at most, as far as that is known. */
export interface SizeBounds {
  readonly least: number;
  readonly most: number;
}

/** Room for a file; null where the business has not even room for the least that it can be. */
export interface Reservation {
  /** Bytes, as many as the file has at most or as are left. */
  readonly reserved: number | null;
  /** Whether there would be room but for what is reserved for files on their way. */
  readonly waits: boolean;
  /** Bytes that the business may store. */
  readonly quota: number;
}

export interface MediaUsage {
  /** Those that are whole. */
  readonly files: number;
  /** Bytes, with what is reserved for files on their way. */
  readonly bytes: number;
  readonly quota: number;
}

/** Names of files of one business. */
export interface NamedFiles {
  readonly businessId: number;
  readonly names: readonly string[];
}

/** Who stored what. */
export interface MediaRegister {
  /** Enters the file and takes its room out of the business's quota; at once with others never more than there is. */
  begin(file: NewFile, size: SizeBounds): Promise<Reservation>;
  /** From now on it is found, and holds no more room than its size. */
  complete(businessId: number, name: string, size: number): Promise<void>;
  /** From now on it is not found; its room is free once it is forgotten. False where there is none, or not the user's. */
  withdraw(businessId: number, name: string, uploadedBy: number | null): Promise<boolean>;
  forget(businessId: number, name: string): Promise<void>;
  /** By its name alone, which only those know who were given it. */
  find(name: string): Promise<StoredMedia | null>;
  /** Notes that something is about to name the file. */
  touch(name: string): Promise<void>;
  usage(businessId: number): Promise<MediaUsage>;
  /** Files that were begun or withdrawn and that nobody can be writing any more, and those whose business is gone. */
  abandoned(olderThanSeconds: number, most: number): Promise<{ readonly businessId: number; readonly name: string }[]>;
  /** Files for which nothing is known to have named them for so long, of all businesses but those. */
  longUnnamed(days: number, most: number, except: readonly number[]): Promise<readonly NamedFiles[]>;
  /** Takes the files for named, as of now. */
  keep(files: NamedFiles): Promise<void>;
  /** Withdraws those of the files that nothing has come to name meanwhile. */
  withdrawUnnamed(files: NamedFiles, days: number): Promise<void>;
}

/** Knows what names stored files: messages, templates, steps, campaigns and whatever else holds texts of a business. */
export interface MediaNames {
  /** Those of the names that anything of the business holds. */
  among(files: NamedFiles): Promise<readonly string[]>;
}

/** Tells what a file is by its first bytes; the content handed back is whole. */
export type RecognizeMedia = (content: Bytes, givenName: string) => Promise<Recognized>;

export interface Recognized {
  /** A media type; null for what is not recognized, or empty. */
  readonly type: string | null;
  readonly isEmpty: boolean;
  readonly content: Bytes;
}
