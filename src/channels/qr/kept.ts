import { isAscii } from "node:buffer";
import type { Forgotten } from "../../inbox/public.ts";
import { object, type Told, text, toldIn } from "../shared/told.ts";
import { jsonIn } from "../shared/webhook.ts";
import { numbersIn } from "./key.ts";

/** A webhook in two parts, so that what reads it does not go through the millions of characters of a file. */
export interface Parts {
  readonly told: Told;
  /** In base64; empty where none came along. */
  readonly file: string;
}

/** Bytes from which on a file is cut out of a body before it is read. */
const large = 64 * 1024;
/** No text of a message can hold this: in a text each quote is written with a backslash. */
const fileBegins = '"base64":"';
const quote = 0x22;
const backslash = 0x5c;

/** What the provider delivered. Throws `notJson()` for what is no JSON. */
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
 * As it is kept: the JSON in the first line and the file in the second one.
 *
 * @param instance - as it was proven; what the payload says proves nothing
 */
export function keptAs({ told, file }: Parts, instance: string): string {
  const { event, data, date_time, sender } = told;
  const json = JSON.stringify({ event, instance, data: withoutFile(data), date_time, sender });
  return file === "" ? json : `${json}\n${file}`;
}

function withoutFile(data: unknown): unknown {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
  const { message, base64: _, ...others } = data as Told;
  if (typeof message !== "object" || message === null) return data;
  return { ...others, message: { ...message, base64: undefined } };
}

/** What was kept. Throws where it is no JSON. */
export function keptIn(payload: string): Parts {
  const end = payload.indexOf("\n");
  if (end === -1) return { told: toldIn(payload), file: "" };
  return { told: toldIn(payload.slice(0, end)), file: payload.slice(end + 1) };
}

/** One, several or no pieces of news. */
export const piecesIn = (data: unknown): Told[] => (Array.isArray(data) ? data : [data]).map(object);

/** What was kept, without the news of chats with this customer. */
export function withoutCustomer(payload: string, { ids, senders }: Forgotten): string | null {
  let parts: Parts;
  try {
    parts = keptIn(payload);
  } catch {
    return null;
  }
  const { told, file } = parts;
  const instance = text(told.instance);
  if (!senders.includes(instance)) return payload;
  const pieces = piecesIn(told.data);
  const left = pieces.filter((piece) => ![piece, piece.key].flatMap(numbersIn).some((number) => ids.includes(number)));
  if (left.length === pieces.length) return payload;
  return left.length === 0 ? null : keptAs({ told: { ...told, data: left }, file }, instance);
}
