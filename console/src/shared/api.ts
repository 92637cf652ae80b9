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

const requestLimitMs = 30_000;

/** Requests carry no credentials of their own: the browser adds the cookie of the session. */
export const api = createRecadoClient({
  baseUrl: location.origin,
  fetch: (request) =>
    fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(requestLimitMs)]) }),
});

/** The service answered, and refused. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string | undefined;
  /** Who has the chat, where somebody else took it. */
  readonly holder: string | undefined;
  /** What uses a record that may therefore not go, and how often. */
  readonly uses: readonly { readonly tipo: string; readonly cantidad: number }[];

  constructor(status: number, problem: unknown) {
    const { error, message, code, soporte, usos } = (typeof problem === "object" ? problem : {}) as Record<
      string,
      unknown
    >;
    super(String(error ?? message ?? status));
    this.status = status;
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

/** An answer that the document has in other types of content, too. */
type Json<Data> = Exclude<Data, string>;

/** What was asked for; throws `Refused` when the service refused, and what `fetch` throws when it was not reached. */
export async function answered<Data>(asking: Promise<Answer<Data>>): Promise<NonNullable<Json<Data>>> {
  const { data, error, response } = await asking;
  if (data === undefined || data === null || typeof data === "string") throw new Refused(response.status, error);
  return data as NonNullable<Json<Data>>;
}
