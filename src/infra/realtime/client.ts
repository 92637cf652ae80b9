import type { DefaultEventsMap, Socket } from "socket.io";
import type { Listener } from "./business-feed.ts";
import { type Connection, Outbox } from "./outbox.ts";
import type { RealtimeUser, View } from "./visibility.ts";
import type { WireEvent } from "./wire.ts";

/** Whom a session token or an App Key stands for. */
export interface RealtimeIdentity {
  readonly businessId: number;
  /** Null for a program that acts as the business. */
  readonly userId: number | null;
  /** The App Key of a program. */
  readonly keyId?: number;
  /** An App Key that may not read: events are what the business's chats and orders say. */
  readonly mayNotRead?: boolean;
  /** When the session ends by itself. */
  readonly expiresAt?: Date;
}

export const hasEnded = ({ expiresAt }: RealtimeIdentity): boolean =>
  expiresAt !== undefined && expiresAt <= new Date();

/** Whether both are the same user, or the same App Key, of the same business. */
export const isSameHolder = (one: RealtimeIdentity, other: RealtimeIdentity): boolean =>
  one.businessId === other.businessId && one.userId === other.userId && one.keyId === other.keyId;

/** What a client shows to be let in. */
export interface Credential {
  readonly kind: "token" | "key";
  readonly text: string;
}

/** Why access ends: clients are told. */
export type EndReason =
  /** The session was closed, or the App Key revoked. */
  | "revoked"
  | "expired"
  | "user_inactive"
  /** The user, or the App Key, has as many sockets as one may have. */
  | "too_many_connections";

/** What the handshake found out. */
export interface Admission {
  readonly credential: Credential;
  readonly identity: RealtimeIdentity;
  /** Null for a program. */
  readonly user: RealtimeUser | null;
  /** The last number that the client has seen. */
  readonly since: number | undefined;
  /** How often access or views had changed anywhere before this was found out. */
  readonly changes: number;
}

export type OutgoingEvents = Record<string, (payload: object) => void>;
export type RealtimeSocket = Socket<DefaultEventsMap, OutgoingEvents, DefaultEventsMap, Admission>;

export const roomOf = (businessId: number): string => `business:${businessId}`;
/** The clients of a business that hear the same. */
export const roomOfView = (businessId: number, { key }: View): string => `business:${businessId}:${key}`;

interface ClientSettings {
  /** What a program hears. */
  readonly everything: View;
  readonly roomyBytes: number;
  /** Called while a packet is being added to what waits for the client, where that is more than `roomyBytes`. */
  readonly onCrowded: (client: Client, bytes: number, waitingBytes: number) => void;
}

/** One connected socket and what is known of its holder. */
export class Client implements Listener {
  readonly credential: Credential;
  readonly businessId: number;
  readonly userId: number | null;
  readonly outbox: Outbox;
  /** The last attempt to ask what its holder may still do did not get an answer. */
  unverified = false;
  /** Of a user. */
  readonly name: string;
  private known: RealtimeIdentity;
  private seen: { readonly view: View; readonly changes: number };
  private live = false;

  constructor(
    private readonly socket: RealtimeSocket,
    settings: ClientSettings,
  ) {
    const { credential, identity, user, changes } = socket.data;
    this.credential = credential;
    this.known = identity;
    this.businessId = identity.businessId;
    this.userId = identity.userId;
    this.name = user?.name ?? "";
    this.seen = { view: user?.view ?? settings.everything, changes };
    const connection = socket.conn as unknown as Connection;
    this.outbox = new Outbox(connection, settings.roomyBytes, (bytes, waiting) =>
      settings.onCrowded(this, bytes, waiting),
    );
  }

  /** Its own room, in which it is alone. */
  get id(): string {
    return this.socket.id;
  }

  get connected(): boolean {
    return this.socket.connected;
  }

  get identity(): RealtimeIdentity {
    return this.known;
  }

  /** The token or key still stands for the same holder. */
  confirm(identity: RealtimeIdentity): void {
    this.known = identity;
  }

  get view(): View {
    return this.seen.view;
  }

  /** It gets what is sent to everybody, and missed nothing of it. */
  get isLive(): boolean {
    return this.live;
  }

  send({ name, payload }: WireEvent): void {
    this.socket.emit(name, payload);
  }

  goLive(): void {
    this.live = true;
    void this.socket.join([roomOf(this.businessId), roomOfView(this.businessId, this.view)]);
  }

  /** Waits where much is on its way; a client that takes nothing is dropped. */
  async ready(): Promise<void> {
    if (!this.outbox.isRoomy && !(await this.outbox.roomy())) this.drop();
  }

  /**
   * @param changes - how often access or views had changed when `view` was asked for: an older answer changes nothing
   * @returns whether the client hears something else from now on
   */
  see(view: View, changes: number): boolean {
    if (changes < this.seen.changes) return false;
    const before = this.view;
    this.seen = { view, changes };
    if (before.key === view.key) return false;
    if (this.live) {
      void this.socket.leave(roomOfView(this.businessId, before));
      void this.socket.join(roomOfView(this.businessId, view));
    }
    return true;
  }

  get hasExpired(): boolean {
    return hasEnded(this.identity);
  }

  /** For good: the client is told why, and does not come back by itself. */
  end(reason: EndReason): void {
    if (!this.connected) return;
    this.socket.emit("access:ended", { reason });
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
