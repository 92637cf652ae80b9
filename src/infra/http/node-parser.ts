import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * The internals of Node that this service needs: no public API stops Node's parser within a read, and a read of 64 kB
 * holds a thousand requests or ten thousand chunks. `test/http/node-parser.test.ts` fails if a version of Node lacks
 * them.
 */
interface Parser {
  /** The callbacks, by the numbers that the constructor has. */
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
 * Calls `tooMany` when a head or trailer has more headers than `most`, which must be at least 32, without waiting for
 * its end. Node passes about 32 headers at a time. It takes four times as long for a head with 2,000 as with 100.
 */
export function watchHeaders(socket: Socket, most: number, tooMany: () => void): void {
  const parser = parserOf(socket);
  const slot = parser?.constructor.kOnHeaders;
  if (!parser || typeof slot !== "number") return;
  watches.set(socket, { most, tooMany });
  // Node uses a parser for one connection after another, sometimes before the earlier connection has closed.
  if (watchedParsers.has(parser)) return;
  watchedParsers.add(parser);
  const take = parser[slot] as TakeHeaders;
  parser[slot] = function (this: Parser, headers: readonly string[], url: string) {
    const watch = this.socket && watches.get(this.socket);
    // Names and values of this message.
    if (watch && this._headers.length + headers.length > 2 * watch.most) watch.tooMany();
    else take.call(this, headers, url);
  };
}

/** The next request of the connection is refused as unreadable without an answer, and nothing after it is parsed. */
export function refuseNextRequest(server: Server, socket: Socket): void {
  const parser = parserOf(socket);
  if (!parser) return;
  parser.onIncoming = () => {
    // Node emits `clientError` now. Without a listener it would close the connection before the earlier answers.
    server.once("clientError", () => {});
    return -1;
  };
}

/**
 * Nothing more that the connection sends is parsed. Skipping the rest of the current read costs a tenth of parsing it.
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
  // Node calls this when another connection may get the parser.
  parser.free = () => {
    for (const [n, slot] of slots.entries()) parser[slot] = kept[n];
    parser.free = free;
    free.call(parser);
  };
}
