/**
 * The file's encoding: UTF-8, UTF-16 with a byte order mark, or Windows-1252. Spreadsheets save files in these
 * encodings. Null if the file is not a text.
 */
export async function encodingOf(file: File): Promise<string | null> {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (new Uint8Array(bytes.slice(0, 4_096)).includes(0)) return null;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}
