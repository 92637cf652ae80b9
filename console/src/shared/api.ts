import {
  type Agent,
  type ChatState as ApiChatState,
  type ContactWithChats as ApiContact,
  type Chat,
  createRecadoClient,
  type Mensaje,
  type paths,
} from "../../../client/src/index.ts";

export type { Agent, Chat, paths };
export type Message = Mensaje;
export type ChatState = ApiChatState;
export type Contact = ApiContact;
export type Me = paths["/me"]["get"]["responses"][200]["content"]["application/json"];

const fetchWithin =
  (limitMs: number) =>
  (request: Request): Promise<Response> =>
    fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(limitMs)]) });

/** The browser sends the session cookie, so requests need no other credentials. */
export const api = createRecadoClient({
  baseUrl: location.origin,
  fetch: fetchWithin(30_000),
});

/** For requests with a large body, which takes minutes on a slow connection. */
export const largeBody = { fetch: fetchWithin(180_000) };

/** The service answered with an error: it refused the request (4xx), or it failed (5xx). */
export class Refused extends Error {
  readonly status: number;
  readonly code: string | undefined;
  /** Whether the service repeated the stored answer to an earlier request with the same `Idempotency-Key`. */
  readonly isReplay: boolean;
  /** Whether the answer has `Retry-After`, for instance if an earlier request with the same `Idempotency-Key` runs. */
  readonly isPassing: boolean;
  /** The name of the colleague who took the chat first, if this is the reason of the refusal. */
  readonly holder: string | undefined;
  /** How many records of each kind still use the record, if this prevents its deletion. */
  readonly uses: readonly { readonly tipo: string; readonly cantidad: number }[];

  constructor(status: number, problem: unknown, headers = new Headers()) {
    // The answer of a proxy is not JSON, so `problem` may be anything.
    const { error, message, code, soporte, usos } = Object(problem) as Record<string, unknown>;
    super(String(error ?? message ?? status));
    this.status = status;
    this.isReplay = headers.get("idempotent-replay") === "true";
    this.isPassing = headers.has("retry-after");
    this.code = typeof code === "string" ? code : undefined;
    this.uses = Array.isArray(usos) ? usos : [];
    this.holder = (soporte as { nombre?: string } | undefined)?.nombre;
  }
}

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The JSON variant of an answer with several content types. */
type Json<Data> = Exclude<Data, string>;

/** The data of the answer. Throws `Refused`, or an error of `fetch` if there is no connection. */
export async function answered<Data>(asking: Promise<Answer<Data>>): Promise<NonNullable<Json<Data>>> {
  const { data, error, response } = await asking;
  if (data === undefined || data === null || typeof data === "string")
    throw new Refused(response.status, error, response.headers);
  return data as NonNullable<Json<Data>>;
}
