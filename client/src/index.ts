import createClient, { type Client, type ClientOptions } from "openapi-fetch";
import type { paths } from "./api.ts";

export type * from "./api.ts";
export type { ClientEvents, ConnectError, Handshake, ServerEvents } from "./events.ts";

/** An App Key acts as its business and is for servers; a session token acts as one user. */
export type Caller = { readonly key: string } | { readonly token: string };

/** What `openapi-fetch` takes, with who calls. Without a caller only what is open to everybody can be called. */
export type RecadoOptions = Omit<ClientOptions, "headers"> & { readonly caller?: Caller };

export type RecadoClient = Client<paths>;

/** A client with a method for each method of HTTP, whose paths, parameters, bodies and answers have types. */
export function createRecadoClient({ caller, ...options }: RecadoOptions): RecadoClient {
  return createClient<paths>({ bodySerializer: serialized, ...options, headers: headersOf(caller) });
}

/** JSON, or a form where a field is a file. */
function serialized(body: unknown): string | FormData {
  const fields = Object.entries(body ?? {});
  if (!fields.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

function headersOf(caller: Caller | undefined): Record<string, string> {
  if (caller === undefined) return {};
  return "key" in caller ? { "x-api-key": caller.key } : { authorization: `Bearer ${caller.token}` };
}
