import { randomBytes } from "node:crypto";
import { type Fields, isObject } from "../core/input.ts";
import { type Answer, type Call, type Failure, Refusal, type RequestHead } from "../core/route.ts";

/** The refusal of a request, in the form of the Graph API. */
export class GraphError extends Refusal {
  constructor(code: number, details?: string, more: Pick<Failure, "message" | "subcode" | "type"> = {}) {
    super({ ...more, code, details });
  }
}

/** Error 100 with the usual message. `details` go into `error_data`. */
export const invalidParameter = (details: string): GraphError => new GraphError(100, details);

/** Error 100 with `message` instead of the usual message, and without `error_data`. */
export const badParameter = (message: string): GraphError =>
  new GraphError(100, undefined, { message: `(#100) ${message}` });

export const missingParameter = (name: string): GraphError => badParameter(`The parameter ${name} is required.`);

/** The platform gives this answer both for an unknown id and for an id that belongs to someone else. */
export const unknownObject = ({ method, path: { id = "" } }: Call): GraphError =>
  new GraphError(100, undefined, {
    message:
      `Unsupported ${method.toLowerCase()} request. Object with ID '${id.slice(0, 100)}' does not exist, cannot be ` +
      "loaded due to missing permissions, or does not support this operation. Please read the Graph API " +
      "documentation at https://developers.facebook.com/docs/graph-api",
    subcode: 33,
    type: "GraphMethodException",
  });

export const givenToken = ({ headers, query }: RequestHead): string | null =>
  /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? query.get("access_token");

export function tokenOf(call: Call, knows: (token: string) => boolean): string {
  const token = givenToken(call);
  if (token && knows(token)) return token;
  throw new GraphError(190);
}

export const idOf = ({ path }: RequestHead): string => path.id ?? "";

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

/** By error code, the HTTP status to use instead of `defaultStatuses`. Sources disagree on some of the defaults. */
export type ErrorStatuses = Map<number, number>;

export const graphFailure =
  (statuses: ErrorStatuses) =>
  ({ code, subcode, status, message, details, type = "OAuthException" }: Failure): Answer => ({
    status: status ?? statuses.get(code) ?? defaultStatuses.get(code) ?? 400,
    body: {
      error: {
        message: message ?? messageOf(code),
        type,
        code,
        error_subcode: subcode,
        error_data: details === undefined ? undefined : { messaging_product: "whatsapp", details },
        fbtrace_id: `A${randomBytes(16).toString("base64url")}`,
      },
    },
  });

const defaultStatuses = new Map([
  [190, 401],
  [132001, 404],
  [4, 429],
  [80007, 429],
  [130429, 429],
  [131048, 429],
  [131056, 429],
  [1, 500],
  [131000, 500],
  [2, 503],
  [131016, 503],
  [133004, 503],
]);

const titles: Readonly<Record<number, string>> = {
  1: "An unknown error occurred",
  2: "Service temporarily unavailable",
  4: "Application request limit reached",
  17: "User request limit reached",
  10: "Application does not have permission for this action",
  100: "Invalid parameter",
  200: "Permissions error",
  551: "This person isn't available right now",
  613: "Calls to this api have exceeded the rate limit",
  1200: "Temporary send message failure. Please try again later",
  80006: "There have been too many messages sent from this page",
  368: "Temporarily blocked for policies violations",
  80000: "There have been too many calls to this ad account",
  80004: "There have been too many calls to this ad account",
  80007: "There have been too many calls to this WhatsApp Business account",
  130429: "Rate limit hit",
  130472: "User's number is part of an experiment",
  131000: "Something went wrong",
  131008: "Required parameter is missing",
  131016: "Service unavailable",
  131021: "Recipient cannot be sender",
  131026: "Message undeliverable",
  131030: "Recipient phone number not in allowed list",
  131031: "Business Account locked",
  131042: "Business eligibility payment issue",
  131047: "Re-engagement message",
  131048: "Spam rate limit hit",
  131049: "This message was not delivered to maintain healthy ecosystem engagement",
  131050: "Unable to deliver the message. This recipient has chosen to stop receiving marketing messages",
  131051: "Unsupported message type",
  131053: "Media upload error",
  131056: "(Business Account, Consumer Account) pair rate limit hit",
  131057: "Account in maintenance mode",
  132000: "Number of parameters does not match the expected number of params",
  132001: "Template name does not exist in the translation",
  132005: "Translated text too long",
  132007: "Template format character policy violated",
  132012: "Parameter format does not match format in the created template",
  132015: "Template is paused",
  132016: "Template is disabled",
  133004: "Server temporarily unavailable",
};

export const titleOf = (code: number): string => titles[code] ?? "An error occurred";

const messageOf = (code: number): string =>
  code === 190 ? "Invalid OAuth access token - Cannot parse access token" : `(#${code}) ${titleOf(code)}`;
