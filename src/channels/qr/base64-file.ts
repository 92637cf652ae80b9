/** In characters. Before the file, the answer has a caption and the provider's data about the file. */
const longestBeginning = 128 * 1024;
/** The start of the file. It cannot occur within a text, because JSON escapes quotes there. */
const fileBegins = /"base64"\s*:\s*"/;
const other = /[^A-Za-z0-9+/]/g;

/** The answer has no file, or ends within it. */
class NoFileInAnswer extends Error {}

/**
 * Decodes the file in the field `base64` of a JSON answer while the answer arrives. Rejects if there is no file;
 * reading the result throws if the answer ends before the file does.
 */
export async function base64FileIn(answer: AsyncIterable<Uint8Array>): Promise<AsyncGenerator<Uint8Array>> {
  const chunks = answer[Symbol.asyncIterator]();
  let beginning = "";
  while (beginning.length <= longestBeginning) {
    const { done, value } = await chunks.next();
    if (done) break;
    beginning += latin(value);
    const found = fileBegins.exec(beginning);
    if (found) return decoded(beginning.slice(found.index + found[0].length), chunks);
  }
  await chunks.return?.();
  throw new NoFileInAnswer("the answer holds no file");
}

async function* decoded(first: string, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    let text = first;
    // Base64 writes three bytes as four characters. An incomplete group of four is kept for the next chunk.
    let left = "";
    for (;;) {
      const end = text.indexOf('"');
      const given = left + (end === -1 ? text : text.slice(0, end)).replace(other, "");
      const whole = end === -1 ? given.length - (given.length % 4) : given.length;
      left = given.slice(whole);
      if (whole > 0) yield Buffer.from(given.slice(0, whole), "base64");
      if (end !== -1) return;
      const { done, value } = await chunks.next();
      if (done) throw new NoFileInAnswer("the answer broke off");
      text = latin(value);
    }
  } finally {
    await chunks.return?.();
  }
}

/** One character per byte, so that no character is split between chunks. */
const latin = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
