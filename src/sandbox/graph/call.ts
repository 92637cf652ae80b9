import { type Fields, isObject } from "../core/input.ts";
import type { Call } from "../core/route.ts";
import { GraphError, invalidParameter } from "./errors.ts";

/** The token of the call, when the platform knows it at all. */
export function tokenOf({ headers, query }: Call, tokens: { knows(token: string): boolean }): string {
  const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? query.get("access_token");
  if (token && tokens.knows(token)) return token;
  throw new GraphError(190);
}

export const idOf = (call: Call): string => call.path.id ?? "";

export function jsonOf({ body }: Call): Fields {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw invalidParameter("body must be valid JSON");
  }
  if (!isObject(value)) throw invalidParameter("body must be a JSON object");
  return value;
}
