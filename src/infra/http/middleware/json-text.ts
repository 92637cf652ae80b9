import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { parse } from "@hapi/bourne";
import { transportProblem } from "../routing/dialect.ts";

/** Refuses a body that is labelled as something else than JSON in UTF-8. Without a type it can be nothing else. */
export function refuseOtherTypes({ headers }: IncomingMessage): void {
  const type = headers["content-type"] ?? "";
  if (type === "application/json" || type === "") return;
  if (!/^(application\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(;|$)/i.test(type)) throw transportProblem("notLabelledJson");
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) throw transportProblem("badCharset");
}

/** What decompresses the body; undefined where it comes as it is. */
export function decoderOf({ headers }: IncomingMessage): Transform | undefined {
  switch (headers["content-encoding"]) {
    case undefined:
    case "identity":
      return undefined;
    case "gzip":
    case "deflate":
      return createUnzip();
    case "br":
      return createBrotliDecompress();
    default:
      throw transportProblem("badEncoding");
  }
}

/** The bytes as text, without a byte order mark; of halves of characters, which no text can hold, nothing is left. */
export function jsonText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw transportProblem("notJson");
  const text = bytes.toString("utf8");
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  return halfEscape.test(json) ? json.replaceAll(escapes, wholeEscape) : json;
}

/** Ignores fields that are named like an object's own, as every unknown field. */
export function parsedJson(json: string): unknown {
  try {
    return parse(json, { protoAction: "remove" });
  } catch {
    throw transportProblem("notJson");
  }
}

/** Emoji that are spelt out have it, too. */
const halfEscape = /\\u[dD][89a-fA-F]/;
/** One escape, or the two that spell one character. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;

const wholeEscape = (written: string): string => (written.length === "\\ud800".length ? "\\ufffd" : written);
