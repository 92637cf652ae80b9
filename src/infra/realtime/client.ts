import type { DefaultEventsMap, Socket } from "socket.io";
import type { Listener } from "./business-feed.ts";
import type { WireEvent } from "./wire.ts";

/** Whom a session token stands for. */
export interface RealtimeIdentity {
  readonly businessId: number;
  readonly userId: number;
  /** When the session ends by itself. */
  readonly expiresAt?: Date;
}

export const hasEnded = ({ expiresAt }: RealtimeIdentity): boolean =>
  expiresAt !== undefined && expiresAt <= new Date();

/** What the handshake found out. */
export interface Admission {
  readonly token: string;
  readonly identity: RealtimeIdentity;
  /** The last number that the client has seen. */
  readonly since: number | undefined;
  /** How often access had been withdrawn anywhere before the token was looked at. */
  readonly accessChanges: number;
}

export type OutgoingEvents = Record<string, (payload: object) => void>;
export type RealtimeSocket = Socket<DefaultEventsMap, OutgoingEvents, DefaultEventsMap, Admission>;

export const roomOf = (businessId: number): string => `business:${businessId}`;

/** One connected socket and what is known of whoever holds it. */
export class Client implements Listener {
  readonly token: string;
  readonly businessId: number;
  readonly userId: number;
  /** The last attempt to ask whether the token is still good did not get an answer. */
  unverified = false;
  private identity: RealtimeIdentity;
  private slow = false;

  constructor(private readonly socket: RealtimeSocket) {
    const { token, identity } = socket.data;
    this.token = token;
    this.businessId = identity.businessId;
    this.userId = identity.userId;
    this.identity = identity;
  }

  get connected(): boolean {
    return this.socket.connected;
  }

  send({ name, payload }: WireEvent): void {
    this.socket.emit(name, payload);
  }

  goLive(): void {
    void this.socket.join(roomOf(this.businessId));
  }

  /** Keeps the client only when the token still stands for the same user. */
  confirm(identity: RealtimeIdentity | null): void {
    this.unverified = false;
    if (identity?.businessId !== this.businessId || identity.userId !== this.userId) this.dismiss();
    else this.identity = identity;
  }

  get hasExpired(): boolean {
    return hasEnded(this.identity);
  }

  /** Asked once per sweep: more than `limit` packets wait for the network, and did the last time. */
  isHopelesslySlow(limit: number): boolean {
    const wasSlow = this.slow;
    // biome-ignore lint/complexity/useLiteralKeys: private in Engine.IO's types, and the only measure there is
    this.slow = this.socket.conn["writeBuffer"].length > limit;
    return wasSlow && this.slow;
  }

  /** For good: the client does not come back by itself. */
  dismiss(): void {
    this.socket.disconnect(true);
  }

  /** As a broken connection: the client comes back by itself and names the last number it saw. */
  drop(): void {
    const { conn } = this.socket;
    conn.close(true);
    // A WebSocket would wait up to 30 s for the client's answer, and keep what it has not sent until then.
    const { socket } = conn.transport as { readonly socket?: { terminate?(): void } };
    socket?.terminate?.();
  }
}
