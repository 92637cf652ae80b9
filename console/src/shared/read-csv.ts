import Papa, { type ParseConfig, type ParseResult, type Parser } from "papaparse";

/** In characters. The page can react to the user after each piece. */
const pieceLength = 256 * 1024;

/**
 * Parses a file in pieces, so that the page stays responsive. The separator is detected, and empty rows are left out.
 * Reading ends early if `take` returns false.
 */
export async function readCsv<Row>(
  file: File,
  encoding: string,
  take: (piece: ParseResult<Row>) => boolean,
  config: Pick<ParseConfig<Row>, "header" | "transformHeader" | "transform"> = {},
): Promise<void> {
  // If the library got the file itself, it would decode each piece separately and break characters between two pieces.
  const text = new TextDecoder(encoding).decode(await file.arrayBuffer());
  await new Promise<void>((resolve, reject) => {
    Papa.parse<Row>(text, {
      ...config,
      skipEmptyLines: "greedy",
      chunkSize: pieceLength,
      chunk: (piece: ParseResult<Row>, parser: Parser) => {
        if (!take(piece)) return parser.abort();
        parser.pause();
        setTimeout(() => parser.resume());
      },
      complete: () => resolve(),
      error: reject,
    });
  });
}
