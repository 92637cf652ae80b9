/** What a hostile client writes to a WebSocket: first `head`, then `body` again and again. */
export interface Flood {
  readonly head?: Buffer;
  readonly body: Buffer;
}

const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame of a client, masked with zeros. */
export function frameOf(
  kind: keyof typeof opcodes,
  payload = "",
  { isLast = true, isCompressed = false } = {},
): Buffer {
  const bytes = Buffer.from(payload);
  const first = (isLast ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcodes[kind];
  return Buffer.concat([Buffer.from([first, ...lengthOf(bytes.length), 0, 0, 0, 0]), bytes]);
}

function lengthOf(bytes: number): number[] {
  if (bytes < 126) return [0x80 | bytes];
  if (bytes < 65_536) return [0x80 | 126, bytes >> 8, bytes & 0xff];
  return [0x80 | 127, 0, 0, 0, 0, bytes >>> 24, (bytes >> 16) & 0xff, (bytes >> 8) & 0xff, bytes & 0xff];
}

/** About 64 kB. */
const many = (frame: Buffer): Buffer => Buffer.concat(Array(Math.ceil(65_536 / frame.length)).fill(frame));

const open = { isLast: false };

export const floods = {
  packets: { body: many(frameOf("text", '40{"token":"rs_x"}')) },
  "tiny binary frames": { body: many(frameOf("binary", "x")) },
  pings: { body: many(frameOf("ping", "?")) },
  pongs: { body: many(frameOf("pong")) },
  "empty parts of a message": { head: frameOf("text", "4", open), body: many(frameOf("more", "", open)) },
  "parts that are too large": { head: frameOf("text", "4", open), body: frameOf("more", "a".repeat(900_000), open) },
  "compressed frames": { body: many(frameOf("text", "4", { isCompressed: true })) },
  "no frames": { body: Buffer.alloc(65_536, 0xff) },
  // Only a server may send this ping. At the first ping of a client, Engine.IO closes the WebSocket and reads no more.
  "pings of Engine.IO": { body: many(frameOf("text", "2")) },
  "frames after the last one": { head: frameOf("close"), body: many(frameOf("text", "4")) },
} satisfies Record<string, Flood>;

export type FloodName = keyof typeof floods;

/** The path and headers with which a client on a bare TCP connection asks for a WebSocket. */
export const upgradePath = "/socket.io/?EIO=4&transport=websocket";
export const upgradeHeaders = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};
