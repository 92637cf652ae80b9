import type { DefaultEventsMap, Socket } from "socket.io";
import type { Listener } from "./business-feed.ts";
import { type Connection, Outbox } from "./outbox.ts";
import type { RealtimeUser, View } from "./visibility.ts";
import type { WireEvent } from "./wire.ts";

export interface RealtimeIdentity {
  readonly businessId: number;
  /** Null for an App Key. */
  readonly userId: number | null;
  readonly keyId?: number;
  /** True for an App Key without the scope `read`, which events require. */
  readonly mayNotRead?: boolean;
  readonly expiresAt?: Date;
}

export const hasEnded = ({ expiresAt }: RealtimeIdentity): boolean =>
  expiresAt !== undefined && expiresAt <= new Date();

export const isSameHolder = (one: RealtimeIdentity, other: RealtimeIdentity): boolean =>
  one.businessId === other.businessId && one.userId === other.userId && one.keyId === other.keyId;

export interface Credential {
  readonly kind: "token" | "key";
  readonly text: string;
}

/** Sent to the client as the reason of `access:ended`. */
type EndReason =
  /** The session was closed or the App Key revoked. */
  | "revoked"
  | "expired"
  | "user_inactive"
  /** The user or App Key already has the maximum number of sockets. */
  | "too_many_connections";

export interface Admission {
  readonly credential: Credential;
  readonly identity: RealtimeIdentity;
  /** Null for an App Key. */
  readonly user: RealtimeUser | null;
  /** The last event number that the client has seen. */
  readonly since: number | undefined;
  /** The value of `Access.changes` before the credential was checked. */
  readonly changes: number;
}

export type OutgoingEvents = Record<string, (payload: object) => void>;
export type RealtimeSocket = Socket<DefaultEventsMap, OutgoingEvents, DefaultEventsMap, Admission>;

export const roomOf = (businessId: number): string => `business:${businessId}`;
export const roomOfView = (businessId: number, { key }: View): string => `business:${businessId}:${key}`;

interface ClientSettings {
  /** The view of App Keys. */
  readonly everything: View;
  readonly roomyBytes: number;
  /** Called before a packet is queued, if it and the waiting packets exceed `roomyBytes`. */
  readonly onQueued: (client: Client, bytes: number, waitingBytes: number) => void;
}

/** A connected socket with its holder. */
export class Client implements Listener {
  readonly credential: Credential;
  readonly businessId: number;
  readonly userId: number | null;
  readonly outbox: Outbox;
  /** True if the client's access could not be checked. The next sweep tries again. */
  unverified = false;
  readonly name: string;
  /** Replaced when a check finds the credential still valid, because its `expiresAt` may have changed. */
  identity: RealtimeIdentity;
  /** True once the client has caught up and gets live events. */
  isLive = false;
  private seen: { readonly view: View; readonly changes: number };

  constructor(
    private readonly socket: RealtimeSocket,
    settings: ClientSettings,
  ) {
    const { credential, identity, user, changes } = socket.data;
    this.credential = credential;
    this.identity = identity;
    this.businessId = identity.businessId;
    this.userId = identity.userId;
    this.name = user?.name ?? "";
    this.seen = { view: user?.view ?? settings.everything, changes };
    const connection = socket.conn as unknown as Connection;
    this.outbox = new Outbox(connection, settings.roomyBytes, (bytes, waiting) =>
      settings.onQueued(this, bytes, waiting),
    );
  }

  /** Also the name of the socket's own room. */
  get id(): string {
    return this.socket.id;
  }

  get connected(): boolean {
    return this.socket.connected;
  }

  get view(): View {
    return this.seen.view;
  }

  send({ name, payload }: WireEvent): void {
    this.socket.emit(name, payload);
  }

  goLive(): void {
    this.isLive = true;
    void this.socket.join([roomOf(this.businessId), roomOfView(this.businessId, this.view)]);
  }

  /** Waits while much is queued; drops a client that reads too slowly. */
  async ready(): Promise<void> {
    if (!this.outbox.isRoomy && !(await this.outbox.roomy())) this.drop();
  }

  /**
   * @param changes - `Access.changes` before `view` was read; a view with a lower value than the current one is ignored
   * @returns whether the view changed
   */
  setView(view: View, changes: number): boolean {
    if (changes < this.seen.changes) return false;
    const before = this.view;
    this.seen = { view, changes };
    if (before.key === view.key) return false;
    if (this.isLive) {
      void this.socket.leave(roomOfView(this.businessId, before));
      void this.socket.join(roomOfView(this.businessId, view));
    }
    return true;
  }

  get hasExpired(): boolean {
    return hasEnded(this.identity);
  }

  /** Disconnects for good: Socket.IO's client does not reconnect after this. */
  end(reason: EndReason): void {
    if (!this.connected) return;
    this.socket.emit("access:ended", { reason });
    this.socket.disconnect(true);
  }

  /** To the client this looks like a broken connection: it reconnects and names the last number it saw. */
  drop(): void {
    const { conn } = this.socket;
    conn.close(true);
    // Otherwise a WebSocket would keep its buffer while it waits up to 30 s for the client to confirm the close.
    const { socket } = conn.transport as { readonly socket?: { terminate?(): void } };
    socket?.terminate?.();
  }
}
