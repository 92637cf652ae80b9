import createClient, { type Client, type ClientOptions } from "openapi-fetch";
import type { paths } from "./api.ts";

export type * from "./api.ts";
export type { ClientEvents, ServerEvents } from "./events.ts";

/** An App Key acts as its business and is for servers; a session token acts as one user. */
export type Credentials = { readonly key: string } | { readonly token: string };

/** What `openapi-fetch` takes, with who calls. Without credentials only what is open to everybody can be called. */
export type RecadoOptions = Omit<ClientOptions, "headers"> & { readonly credentials?: Credentials };

export type RecadoClient = Client<paths>;

/** A client with a method for each method of HTTP, whose paths, parameters, bodies and answers have types. */
export function createRecadoClient({ credentials, ...options }: RecadoOptions): RecadoClient {
  return createClient<paths>({ ...options, headers: headersOf(credentials) });
}

function headersOf(credentials: Credentials | undefined): Record<string, string> {
  if (credentials === undefined) return {};
  return "key" in credentials ? { "x-api-key": credentials.key } : { authorization: `Bearer ${credentials.token}` };
}
