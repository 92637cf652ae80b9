import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { FrameError, FrameReader, frameOf, opcodes } from "./frames.ts";

const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** A client that does not read what it is sent is cut off when this much waits for it. */
const mostUnsentBytes = 1_000_000;
const closeTimeoutMs = 1_000;
const closeCodes = { normal: 1000, noBinary: 1003, notUtf8: 1007 };

interface Listener {
  onText(text: string): void;
  /** Called once. */
  onClosed(): void;
}

/** The server's end of a WebSocket. */
export class WebSocket {
  listener: Listener = { onText() {}, onClosed() {} };
  private readonly reader = new FrameReader();
  private isClosing = false;

  /** @param head what arrived after the request for the upgrade */
  private constructor(
    private readonly socket: Duplex,
    head: Buffer,
  ) {
    socket.on("error", () => socket.destroy());
    // Connections of an HTTP server stay open for writing when the client leaves.
    socket.on("end", () => socket.destroy());
    socket.once("close", () => this.listener.onClosed());
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    if (head.length > 0) socket.unshift(head);
  }

  /** Answers the request for an upgrade; null when it is none for a WebSocket. */
  static accept({ headers }: IncomingMessage, socket: Duplex, head: Buffer): WebSocket | null {
    const key = headers["sec-websocket-key"];
    const isRight = headers.upgrade?.toLowerCase() === "websocket" && headers["sec-websocket-version"] === "13";
    if (!isRight || key === undefined || Buffer.from(key, "base64").length !== 16) return null;
    const accept = createHash("sha1").update(`${key}${acceptSuffix}`).digest("base64");
    const answer = ["Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`];
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${answer.join("\r\n")}\r\n\r\n`);
    return new WebSocket(socket, head);
  }

  /** @param text less than 64 kB */
  send(text: string): void {
    this.write(opcodes.text, Buffer.from(text));
    if (this.socket.writableLength > mostUnsentBytes) this.destroy();
  }

  close(code: number): void {
    if (this.isClosing) return;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.write(opcodes.close, payload);
    this.isClosing = true;
    this.socket.end();
    const cut = setTimeout(() => this.destroy(), closeTimeoutMs);
    this.socket.once("close", () => clearTimeout(cut));
  }

  destroy(): void {
    this.socket.destroy();
  }

  private write(opcode: number, payload: Buffer): void {
    if (!this.isClosing && this.socket.writable) this.socket.write(frameOf(opcode, payload));
  }

  private take(chunk: Buffer): void {
    if (this.isClosing) return;
    try {
      for (const { opcode, payload } of this.reader.read(chunk)) {
        if (!this.isClosing) this.heed(opcode, payload);
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.close(error.code);
    }
  }

  private heed(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.close) this.close(closeCodes.normal);
    else if (opcode === opcodes.ping) this.write(opcodes.pong, payload);
    else if (opcode === opcodes.binary) this.close(closeCodes.noBinary);
    else if (opcode === opcodes.text) this.listener.onText(textIn(payload));
  }
}

function textIn(payload: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(payload);
  } catch {
    throw new FrameError(closeCodes.notUtf8);
  }
}
