const megabyte = 1024 * 1024;

/** The service's limits in MB. */
const limits = { image: 5, video: 16, audio: 16, document: 100 } as const;
type Kind = keyof typeof limits;

const kindsByExtension: Readonly<Record<string, Kind>> = {
  jpg: "image",
  jpeg: "image",
  png: "image",
  mp4: "video",
  "3gp": "video",
  aac: "audio",
  m4a: "audio",
  mp3: "audio",
  amr: "audio",
  ogg: "audio",
  opus: "audio",
  pdf: "document",
  txt: "document",
  csv: "document",
  doc: "document",
  docx: "document",
  xls: "document",
  xlsx: "document",
  ppt: "document",
  pptx: "document",
};

/** The `accept` attribute of file inputs. */
export const accepted = [...Object.keys(kindsByExtension).map((extension) => `.${extension}`), "image/*"].join(",");

export type Trouble =
  | { readonly kind: "tooLarge"; readonly limit: number }
  | { readonly kind: "wrongType" }
  | { readonly kind: "empty" };

/** Pasted pictures may have no known extension, so their media type counts. */
function kindOf({ name, type }: File): Kind | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (kindsByExtension[extension]) return kindsByExtension[extension];
  return type === "image/png" || type === "image/jpeg" ? "image" : undefined;
}

export function troubleWith(file: File): Trouble | null {
  if (file.size === 0) return { kind: "empty" };
  const kind = kindOf(file);
  if (kind === undefined) return { kind: "wrongType" };
  return file.size > limits[kind] * megabyte ? { kind: "tooLarge", limit: limits[kind] } : null;
}

const longestSide = 2_560;
const quality = 0.86;

/** Converts pictures that are too large, or of a type that channels refuse, to JPEG. Other files do not change. */
export async function prepared(file: File): Promise<File> {
  if (!file.type.startsWith("image/") || file.type === "image/svg+xml") return file;
  if (kindOf(file) === "image" && file.size <= limits.image * megabyte) return file;
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
