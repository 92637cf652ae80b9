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

export interface Input<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

export interface Call<Params, Query, Body, Caller> extends Input<Params, Query, Body> {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
  /** Path and query, as they were called. */
  readonly url: string;
  readonly isHttps: boolean;
  /** Aborted when the client breaks off before it has the whole answer: for work that takes long. */
  readonly signal: AbortSignal;
}

/** What a handler answers when it is not simply 200 with a JSON body. */
export class Reply {
  constructor(
    readonly status: number,
    /** Sent as JSON; with `type` given, as it is. */
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly type?: string,
    /** Each a whole `Set-Cookie`. */
    readonly cookies: readonly string[] = [],
  ) {}
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: Schema;
  readonly type?: string;
  /** What else it can be, as the header `Accept` says. */
  readonly otherTypes?: readonly string[];
  /** What each header says, by its name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is known of a request before its body. */
export interface RequestHead {
  /** Decoded, and not checked. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
}

interface RouteOf<Params, Query, Body, Auth extends AuthKind> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** In the router's notation, `/things/:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** The rules of the operation, numbered as comments cite them. */
  readonly rules?: readonly (readonly [number: string, rule: string])[];
  readonly auth: Auth;
  /**
   * Of routes without `auth` that take large bodies: throws for a request whose head does not prove where it comes from,
   * before anything of its body is read. Returns whose share of memory the body counts against.
   */
  readonly admitHead?: (head: RequestHead) => Promise<string> | string;
  /** Refusals on the way to it are `{ error, code }`, as they are for every `key-or-session`. */
  readonly codes?: true;
  readonly params?: Params;
  readonly query?: Query;
  /**
   * `raw` hands over the bytes as they came, `multipart` the one file of a form while it arrives, `csv` the text of a CSV
   * file while it arrives; its handler may answer with a stream while it reads on.
   */
  readonly body?: Body;
  /** What a `raw` body holds, for the document alone: nothing is checked by it. */
  readonly rawSchema?: Schema;
  /** The type of a body that `rawSchema` describes; JSON unless given. */
  readonly rawType?: string;
  /** Arrays of the body that may be large: its handler gets each as a `StreamedArray`. */
  readonly streams?: readonly string[];
  /** Bytes; the configured default otherwise. */
  readonly bodyLimit?: number;
  /** What an App Key must be good for: `read` for GET unless given. Users are bound by their roles alone. */
  readonly scope?: Auth extends "none" | "session" ? never : Scope;
  /** Users of other roles are refused: 403 with the code `forbidden`. */
  readonly forAdministrators?: true;
  /** Takes the header `Idempotency-Key`, whose keys are those of the caller. */
  readonly idempotent?: Auth extends "none" ? never : true;
  /** Takes the header `If-Match`, which its handler reads with `ifMatchOf`. */
  readonly conditional?: true;
  /** Whose rate its requests count against: the caller's unless given; `none` where few addresses ask for many. */
  readonly rateLimit?: "caller" | "none";
  /** How many requests it counts for in the rate of its caller; 1 unless given. */
  readonly cost?: number;
  /** The slow work that it is: only so much of a kind runs at a time, shared among businesses. */
  readonly lane?:
    | LaneName
    | ((query: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders) => LaneName | undefined);
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

/** Bodies that no schema describes. */
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

type Streaming<Fields, Streams extends string> = {
  [Name in keyof Fields]: Name extends Streams
    ? Fields[Name] extends readonly (infer Element)[]
      ? StreamedArray<Element>
      : never
    : Fields[Name];
};

export interface RouteSpec<
  Params extends SomeObjectSchema | undefined,
  Query extends SomeObjectSchema | undefined,
  Body extends SomeObjectSchema | RawBody | undefined,
  Auth extends AuthKind,
  Streams extends string,
> extends RouteOf<Params, Query, Body, Auth> {
  readonly streams?: readonly Streams[];
  /** What no schema can say of the input: the complaint about it, looked for before the business is. */
  complaint?(input: Input<Infer<Params>, Infer<Query>, BodyOf<Body, Streams>>): string | undefined;
  /** Of an `idempotent` operation: whom its answer speaks of, with whose data it is erased; null for no contact. */
  about?(input: Input<Infer<Params>, Infer<Query>, BodyOf<Body, Streams>>, reply: Reply): AnswerAbout | null;
  handle(call: Call<Infer<Params>, Infer<Query>, BodyOf<Body, Streams>, Callers[Auth]>): Promise<unknown> | unknown;
}

/** The fields of a schema that hold the id of a business: `body.businessId`. */
type BusinessFields<Where extends string, S> = S extends { readonly properties: infer Fields }
  ? {
      [F in keyof Fields & string]: Fields[F] extends { "x-entity": "business" } ? `${Where}.${F}` : never;
    }[keyof Fields & string]
  : never;

/** A route that names a business says in which field, and words what it answers where it is not the caller's. */
type Guard<Field extends string> = [Field] extends [never]
  ? { readonly ownBusiness?: never; readonly dialect: AnyDialect }
  : { readonly ownBusiness: Field; readonly dialect: Dialect<BusinessNotFound> };

/** A route as the router, the document and the isolation test see it. */
export interface Route extends RouteOf<ObjectSchema, ObjectSchema, ObjectSchema | RawBody, AuthKind> {
  readonly dialect: AnyDialect;
  /** The field that names a business: any other than the caller's is `BusinessNotFound`. */
  readonly ownBusiness?: string;
  complaint?(input: Input<never, never, never>): string | undefined;
  about?(input: Input<never, never, never>, reply: Reply): AnswerAbout | null;
  handle(call: Call<never, never, never, never>): Promise<unknown> | unknown;
}

/** What an App Key must be good for to call this; undefined where no key is taken. */
export function scopeOf({ auth, scope, method, operationId }: Route): Scope | undefined {
  if (auth === "none" || auth === "session") return undefined;
  const needed = scope ?? (method === "get" ? "read" : undefined);
  if (needed === undefined) throw new Error(`${operationId} does not say which scope it takes`);
  return needed;
}

/**
 * Operations beyond the specification's endpoints, which take an App Key or a session token, or say so themselves: what
 * turns a request away on its way to one of them is `{ error, code }`, not `{ message }`.
 */
export const saysCodes = ({ auth, codes }: Pick<Route, "auth" | "codes">): boolean =>
  auth === "key-or-session" || codes === true;

/** Types the handler by the route's schemas. */
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
