/** Units of an answer that stand before the file: a caption, and what the provider says of the file. */
const longestBeginning = 128 * 1024;
/** Where the file begins. A text cannot hold this: in a text each quote is written with a backslash. */
const fileBegins = /"base64"\s*:\s*"/;
const other = /[^A-Za-z0-9+/]/g;

/** The answer holds no file, or breaks off in it. */
export class NoFileInAnswer extends Error {}

/**
 * The file in the field `base64` of an answer in JSON, decoded while it arrives. Rejects where there is none; reading
 * throws where the answer ends before the file does.
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
    // Four characters are three bytes: what is left of one piece goes before the next one.
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

/** One character for each byte, so that none is cut in half between two pieces. */
const latin = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
