import type { DefaultEventsMap, Namespace } from "socket.io";
import type { BusinessEvent, LoggedEvent } from "../../kernel/events.ts";
import type { Listener } from "./business-feed.ts";
import { type Admission, type Client, type OutgoingEvents, roomOf } from "./client.ts";
import type { ConnectedClients } from "./connected-clients.ts";
import type { Subject, SubjectAudience, View, Visibility } from "./visibility.ts";
import { atOnce, resync, type WireEvent } from "./wire.ts";

export type RealtimeNamespace = Namespace<DefaultEventsMap, OutgoingEvents, DefaultEventsMap, Admission>;

interface EventSenderSettings {
  readonly namespace: RealtimeNamespace;
  readonly connected: ConnectedClients;
  readonly visibility: Visibility;
  /** Null for an event that sockets do not get. */
  readonly toWire: (event: LoggedEvent) => WireEvent | null;
}

/**
 * Sends events to the clients that may hear them. For a live event, each view is checked once and without the database,
 * and the event is encoded once.
 */
export class EventSender {
  constructor(private readonly settings: EventSenderSettings) {}

  /** Sends a live event, unless the event changes views. Returns the subject of the sent event, if it has one. */
  live(event: LoggedEvent): Subject | null {
    const { visibility, toWire } = this.settings;
    const { businessId } = event;
    // Clients whose view has changed get `resync` instead, after their view was read again.
    if (visibility.viewChangedBy(event) !== null) return null;
    const subject = visibility.subjectOf(event);
    if (!subject) {
      this.emit([roomOf(businessId)], toWire(event));
      return null;
    }
    const gaining: string[] = [];
    const losing: string[] = [];
    for (const { view, room } of this.settings.connected.views(businessId)) {
      if (visibility.mayHear(view, subject.audience)) gaining.push(room);
      else if (couldHear(visibility, view, subject)) losing.push(room);
    }
    if (gaining.length > 0) this.emit(gaining, toWire(event));
    if (losing.length > 0) this.emit(losing, this.goneOf(event, subject));
    return subject;
  }

  resync(businessId: number, number: number): void {
    this.emit([roomOf(businessId)], resync(number));
  }

  /** The events that a client may hear today; null if an event changed the client's view. Makes at most one query. */
  async past(
    businessId: number,
    events: readonly LoggedEvent[],
    { view, userId }: Pick<Listener, "view" | "userId">,
  ): Promise<WireEvent[] | null> {
    const { visibility, toWire } = this.settings;
    const changes = events.map((event) => visibility.viewChangedBy(event)).filter((whose) => whose !== null);
    if (userId !== null && changes.some((whose) => whose === "all" || whose === userId)) return null;
    const told = events.filter((event) => visibility.viewChangedBy(event) === null);
    const all = told.map((event) => ({ event, subject: visibility.subjectOf(event) }));
    const ids = new Set(all.flatMap(({ subject }) => subject?.id ?? []));
    const asks = ids.size > 0 && !visibility.mayHear(view, null);
    const today = asks ? await visibility.audiences(businessId, [...ids]) : new Map<number, SubjectAudience>();
    return all.flatMap(({ event, subject }) => {
      if (!subject || visibility.mayHear(view, today.get(subject.id) ?? null)) return toWire(event) ?? [];
      return couldHear(visibility, view, subject) ? (this.goneOf(event, subject) ?? []) : [];
    });
  }

  /**
   * Sends an event that is not logged. `audience` describes who may hear it.
   *
   * @param exceptUser - the user who caused the event; this user's clients do not get it
   */
  now(businessId: number, audience: SubjectAudience, event: BusinessEvent, exceptUser?: number): void {
    const { connected, visibility } = this.settings;
    const rooms: string[] = [];
    for (const { view, room } of connected.views(businessId)) {
      if (visibility.mayHear(view, audience)) rooms.push(room);
    }
    const own =
      exceptUser === undefined ? [] : connected.clients(businessId).filter(({ userId }) => userId === exceptUser);
    this.emit(rooms, atOnce(businessId, event), own);
  }

  private goneOf(event: LoggedEvent, subject: Subject): WireEvent | null {
    return this.settings.toWire({ ...event, ...this.settings.visibility.gone(subject) });
  }

  private emit(rooms: string[], event: WireEvent | null, except: readonly Client[] = []): void {
    // With an empty list of rooms, Socket.IO would send the event to all clients.
    if (!event || rooms.length === 0) return;
    const others = this.settings.namespace.local.to(rooms).except(except.map(({ id }) => id));
    others.emit(event.name, event.payload);
  }
}

const couldHear = (visibility: Visibility, view: View, { was }: Subject): boolean =>
  was !== null && visibility.mayHear(view, was);
