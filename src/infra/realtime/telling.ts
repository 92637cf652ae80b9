import type { DefaultEventsMap, Namespace } from "socket.io";
import type { BusinessEvent, LoggedEvent } from "../../kernel/events.ts";
import type { Listener } from "./business-feed.ts";
import { type Admission, type OutgoingEvents, roomOf } from "./client.ts";
import type { ConnectedClients } from "./connected-clients.ts";
import type { Subject, SubjectAudience, View, Visibility } from "./visibility.ts";
import { atOnce, resync, type WireEvent } from "./wire.ts";

export type RealtimeNamespace = Namespace<DefaultEventsMap, OutgoingEvents, DefaultEventsMap, Admission>;

export interface TellingSettings {
  readonly namespace: RealtimeNamespace;
  readonly connected: ConnectedClients;
  readonly visibility: Visibility;
  /** Null for an event that is not for sockets. */
  readonly toWire: (event: LoggedEvent) => WireEvent | null;
}

/**
 * Gives events to the clients that may hear them. Whether one may is decided once per view, without asking the
 * database, and each event is encoded once for all clients that get the same.
 */
export class Telling {
  constructor(private readonly settings: TellingSettings) {}

  /** Returns the subject of the event, where it has one. */
  live(event: LoggedEvent): Subject | null {
    const { visibility, toWire } = this.settings;
    const { businessId } = event;
    // Who is connected hears of it when its view has been looked at again.
    if (visibility.viewChangedBy(event) !== null) return null;
    const subject = visibility.subjectOf(event);
    if (!subject) {
      this.emit([roomOf(businessId)], toWire(event));
      return null;
    }
    const hearing: string[] = [];
    const losing: string[] = [];
    for (const { view, room } of this.settings.connected.views(businessId)) {
      if (visibility.mayHear(view, subject.audience)) hearing.push(room);
      else if (couldHear(visibility, view, subject)) losing.push(room);
    }
    if (hearing.length > 0) this.emit(hearing, toWire(event));
    if (losing.length > 0) this.emit(losing, this.goneOf(event, subject));
    return subject;
  }

  resync(businessId: number, number: number): void {
    this.emit([roomOf(businessId)], resync(number));
  }

  /** What a client may hear today of events of the past; null where one of them changed that. Asks at most once. */
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

  /** Tells the clients that may hear of the subject of something that is not logged. */
  now(businessId: number, audience: SubjectAudience, event: BusinessEvent, except?: string): void {
    const { connected, visibility } = this.settings;
    const rooms: string[] = [];
    for (const { view, room } of connected.views(businessId)) {
      if (visibility.mayHear(view, audience)) rooms.push(room);
    }
    this.emit(rooms, atOnce(businessId, event), except);
  }

  private goneOf(event: LoggedEvent, subject: Subject): WireEvent | null {
    return this.settings.toWire({ ...event, ...this.settings.visibility.gone(subject) });
  }

  private emit(rooms: string[], event: WireEvent | null, except?: string): void {
    // Without a room it would go to every client of every business.
    if (!event || rooms.length === 0) return;
    const others = this.settings.namespace.local.to(rooms).except(except ?? []);
    others.emit(event.name, event.payload);
  }
}

const couldHear = (visibility: Visibility, view: View, { was }: Subject): boolean =>
  was !== null && visibility.mayHear(view, was);
