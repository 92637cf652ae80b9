import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface Call {
  readonly method: string;
  /** The values of the `{names}` in the route's path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** `bytes` as text. */
  readonly body: string;
  /** `http://` and the host as the caller wrote it, for links in answers. */
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  /** A text is sent as HTML, a `Buffer` as it is, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is not JSON, or has another status than the route's: a redirection, or the bytes of a file. */
export class SpecialAnswer implements Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A failure of a request. Each platform has its own form of it. */
export interface Failure {
  /** The platform's own code; 0 if it has none. */
  readonly code: number;
  readonly subcode?: number | undefined;
  /** The platform's usual HTTP status for the code when absent. */
  readonly status?: number | undefined;
  readonly message?: string | undefined;
  /** Further details in the platform's form. */
  readonly details?: unknown;
  /** The kind of error, if the platform names one. */
  readonly type?: string | undefined;
}

/** A request that the platform refuses. */
export class Refusal extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export interface Route {
  /** Such as `POST /v{version}/{id}/messages`. */
  readonly route: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
}

/** A route of the control side. It answers 200 with the result of `handle`, or 400 if that throws `BadInput`. */
export interface ControlRoute extends Route {
  /** A line for the list of routes. */
  readonly about: string;
  /** @param input - the JSON of the body; an empty object without a body */
  handle(input: unknown, call: Call): object | Promise<object>;
}

export const control = (route: Route["route"], about: string, handle: ControlRoute["handle"]): ControlRoute => ({
  route,
  about,
  handle,
});

/** A request before its body is read. */
export type RequestHead = Omit<Call, "bytes" | "body">;

export interface PlatformRoute extends Route {
  /** The name of this route for faults, such as `messages`. */
  readonly operation: string;
  /** Status of the answer; 200 when absent. */
  readonly status?: number;
  /** Bytes, if the route accepts more than the usual megabyte. */
  readonly maxBodyBytes?: number;
  /** Returns the body of the answer, or a `SpecialAnswer`. Throws `Refusal` to refuse the request. */
  handle(call: Call): object | Promise<object>;
  /** Headers of every answer, except those of faults and a `SpecialAnswer`. */
  readonly headers?: (call: Call) => Readonly<Record<string, string>>;
  /** Whether the request is for this route. Routes with this check come before those that accept every request. */
  readonly serves?: (request: RequestHead) => boolean;
  /** `countRequest` is called for each request, even if a fault hits it, and `countRefusal` for each refused one. */
  readonly counter?: { countRequest(): void; countRefusal?(): void };
}

/** The control side's names of the customers' channels. */
export const customerChannels = ["cloud", "page", "photo", "qr", "provider-b"] as const;
export type CustomerChannel = (typeof customerChannels)[number];

/** The actions of customers on one channel. They throw `BadInput` for invalid input. */
export interface CustomerSide {
  /** @param customer - the customer's number or id on the channel */
  say(customer: string, input: unknown): Promise<object>;
  react(customer: string, input: unknown): Promise<object>;
}

/** The stand-in for one platform: the routes that clients call, its control routes, and its form of failures. */
export interface Platform {
  readonly routes: readonly PlatformRoute[];
  readonly control: readonly ControlRoute[];
  readonly customers?: Readonly<Partial<Record<CustomerChannel, CustomerSide>>>;
  failure(failure: Failure): Answer;
  /** Takes over the connection of an upgrade request; `false` if the request is not for this platform. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Removes all messages and special behaviour; accounts stay. */
  reset?(): void;
  close?(): void;
}

/** Whether the query has this value under `name`, or does not have `name`. */
export const matchesQuery = (query: URLSearchParams, name: string, value: string | undefined): boolean =>
  !query.has(name) || query.get(name) === value;
