import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Internals of Node. They are needed because no public API stops Node's parser within a read, and a read of 64 kB can
 * hold a thousand requests or ten thousand chunks. `test/http/node-parser.test.ts` fails if a version of Node lacks
 * these internals.
 */
interface Parser {
  /** The callbacks. Constants of the constructor, such as `kOnBody`, give their numbers. */
  [slot: number]: unknown;
  /** The connection that the parser reads. */
  readonly socket?: Socket | null;
  onIncoming?: (req: { upgrade?: boolean }) => number;
  readonly _headers: readonly string[];
  remove?: () => void;
  free: () => void;
  readonly constructor: Readonly<Record<string, unknown>>;
}

type TakeHeaders = (this: Parser, headers: readonly string[], url: string) => void;

const callbacks = ["kOnHeaders", "kOnHeadersComplete", "kOnBody", "kOnMessageComplete"];

const parserOf = (socket: Socket): Parser | null | undefined => (socket as { parser?: Parser | null }).parser;

interface Watch {
  readonly most: number;
  readonly tooMany: () => void;
}

const watches = new WeakMap<Socket, Watch>();
const watchedParsers = new WeakSet<Parser>();

/**
 * Calls `tooMany` as soon as a head or trailer has more than `most` headers: a head with 2,000 headers takes Node four
 * times as long as one with 100. `most` must be at least 32, since Node passes about 32 headers at a time.
 */
export function watchHeaders(socket: Socket, most: number, tooMany: () => void): void {
  const parser = parserOf(socket);
  const slot = parser?.constructor.kOnHeaders;
  if (!parser || typeof slot !== "number") return;
  watches.set(socket, { most, tooMany });
  // Node reuses parsers, sometimes before the earlier connection has closed, so this parser may be watched already.
  if (watchedParsers.has(parser)) return;
  watchedParsers.add(parser);
  const take = parser[slot] as TakeHeaders;
  parser[slot] = function (this: Parser, headers: readonly string[], url: string) {
    const watch = this.socket && watches.get(this.socket);
    // Both arrays contain names and values in turn, so each header takes two places.
    if (watch && this._headers.length + headers.length > 2 * watch.most) watch.tooMany();
    else take.call(this, headers, url);
  };
}

/** Makes Node treat the connection's next request as unreadable: it gets no answer, and nothing after it is parsed. */
export function refuseNextRequest(server: Server, socket: Socket): void {
  const parser = parserOf(socket);
  if (!parser) return;
  parser.onIncoming = () => {
    // On -1, Node emits `clientError`. Without a listener, Node would close the connection and lose earlier answers.
    server.once("clientError", () => {});
    return -1;
  };
}

/**
 * Stops parsing what the connection sends. Skipping the rest of the current read costs a tenth of parsing it.
 */
export function stopParser(socket: Socket): void {
  const parser = parserOf(socket);
  if (!parser) return;
  const slots = callbacks.map((name) => parser.constructor[name]).filter((slot) => typeof slot === "number");
  const kept = slots.map((slot) => parser[slot]);
  for (const slot of slots) parser[slot] = undefined;
  // Node 26 notices the changed callbacks only at the next read, but this call stops the parser.
  parser.remove?.();
  // Node calls this if the parser is stopped at the last header of a head. The request, or its upgrade, must not begin.
  parser.onIncoming = (req) => {
    req.upgrade = false;
    return 0;
  };
  const { free } = parser;
  // Node calls `free` when another connection may get the parser, which then needs its callbacks again.
  parser.free = () => {
    for (const [n, slot] of slots.entries()) parser[slot] = kept[n];
    parser.free = free;
    free.call(parser);
  };
}
