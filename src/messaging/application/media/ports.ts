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

/** Who stored what. A file is entered before any of it is written, so that nothing can be left behind unknown. */
export interface MediaRegister {
  begin(file: Omit<StoredMedia, "size"> & { readonly businessId: number }): Promise<void>;
  /** From now on it is found. */
  complete(businessId: number, name: string, size: number): Promise<void>;
  forget(businessId: number, name: string): Promise<void>;
  /** By its name alone, which only those know who were given it. */
  find(name: string): Promise<StoredMedia | null>;
  /** Files that were begun so long ago that nobody can be writing them any more, and those whose business is gone. */
  abandoned(olderThanSeconds: number, most: number): Promise<{ readonly businessId: number; readonly name: string }[]>;
}

/** Tells what a file is by its first bytes; the content handed back is whole. */
export type RecognizeMedia = (content: Bytes, givenName: string) => Promise<Recognized>;

export interface Recognized {
  /** A media type; null for what is not recognized, or empty. */
  readonly type: string | null;
  readonly isEmpty: boolean;
  readonly content: Bytes;
}
