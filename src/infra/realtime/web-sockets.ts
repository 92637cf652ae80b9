import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { refusalDelayMs } from "../../kernel/refusal-delay.ts";

/** Limits of `ws` against clients that send many tiny pieces. Clients of Socket.IO send a packet in one frame. */
const limits = {
  /**
   * A chunk of 64 kB can hold thousands of frames. With `false`, `ws` handles only one message, ping or pong of a
   * connection in each turn of the event loop.
   */
  allowSynchronousEvents: false,
  /** Frames of one message. `ws` reads them without a pause, and empty frames would never exceed the size limit. */
  maxFragments: 64,
  /** Chunks in which one message may arrive. Each takes a few hundred bytes of memory, even if it holds one byte. */
  maxBufferedChunks: 256,
  /** With compression, a few bytes could become a very large message. */
  perMessageDeflate: false,
} satisfies ServerOptions & { maxFragments: number; maxBufferedChunks: number };

/** Bytes that may arrive on a WebSocket after it began to close: room for the few packets that were on their way. */
const mostLateBytes = 64 * 1024;

/** Callbacks about one WebSocket. */
export interface Watch {
  /** A message, ping or pong has arrived. */
  onFrame(): void;
  /** The client still sends much after the WebSocket began to close. */
  onLate(): void;
}

/** The server class for Socket.IO's option `wsEngine`. Calls `watchOf` for each WebSocket before reading from it. */
export const limitedServer = (watchOf: (webSocket: WebSocket) => Watch) =>
  class extends WebSocketServer {
    constructor(options: ServerOptions) {
      super({ ...options, ...limits });
    }

    override handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      done: (webSocket: WebSocket, request: IncomingMessage) => void,
    ): void {
      super.handleUpgrade(request, socket, head, (webSocket, upgraded) => {
        const watch = watchOf(webSocket);
        for (const event of frames) webSocket.on(event, () => watch.onFrame());
        let late = 0;
        // After an error or a close frame, `ws` reads on until the client hangs up, for at most 30 s. It discards these
        // bytes, but reading them takes time, too.
        socket.on("data", (chunk: Buffer) => {
          if (webSocket.readyState === webSocket.OPEN) return;
          late += chunk.length;
          if (late > mostLateBytes) watch.onLate();
        });
        done(webSocket, upgraded);
      });
    }
  };

const frames = ["message", "ping", "pong"] as const;

/** Stops reading at once, but closes the WebSocket later: a client with a closed WebSocket reconnects immediately. */
export function cutOff(webSocket: WebSocket): void {
  webSocket.pause();
  // After an error or a close frame, `ws` resumes the socket in the next tick. Pause it again after that.
  setImmediate(() => webSocket.pause());
  for (const event of frames) webSocket.removeAllListeners(event);
  // The last chunk may hold thousands of frames; do not parse them.
  const { _receiver: receiver } = webSocket as unknown as Internals;
  if (receiver) Object.assign(receiver, { _buffers: [], _bufferedBytes: 0, _write: leaveOut });
  setTimeout(() => webSocket.terminate(), refusalDelayMs()).unref();
}

interface Internals {
  /** Holds bytes that are not parsed yet. `ws` has no public way to discard them. */
  readonly _receiver?: { _buffers?: Buffer[]; _bufferedBytes?: number; _write?: typeof leaveOut };
}

const leaveOut = (_piece: Buffer, _encoding: string, done: () => void): void => done();
