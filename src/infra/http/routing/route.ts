import type { IncomingHttpHeaders } from "node:http";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { AnswerAbout } from "../../../kernel/idempotency.ts";
import type { Scope } from "../../../kernel/scopes.ts";
import type { UploadedFile } from "../middleware/multipart.ts";
import type { SentText } from "../streaming/sent-text.ts";
import type { StreamedArray } from "../streaming/streamed-array.ts";
import type { AuthKind, Callers } from "./caller.ts";
import type { AnyDialect, Dialect } from "./dialect.ts";
import type { LaneName } from "./lanes.ts";
import type { Infer, ObjectSchema, Schema, SomeObjectSchema } from "./schema.ts";

interface Input<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

export interface Call<Params, Query, Body, Caller> extends Input<Params, Query, Body> {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
  readonly url: string;
  readonly isHttps: boolean;
  /** Aborted when the client leaves; for long work. */
  readonly signal: AbortSignal;
}

export type Rules = Readonly<Record<string, string>>;

/** Returned by handlers whose answer is more than JSON with the status 200. */
export class Reply {
  constructor(
    readonly status: number,
    /** Sent as JSON, or unchanged if `type` is given. */
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly type?: string,
    readonly cookies: readonly string[] = [],
  ) {}
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: Schema;
  readonly type?: string;
  /** Further types, which the header `Accept` selects. */
  readonly otherTypes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request before its body is read. */
export interface RequestHead {
  /** Decoded but not validated. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
}

interface RouteOf<Params, Query, Body, Auth extends AuthKind> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** In the router's syntax: `/things/:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** The rules that the API document states for this route, by their numbers. */
  readonly rules?: Rules;
  readonly auth: Auth;
  /**
   * For anonymous routes with large bodies. Runs before the body is read, and throws if the headers do not prove the
   * request's origin. Returns the key under which the memory of the body is counted.
   */
  readonly admitHead?: (head: RequestHead) => Promise<string> | string;
  /** Failures missing from the dialect are answered with `{ error, code }`, as for `key-or-session`. */
  readonly codes?: true;
  readonly params?: Params;
  readonly query?: Query;
  /**
   * `raw` gives the bytes, `multipart` the file of a form and `csv` the text of a CSV file. The last two are streamed:
   * the handler begins before they are complete. With `csv`, even the answer may begin before that.
   */
  readonly body?: Body;
  /** The schema of a `raw` body, only for the document. */
  readonly rawSchema?: Schema;
  /** The content type of a `raw` body, only for the document; JSON unless given. */
  readonly rawType?: string;
  /** Arrays of the body that may be large and become a `StreamedArray`. */
  readonly streams?: readonly string[];
  /** In bytes; the configured limit unless given. */
  readonly bodyLimit?: number;
  /** The scope that an App Key needs; `read` for GET unless given. Users need none. */
  readonly scope?: Auth extends "none" | "session" ? never : Scope;
  readonly forAdministrators?: true;
  /** Accepts the header `Idempotency-Key`. */
  readonly idempotent?: Auth extends "none" ? never : true;
  /** Accepts the header `If-Match`, which the handler reads with `ifMatchOf`. */
  readonly conditional?: true;
  /** `none` for routes that a few addresses call often; `caller` unless given. */
  readonly rateLimit?: "caller" | "none";
  /** The number of requests that one call counts as; 1 unless given. */
  readonly cost?: number;
  /** The kind of slow work, which is limited per process and business. */
  readonly lane?:
    | LaneName
    | ((query: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders) => LaneName | undefined);
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

export type RawBody = "raw" | "multipart" | "csv";

type BodyOf<Body, Streams extends string> = Body extends "raw"
  ? Buffer
  : Body extends "multipart"
    ? UploadedFile
    : Body extends "csv"
      ? SentText
      : [Streams] extends [never]
        ? Infer<Body>
        : Streaming<Infer<Body>, Streams>;

/** The fields of a body; those named by `Streams` are read as streams. */
export type Streaming<Fields, Streams extends string> = {
  [Name in keyof Fields]: Name extends Streams
    ? Fields[Name] extends readonly (infer Element)[]
      ? StreamedArray<Element>
      : never
    : Fields[Name];
};

interface RouteSpec<
  Params extends SomeObjectSchema | undefined,
  Query extends SomeObjectSchema | undefined,
  Body extends SomeObjectSchema | RawBody | undefined,
  Auth extends AuthKind,
  Streams extends string,
> extends RouteOf<Params, Query, Body, Auth> {
  readonly streams?: readonly Streams[];
  /** Checks what a schema cannot express. Runs before the check of `ownBusiness`. */
  complaint?(input: Input<Infer<Params>, Infer<Query>, BodyOf<Body, Streams>>): string | undefined;
  /** For `idempotent` routes: the contact that the answer is about. The stored answer is erased with the contact. */
  about?(input: Input<Infer<Params>, Infer<Query>, BodyOf<Body, Streams>>, reply: Reply): AnswerAbout | null;
  handle(call: Call<Infer<Params>, Infer<Query>, BodyOf<Body, Streams>, Callers[Auth]>): Promise<unknown> | unknown;
}

/** The schema's fields that hold the id of a business, such as `body.businessId`. */
type BusinessFields<Where extends string, S> = S extends { readonly properties: infer Fields }
  ? {
      [F in keyof Fields & string]: Fields[F] extends { "x-entity": "business" } ? `${Where}.${F}` : never;
    }[keyof Fields & string]
  : never;

/** If the input holds a business id, `ownBusiness` must name that field and `dialect` answer `BusinessNotFound`. */
type Guard<Field extends string> = [Field] extends [never]
  ? { readonly ownBusiness?: never; readonly dialect: AnyDialect }
  : { readonly ownBusiness: Field; readonly dialect: Dialect<BusinessNotFound> };

/** A route without its handler's types. */
export interface Route extends RouteOf<ObjectSchema, ObjectSchema, ObjectSchema | RawBody, AuthKind> {
  readonly dialect: AnyDialect;
  /** If this field is not the caller's business, the route throws `BusinessNotFound`. */
  readonly ownBusiness?: string;
  complaint?(input: Input<never, never, never>): string | undefined;
  about?(input: Input<never, never, never>, reply: Reply): AnswerAbout | null;
  handle(call: Call<never, never, never, never>): Promise<unknown> | unknown;
}

/** The scope that an App Key needs; undefined if the route takes no key. */
export function scopeOf({ auth, scope, method, operationId }: Route): Scope | undefined {
  if (auth === "none" || auth === "session") return undefined;
  const needed = scope ?? (method === "get" ? "read" : undefined);
  if (needed === undefined) throw new Error(`${operationId} does not say which scope it takes`);
  return needed;
}

/** Whether failures missing from the dialect are answered with `{ error, code }` instead of `{ message }`. */
export const saysCodes = ({ auth, codes }: Pick<Route, "auth" | "codes">): boolean =>
  auth === "key-or-session" || codes === true;

export function defineRoute<
  const Auth extends AuthKind,
  const Params extends SomeObjectSchema | undefined = undefined,
  const Query extends SomeObjectSchema | undefined = undefined,
  const Body extends SomeObjectSchema | RawBody | undefined = undefined,
  const Streams extends string = never,
>(
  spec: RouteSpec<Params, Query, Body, Auth, Streams> &
    Guard<BusinessFields<"params", Params> | BusinessFields<"query", Query> | BusinessFields<"body", Body>>,
): Route {
  return spec as unknown as Route;
}
