import type { IncomingHttpHeaders } from "node:http";

export interface Call {
  readonly method: string;
  /** What stands in the place of the `{names}` of the route's path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Scheme and host as the caller wrote them, for links in answers. */
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  /** A text goes out as HTML, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `/{version}/{id}/messages`; a `{version}` is `v` and a number such as `v23.0`. */
  readonly path: string;
  handle(call: Call): Answer | Promise<Answer>;
}

/** A route of the control side, with a line about it for the index. */
export interface ControlRoute extends Route {
  readonly about: string;
}

export interface PlatformRoute extends Route {
  /** What faults call this route, for instance `messages`. */
  readonly operation: string;
  /** Whether these values of the path are this route's own; routes that ask come before those that take all. */
  readonly serves?: (values: Readonly<Record<string, string>>) => boolean;
  /** Hears of every request for this route, also of those that a fault keeps from it. */
  readonly arrived?: () => void;
}

export interface FailureWish {
  readonly code: number;
  readonly subcode?: number | undefined;
  readonly status?: number | undefined;
  readonly message?: string | undefined;
}

/** One stand-in: what its clients call, how it is steered, and how it words an error. */
export interface Platform {
  readonly routes: readonly PlatformRoute[];
  readonly control: readonly ControlRoute[];
  /** An error in this platform's own words, for faults. */
  failure(wish: FailureWish): Answer;
  /** Forgets what happened and goes back to normal behaviour; accounts stay. */
  reset(): void;
  close(): void;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });

/** Finds the route of a request. */
export class Router<R extends Route & Pick<PlatformRoute, "serves">> {
  private readonly patterns: readonly { readonly route: R; readonly segments: readonly string[] }[];

  constructor(routes: readonly R[]) {
    const choosy = routes.filter(({ serves }) => serves);
    const others = routes.filter(({ serves }) => !serves);
    this.patterns = [...choosy, ...others].map((route) => ({ route, segments: route.path.split("/") }));
  }

  find(method: string | undefined, path: string): { route: R; values: Record<string, string> } | null {
    const given = path.split("/");
    for (const { route, segments } of this.patterns) {
      if (route.method !== method || segments.length !== given.length) continue;
      const values = match(segments, given);
      if (values !== null && route.serves?.(values) !== false) return { route, values };
    }
    return null;
  }
}

function match(segments: readonly string[], given: readonly string[]): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? "";
    if (!segment.startsWith("{")) {
      if (segment !== value) return null;
      continue;
    }
    const name = segment.slice(1, -1);
    if (value === "" || (name === "version" && !/^v\d+\.\d+$/.test(value))) return null;
    values[name] = decoded(value);
  }
  return values;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
