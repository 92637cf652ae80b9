import { createHmac, randomInt } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { type Fields, fieldsIn, isObject } from "../core/input.ts";
import type { SandboxPusherApp } from "../settings.ts";

/** `data` is the text as it arrived, usually JSON. */
export interface PusherEvent {
  readonly channel: string;
  readonly name: string;
  readonly data: string;
  /** The publisher's connection, which does not get the event. */
  readonly exceptSocket?: string | undefined;
}

interface Subscriber {
  readonly id: string;
  readonly app: SandboxPusherApp;
  readonly socket: WebSocket;
  readonly channels: Set<string>;
}

const limits = { sockets: 100, channelsOfSocket: 100, bytes: 65_535, unsentBytes: 1_000_000 };
/** A client that receives nothing for this many seconds checks whether the host is still there. */
const activityTimeout = 120;
const silenceMs = (activityTimeout + 30) * 1_000;
const oldestProtocol = 5;
const newestProtocol = 7;

export const isChannelName = (name: unknown): name is string =>
  typeof name === "string" && /^[A-Za-z0-9_\-=@,.;]{1,200}$/.test(name);

/** `closeTimeout` is in milliseconds. The library's types do not have it. */
const options: ServerOptions & { readonly closeTimeout: number } = {
  ...{ noServer: true, maxPayload: limits.bytes, closeTimeout: 1_000 },
};

/** The clients that receive events: they use the Pusher protocol over WebSocket. */
export class Subscribers {
  private readonly server = new WebSocketServer(options);
  private readonly connected = new Set<Subscriber>();

  constructor(private readonly apps: readonly SandboxPusherApp[]) {}

  /** Opens a connection at `/app/{key}`. Returns false for other paths. */
  admit(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const [, key, query] = /^\/app\/([^/?]+)(?:\?(.*))?$/.exec(request.url ?? "") ?? [];
    if (key === undefined) return false;
    this.server.handleUpgrade(request, socket, head, (connection) => {
      connection.on("error", () => {});
      this.receive(connection, key, Number(new URLSearchParams(query).get("protocol") ?? Number.NaN));
    });
    return true;
  }

  private receive(connection: WebSocket, key: string, protocol: number): void {
    const app = this.apps.find((each) => each.key === key);
    if (Number.isNaN(protocol)) refuse(connection, 4008, "No protocol version supplied");
    else if (protocol < oldestProtocol || protocol > newestProtocol) {
      refuse(connection, 4007, "Unsupported protocol version");
    } else if (!app) refuse(connection, 4001, `App key ${key.slice(0, 50)} does not exist`);
    else if (this.connected.size >= limits.sockets) refuse(connection, 4100, "Over capacity");
    else this.connect(app, connection);
  }

  publish(app: SandboxPusherApp, { channel, name, data, exceptSocket }: PusherEvent): void {
    for (const subscriber of this.connected) {
      const { socket, channels, id } = subscriber;
      if (subscriber.app !== app || !channels.has(channel) || id === exceptSocket) continue;
      socket.send(JSON.stringify({ event: name, channel, data }));
      // Disconnects a client that does not read its events.
      if (socket.bufferedAmount > limits.unsentBytes) socket.terminate();
    }
  }

  close(): void {
    for (const client of this.server.clients) client.terminate();
  }

  private connect(app: SandboxPusherApp, socket: WebSocket): void {
    const id = `${randomInt(1, 1_000_000)}.${randomInt(1, 1_000_000_000)}`;
    const subscriber: Subscriber = { id, app, socket, channels: new Set() };
    const silence = setTimeout(() => refuse(socket, 4201, "Pong reply not received"), silenceMs);
    this.connected.add(subscriber);
    socket.on("message", (bytes, isBinary) => {
      silence.refresh();
      if (isBinary) socket.close(1003);
      else handle(subscriber, bytes.toString());
    });
    socket.on("close", () => {
      clearTimeout(silence);
      this.connected.delete(subscriber);
    });
    send(socket, "pusher:connection_established", { socket_id: id, activity_timeout: activityTimeout });
  }
}

function handle(subscriber: Subscriber, text: string): void {
  const { event, data } = fieldsIn(text) ?? {};
  const { socket, channels } = subscriber;
  const details = isObject(data) ? data : {};
  if (event === "pusher:ping") send(socket, "pusher:pong", {});
  else if (event === "pusher:subscribe") subscribe(subscriber, details);
  else if (event === "pusher:unsubscribe") {
    if (isChannelName(details.channel)) channels.delete(details.channel);
  } else if (event !== "pusher:pong") sendError(socket, null, "The event is unknown to this host");
}

function subscribe(subscriber: Subscriber, { channel, auth }: Fields): void {
  const { socket, channels } = subscriber;
  const [code, message] = subscriptionError(subscriber, channel, auth);
  if (message !== undefined) sendError(socket, code, message);
  else {
    channels.add(String(channel));
    send(socket, "pusher_internal:subscription_succeeded", {}, String(channel));
  }
}

/** The error's code and message; empty if the client may subscribe. The code is null if the protocol has none. */
function subscriptionError(
  { id, app, channels }: Subscriber,
  channel: unknown,
  auth: unknown,
): [code?: number | null, message?: string] {
  if (!isChannelName(channel)) return [null, "The channel's name is not valid"];
  if (channel.startsWith("presence-")) return [null, "This host has no presence channels"];
  if (channels.size >= limits.channelsOfSocket) return [4100, "Too many channels"];
  if (!channel.startsWith("private-") || auth === proofOf(app, id, channel)) return [];
  return [4009, `Connection not authorized to subscribe to ${channel}`];
}

/** The signature with which an application allows a client to subscribe. */
const proofOf = ({ key, secret }: SandboxPusherApp, socketId: string, channel: string): string =>
  `${key}:${createHmac("sha256", secret).update(`${socketId}:${channel}`).digest("hex")}`;

/** The protocol sends `data` as JSON inside a string, except in errors. */
function send(socket: WebSocket, event: string, data: object, channel?: string): void {
  socket.send(JSON.stringify({ event, channel, data: JSON.stringify(data) }));
}

const sendError = (socket: WebSocket, code: number | null | undefined, message: string): void =>
  socket.send(JSON.stringify({ event: "pusher:error", data: { code, message } }));

function refuse(socket: WebSocket, code: number, message: string): void {
  sendError(socket, code, message);
  socket.close(code);
}
