import type { ChannelLimits } from "./channel-limits.ts";
import { mediaTypes, typeAt, typeNamed } from "./media-types.ts";

const megabyte = 1024 * 1024;

const extensionsOn = ({ archivos }: ChannelLimits): string[] =>
  Object.keys(mediaTypes).filter((extension) => archivos[mediaTypes[extension] ?? ""] !== undefined);

/** The `accept` attribute of file inputs. All pictures can be chosen, since `prepared` converts most types. */
export const acceptedOn = (limits: ChannelLimits): string =>
  [...extensionsOn(limits).map((extension) => `.${extension}`), "image/*"].join(",");

export type Trouble =
  /** `limit` is in MB. */
  | { readonly kind: "tooLarge"; readonly limit: number }
  | { readonly kind: "wrongType" }
  /** The chat's channel takes only files with these extensions. Other channels may take the file. */
  | { readonly kind: "wrongForChannel"; readonly extensions: readonly string[] }
  | { readonly kind: "empty" };

interface NamedFile {
  readonly name: string;
  /** Media type. */
  readonly type: string;
}

/** Pasted pictures may have no known extension, so their media type counts. */
const typeOf = ({ name, type }: NamedFile): string | undefined =>
  typeNamed(name) ?? (type === "image/png" || type === "image/jpeg" ? type : undefined);

export function troubleWith(file: NamedFile & { readonly size: number }, limits: ChannelLimits): Trouble | null {
  if (file.size === 0) return { kind: "empty" };
  const type = typeOf(file);
  const limit = limits.archivos[type ?? ""];
  const extensions = extensionsOn(limits);
  const takesAll = extensions.length === Object.keys(mediaTypes).length;
  if (type === undefined && takesAll) return { kind: "wrongType" };
  if (limit === undefined) return { kind: "wrongForChannel", extensions };
  return file.size > limit ? { kind: "tooLarge", limit: Math.floor(limit / megabyte) } : null;
}

/**
 * Checks only the type, and only if the URL has a known extension. The size of a file on another host is unknown. The
 * platform refuses a file that is too large or of a wrong type.
 */
export function troubleWithStored(url: string, limits: ChannelLimits): Trouble | null {
  const type = typeAt(url);
  if (type === undefined || limits.archivos[type] !== undefined) return null;
  return { kind: "wrongForChannel", extensions: extensionsOn(limits) };
}

const longestSide = 2_560;
const quality = 0.86;

/** Converts a picture to JPEG if the channel refuses its size or type. SVG pictures and other files do not change. */
export async function prepared(file: File, limits: ChannelLimits): Promise<File> {
  if (!file.type.startsWith("image/") || file.type === "image/svg+xml") return file;
  if (troubleWith(file, limits) === null) return file;
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  const drawing = canvas.getContext("2d");
  if (!drawing) return file;
  // JPEG has no transparency: transparent parts would become black.
  drawing.fillStyle = "#ffffff";
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const drawn = await canvas.convertToBlob({ type: "image/jpeg", quality });
  return new File([drawn], file.name.replace(/\.[^.]*$|$/, ".jpg"), { type: "image/jpeg" });
}
