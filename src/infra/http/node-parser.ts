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
  remove?: () => void;
  readonly constructor: Readonly<Record<string, unknown>>;
}

const callbacks = ["kOnHeaders", "kOnHeadersComplete", "kOnBody", "kOnMessageComplete"];

const parserOf = (socket: Socket): Parser | null | undefined => (socket as { parser?: Parser | null }).parser;

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
  // Node 26 ignores the change until the next read, but stops at this.
  parser.remove?.();
  // Node uses the parser for another connection then.
  socket.once("close", () => {
    for (const [n, slot] of slots.entries()) parser[slot] = kept[n];
  });
}
