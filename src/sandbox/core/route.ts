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
  /** `http://` and the request's Host header, for links in answers. */
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  /** A text is sent as HTML, a `Buffer` as it is, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that replaces the route's usual one, such as a redirection or the bytes of a file. */
export class SpecialAnswer implements Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** The failure of a request. Each platform reports failures in its own form. */
export interface Failure {
  /** The platform's error code; 0 if the platform has no error codes. */
  readonly code: number;
  readonly subcode?: number | undefined;
  /** The HTTP status; when absent, the platform's usual status for the code. */
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

/** A route of the control side: it answers 200 with the result of `handle`, or 400 if `handle` throws `BadInput`. */
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
  /** The largest body in bytes; 1,000,000 when absent. */
  readonly maxBodyBytes?: number;
  /** Returns the body of the answer, or a `SpecialAnswer`. Throws `Refusal` to refuse the request. */
  handle(call: Call): object | Promise<object>;
  /** Headers of the route's answers. A `SpecialAnswer` and the answer of a fault do not get these headers. */
  readonly headers?: (call: Call) => Readonly<Record<string, string>>;
  /** Whether the request is for this route. Routes with this check are tried before routes without. */
  readonly serves?: (request: RequestHead) => boolean;
  /** `countRequest` is called for each request, even with a fault; `countRefusal` for each that `handle` refuses. */
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

/** Whether the query has this value under `name`. A query without `name` matches every value. */
export const matchesQuery = (query: URLSearchParams, name: string, value: string | undefined): boolean =>
  !query.has(name) || query.get(name) === value;
