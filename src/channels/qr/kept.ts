import { isAscii } from "node:buffer";
import type { Forgotten } from "../../inbox/public.ts";
import { ifJson, type JsonObject, object, parseWebhook, text } from "../shared/json-fields.ts";
import { jsonIn } from "../shared/webhook.ts";
import { numbersIn } from "./key.ts";

/** A webhook's JSON, and its file. A large body is parsed without its file, which may have millions of characters. */
export interface Parts {
  readonly told: JsonObject;
  /** In base64; empty if there is no file. */
  readonly file: string;
}

/** In bytes. Larger bodies have their file cut out before they are parsed. */
const large = 64 * 1024;
/** The start of the file in the JSON. No text can contain it, because JSON escapes quotes in texts. */
const fileBegins = '"base64":"';
const quote = 0x22;
const backslash = 0x5c;

/** Parses a delivered body. Throws `Unreadable`. */
export function deliveredIn(body: Buffer): Parts {
  const { json, file } = cut(body);
  const told = object(jsonIn(json));
  if (file !== "") return { told, file };
  const data = object(told.data);
  const written = text(object(data.message).base64) || text(data.base64);
  return { told, file: /[^\w+/=-]/.test(written) ? "" : written };
}

function cut(body: Buffer): { readonly json: string; readonly file: string } {
  const whole = () => ({ json: body.toString("utf8"), file: "" });
  const found = body.length < large ? -1 : body.indexOf(fileBegins);
  if (found === -1) return whole();
  const start = found + fileBegins.length;
  const end = body.indexOf(quote, start);
  const file = body.subarray(start, end);
  if (end === -1 || !isAscii(file) || file.includes(0) || file.includes(backslash)) return whole();
  const json = Buffer.concat([body.subarray(0, start), body.subarray(end)]).toString("utf8");
  return { json, file: file.toString("latin1") };
}

/**
 * The stored form: JSON in the first line, the file in the second.
 *
 * @param instance - the proven instance; the payload's own value is not trusted
 */
export function keptAs({ told, file }: Parts, instance: string): string {
  const { event, data, date_time, sender } = told;
  const json = JSON.stringify({ event, instance, data: withoutFile(data), date_time, sender });
  return file === "" ? json : `${json}\n${file}`;
}

function withoutFile(data: unknown): unknown {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
  const { message, base64: _, ...others } = data as JsonObject;
  if (typeof message !== "object" || message === null) return data;
  return { ...others, message: { ...message, base64: undefined } };
}

/** Parses a stored payload. Throws if it is not JSON. */
export function keptIn(payload: string): Parts {
  const end = payload.indexOf("\n");
  if (end === -1) return { told: parseWebhook(payload), file: "" };
  return { told: parseWebhook(payload.slice(0, end)), file: payload.slice(end + 1) };
}

/** The provider sends one news item or a list. */
export const piecesIn = (data: unknown): JsonObject[] => (Array.isArray(data) ? data : [data]).map(object);

/** Removes the news items about the forgotten customer; null if no item is left, or if the payload is not JSON. */
export function withoutCustomer(payload: string, { ids, senders }: Forgotten): string | null {
  const parts = ifJson(payload, keptIn);
  if (!parts) return null;
  const { told, file } = parts;
  const instance = text(told.instance);
  if (!senders.includes(instance)) return payload;
  const pieces = piecesIn(told.data);
  const left = pieces.filter((piece) => ![piece, piece.key].flatMap(numbersIn).some((number) => ids.includes(number)));
  if (left.length === pieces.length) return payload;
  return left.length === 0 ? null : keptAs({ told: { ...told, data: left }, file }, instance);
}
