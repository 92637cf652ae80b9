import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface Call {
  readonly method: string;
  /** What stands in the place of the `{names}` of the route's path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** `bytes` as text. */
  readonly body: string;
  /** Scheme and host as the caller wrote them, for links in answers. */
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  /** A text goes out as HTML, a `Buffer` as it is, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is not JSON with the route's usual status: a redirection, or the bytes of a file. */
export class SpecialAnswer implements Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** What goes wrong with a request; each platform words it in its own way. */
export interface Failure {
  /** The platform's own; 0 where it has none. */
  readonly code: number;
  readonly subcode?: number | undefined;
  /** The platform's usual HTTP status for the code when absent. */
  readonly status?: number | undefined;
  readonly message?: string | undefined;
  /** What the platform says besides the message. */
  readonly details?: unknown;
  /** The kind of error, where the platform names one. */
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

/** A route of the control side. It answers 200 with what `handle` returns, or 400 when that throws `BadInput`. */
export interface ControlRoute extends Route {
  /** A line for the index. */
  readonly about: string;
  /** @param input the JSON of the body; an empty object where there is no body */
  handle(input: unknown, call: Call): object | Promise<object>;
}

export const control = (route: Route["route"], about: string, handle: ControlRoute["handle"]): ControlRoute => ({
  route,
  about,
  handle,
});

/** What is known of a request before its body is read. */
export type Asked = Omit<Call, "bytes" | "body">;

export interface PlatformRoute extends Route {
  /** What faults call this route, for instance `messages`. */
  readonly operation: string;
  /** Status of the answer; 200 when absent. */
  readonly status?: number;
  /** More than the usual megabyte, where the route takes files. */
  readonly maxBodyBytes?: number;
  /** The body of the answer, or a `SpecialAnswer`; throws `Refusal` for a request that is refused. */
  handle(call: Call): object | Promise<object>;
  /** Headers of every answer that no fault spoils. */
  readonly headers?: (call: Call) => Readonly<Record<string, string>>;
  /** Whether the request is this route's own; routes that ask come before those that take all. */
  readonly serves?: (request: Asked) => boolean;
  /** Counts every request for this route, also those that a fault keeps from it, and those that are refused. */
  readonly counter?: { countRequest(): void; countRefusal(): void };
}

/** What the control side calls the channels that customers write on. */
export const customerChannels = ["cloud", "page", "photo", "qr", "provider-b"] as const;
export type CustomerChannel = (typeof customerChannels)[number];

/** What customers do on one channel. Input that cannot be used throws `BadInput`. */
export interface CustomerSide {
  /** @param customer the customer's number or id on the channel */
  say(customer: string, input: unknown): Promise<object>;
  react(customer: string, input: unknown): Promise<object>;
}

/** One stand-in: what its clients call, how it is steered, and how it words a failure. */
export interface Platform {
  readonly routes: readonly PlatformRoute[];
  readonly control: readonly ControlRoute[];
  /** The people at the other end of its channels. */
  readonly customers?: Readonly<Partial<Record<CustomerChannel, CustomerSide>>>;
  failure(failure: Failure): Answer;
  /** Takes over the connection of a request for an upgrade; `false` when the request is not its own. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Forgets what happened and goes back to normal behaviour; accounts stay. */
  reset?(): void;
  close?(): void;
}

/** Whether the query names this value under `name`, or nothing at all. */
export const isAskedFor = (query: URLSearchParams, name: string, value: string | undefined): boolean =>
  !query.has(name) || query.get(name) === value;
