import { storableJson } from "../../kernel/text.ts";

/** A JSON object from a platform; every field may have any type. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a webhook and makes its texts storable. Throws only if the payload is not JSON. */
export function parseWebhook(payload: string): JsonObject {
  const told: unknown = JSON.parse(payload);
  return object(unstorable.test(payload) ? storableJson(told) : told);
}

/** The result of `parse`; undefined if the payload is not JSON. */
export function ifJson<Parsed = unknown>(
  payload: string,
  parse: (payload: string) => Parsed = JSON.parse,
): Parsed | undefined {
  try {
    return parse(payload);
  } catch {
    return undefined;
  }
}

/** Escapes of U+0000 and of surrogates. PostgreSQL cannot store U+0000 and lone surrogates. */
const unstorable = /\\u(0000|d[89a-f])/i;

export const object = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {};
export const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(object) : []);
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** An id that is short enough for an index. */
export const id = (value: unknown): string | undefined =>
  typeof value === "string" && value.length > 0 && value.length <= 512 ? value : undefined;

export const digits = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{1,64}$/.test(value) ? value : undefined;

/** The form of our references. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const omit = (value: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/** NaN for objects: `Number` would throw for an object with a field `toString`. */
const numeric = (value: unknown): number =>
  typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;

/** Milliseconds since 1970, as a number or text. Invalid and future times become the present. */
export function timeOfMs(value: unknown): Date {
  const ms = numeric(value);
  return ms > 0 && ms < Date.now() ? new Date(ms) : new Date();
}

export const timeOfSeconds = (value: unknown): Date => timeOfMs(numeric(value) * 1_000);

/** In UTF-16 units. An emoji may consist of many: a family of four with skin tones has 19. */
export const longestEmoji = 64;
export const longestName = 200;
export const longestFileName = 255;
