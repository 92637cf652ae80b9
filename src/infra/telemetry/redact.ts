import { longNumbers } from "../../kernel/text.ts";

/** Fields that are hidden in log lines. Case, `-` and `_` in their names do not matter. */
const secretNames = new Set(
  [
    ["accessToken", "apiKey", "appKey", "appSecret", "authorization", "cookie", "password", "secret", "setCookie"],
    ["sessionToken", "token", "xApiKey", "xRecadoKey"],
    ["body", "caption", "contact", "email", "headers", "message", "parameters", "text"],
    ["phone", "phoneNumber", "recipient", "to", "waId"],
    ["connectionString", "databaseUrl", "link", "mediaUrl", "query", "redirectUri", "uri", "url"],
  ]
    .flat()
    .map((name) => name.toLowerCase()),
);

const hidden = "[hidden]";
const deepest = 6;
const mostItems = 50;
const longestMessage = 2_000;
const longestStack = 8_000;

/** A copy for a log line, with secrets hidden at any depth. */
export const redact = (fields: object): Record<string, unknown> => redactObject(fields, 0);

function redactObject(fields: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields).slice(0, mostItems)) {
    copy[name] = isSecret(name) && value != null ? hidden : redactValue(value, depth);
  }
  return copy;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value, 0);
  if (value instanceof Date) return value;
  if (depth >= deepest || ArrayBuffer.isView(value)) return hidden;
  if (Array.isArray(value)) return value.slice(0, mostItems).map((item) => redactValue(item, depth + 1));
  return redactObject(value, depth + 1);
}

/** Caches which names are secret. The size is limited, because names can come from outside. */
const knownNames = new Map<string, boolean>();

function isSecret(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const secret = secretNames.has(name.toLowerCase().replaceAll(/[-_]/g, ""));
  if (knownNames.size < 1_000) knownNames.set(name, secret);
  return secret;
}

/** Keeps only the type, message, stack, code and causes of an error: its other fields may hold rows or requests. */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? mask(error, longestMessage) : redactValue(error, 0);
  const { code } = error as { code?: unknown };
  const causes = error instanceof AggregateError ? error.errors : [error.cause];
  const described = depth < 3 ? causes.filter((cause) => cause !== undefined).slice(0, 5) : [];
  return {
    type: error.constructor.name,
    message: mask(error.message, longestMessage),
    stack: mask(error.stack ?? "", longestStack),
    ...((typeof code === "string" || typeof code === "number") && { code }),
    ...(described.length > 0 && { causes: described.map((cause) => describeError(cause, depth + 1)) }),
  };
}

/** The message of an error without its stack, for people. */
export const reasonOf = (error: unknown): string =>
  mask(error instanceof Error ? error.message : String(error), longestMessage);

/** Shortens a text and hides long numbers, passwords and paths of URLs, and the JSON that a parse error quotes. */
const mask = (text: string, longest: number): string =>
  text
    .slice(0, longest)
    .replaceAll(/".*"(?:\.{3})? is not valid JSON/gs, `${hidden} is not valid JSON`)
    .replaceAll(
      /\b((?:https?|wss?|postgres(?:ql)?|mongodb(?:\+srv)?|rediss?):\/\/)(?:[^\s/@]*@)?([^\s/?#"']*)[^\s"')]*/gi,
      "$1$2/…",
    )
    .replaceAll(longNumbers, hidden);
