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
  onIncoming?: () => number;
  readonly _headers: readonly string[];
  remove?: () => void;
  readonly constructor: Readonly<Record<string, unknown>>;
}

type TakeHeaders = (this: Parser, headers: readonly string[], url: string) => void;

const callbacks = ["kOnHeaders", "kOnHeadersComplete", "kOnBody", "kOnMessageComplete"];

const parserOf = (socket: Socket): Parser | null | undefined => (socket as { parser?: Parser | null }).parser;

/**
 * Calls `tooMany` when a head or trailer has more headers than `most`, which must be at least 32, without waiting for
 * its end. Node passes about 32 headers at a time, and takes four times as long for 2,000 headers as for 100.
 */
export function watchHeaders(socket: Socket, most: number, tooMany: () => void): void {
  const parser = parserOf(socket);
  const slot = parser?.constructor.kOnHeaders;
  if (!parser || typeof slot !== "number") return;
  const take = parser[slot] as TakeHeaders;
  parser[slot] = function (this: Parser, headers: readonly string[], url: string) {
    // Names and values of this message.
    if (this._headers.length + headers.length > 2 * most) tooMany();
    else take.call(this, headers, url);
  };
  // Node uses the parser for another connection then.
  socket.once("close", () => {
    parser[slot] = take;
  });
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

const stopped = new WeakSet<Socket>();

/** A parser that is stopped at the last header of a head still begins the request. */
export const isStopped = (socket: Socket): boolean => stopped.has(socket);

/**
 * Nothing more that the connection sends is parsed. Skipping the rest of the current read costs a tenth of parsing it.
 */
export function stopParser(socket: Socket): void {
  const parser = parserOf(socket);
  if (!parser) return;
  stopped.add(socket);
  const slots = callbacks.map((name) => parser.constructor[name]).filter((slot) => typeof slot === "number");
  const kept = slots.map((slot) => parser[slot]);
  for (const slot of slots) parser[slot] = undefined;
  // Node 26 ignores the change until the next read, but stops at this.
  parser.remove?.();
  // Before the listener of `watchHeaders`, which removes what it added to one of these.
  socket.prependOnceListener("close", () => {
    for (const [n, slot] of slots.entries()) parser[slot] = kept[n];
  });
}
