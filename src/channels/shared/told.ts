import { storableText } from "../../kernel/text.ts";

/** What a platform sent: nothing of it is taken for granted. */
export type Told = Readonly<Record<string, unknown>>;

/** The JSON of a webhook, with texts as they can be stored. Throws only where it is no JSON. */
export const toldIn = (payload: string): Told =>
  object(unstorable.test(payload) ? JSON.parse(payload, storable) : JSON.parse(payload));

/** What cannot be stored, as JSON may write it; a customer's message may hold it. */
const unstorable = /\\u(0000|d[89a-f])/i;

function storable(_: string, value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storableText(name), inner]));
}

export const object = (value: unknown): Told => (typeof value === "object" && value !== null ? (value as Told) : {});
export const list = (value: unknown): Told[] => (Array.isArray(value) ? value.map(object) : []);
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** An identifier that fits an index. */
export const id = (value: unknown): string | undefined =>
  typeof value === "string" && value.length > 0 && value.length <= 512 ? value : undefined;

export const digits = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{1,64}$/.test(value) ? value : undefined;

/** A reference of ours. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** At most `length` units, and no half of a character at the cut. */
export const beginning = (value: string, length: number): string => value.slice(0, length).replace(/\p{Cs}$/u, "");

export const omit = (value: Told, keys: readonly string[]): Told =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/** An object is never asked for its number: it may have a `valueOf` of its own. */
const numeric = (value: unknown): number =>
  typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;

/** From milliseconds since 1970, as a number or as text; what is no time or lies ahead of ours counts as now. */
export function timeOfMs(value: unknown): Date {
  const ms = numeric(value);
  return ms > 0 && ms < Date.now() ? new Date(ms) : new Date();
}

/** From seconds since 1970, likewise. */
export const timeOfSeconds = (value: unknown): Date => timeOfMs(numeric(value) * 1_000);

/** Units of one character, which may be put together from many: a family with its skin tones has 25. */
export const longestEmoji = 64;
/** Units of a customer's name. */
export const longestName = 200;
/** Units of a file's name. */
export const longestFileName = 255;
