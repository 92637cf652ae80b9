import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { BusinessEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { OccasionalLog } from "../../kernel/occasional-log.ts";
import { semaphore } from "../../kernel/semaphore.ts";
import type { Client, RealtimeSocket } from "./client.ts";
import type { EventSender } from "./event-sender.ts";
import type { Peers } from "./peers.ts";
import type { SubjectAudience, Visibility } from "./visibility.ts";
import { atOnce } from "./wire.ts";

/** A user as shown to others. */
export interface Colleague {
  readonly id: number;
  readonly name: string;
}

/** Translates presence of a feature's subjects, such as chats, to the wire. */
export interface PresenceWords {
  /** The event that a client emits while its user writes. */
  readonly typing: string;
  /** The event that a client emits when its user opens or leaves a subject. */
  readonly viewing: string;
  /** The id of the subject; null for none; undefined for an invalid payload. */
  subjectIn(payload: unknown): number | null | undefined;
  toldTyping(subjectId: number, user: Colleague): BusinessEvent;
  toldViewing(subjectId: number, users: readonly Colleague[]): BusinessEvent;
}

export interface PresenceSettings {
  readonly words: PresenceWords;
  readonly visibility: Visibility;
  readonly events: EventSender;
  readonly peers: Pick<Peers, "signal">;
  readonly warnings: OccasionalLog;
}

/** A subject that is open in this or another process. */
interface Viewed {
  readonly businessId: number;
  readonly id: number;
  audience: SubjectAudience;
  readonly here: Set<Client>;
  readonly elsewhere: Map<string, { readonly users: readonly Colleague[]; readonly until: number }>;
  /** The user ids that clients were told last. */
  told: string;
}

interface ClientPresence {
  /** The subject that the client asked for last; undefined once it was handled. */
  wanted: number | null | undefined;
  isOpening: boolean;
  isTyping: boolean;
  open: Viewed | undefined;
}

/** The users of one process who have a subject open. */
interface Viewing {
  readonly id: number;
  readonly audience: SubjectAudience;
  readonly users: readonly Colleague[];
}

type Signal =
  | { readonly kind: "typing"; readonly id: number; readonly audience: SubjectAudience; readonly user: Colleague }
  | {
      readonly kind: "viewing";
      readonly viewed: readonly Viewing[];
      /** Asks the other processes for their users. */
      readonly asks: boolean;
    };

const typingPauseMs = 2_000;
/** Milliseconds between two changes of one client; only the last one in between counts. */
const viewingPauseMs = 200;
const audienceLifeMs = 5_000;
const mostRemembered = 20_000;
/** Each process repeats its state; the state of a process that stops repeating it expires. */
const repeatMs = 15_000;
const forgetMs = 40_000;
/** The maximum per signal. */
const viewedPerSignal = 500;

/** Who is typing and who has what open. Nothing is stored: clients that reconnect report it again. */
export class Presence {
  private readonly viewed = new Map<string, Viewed>();
  private readonly byClient = new Map<Client, ClientPresence>();
  /** Cached audiences; null for subjects that do not exist. */
  private readonly known = new LRUCache<string, { readonly audience: SubjectAudience | null }>({
    max: mostRemembered,
    ttl: audienceLifeMs,
  });
  private readonly typed = new LRUCache<string, true>({ max: mostRemembered, ttl: typingPauseMs });
  private readonly limited = semaphore(4);
  private repeatAt = performance.now() + repeatMs;

  constructor(private readonly settings: PresenceSettings) {}

  /** App Keys only listen. */
  join(client: Client, socket: RealtimeSocket): void {
    if (client.userId === null) return;
    const own: ClientPresence = { wanted: undefined, isOpening: false, isTyping: false, open: undefined };
    this.byClient.set(client, own);
    const { words } = this.settings;
    socket.on(words.typing, (payload: unknown) => {
      const id = words.subjectIn(payload);
      if (typeof id === "number" && !own.isTyping) void this.type(client, own, id);
    });
    socket.on(words.viewing, (payload: unknown) => {
      const id = words.subjectIn(payload);
      if (id === undefined) return;
      own.wanted = id;
      if (!own.isOpening) void this.openWanted(client, own);
    });
  }

  leave(client: Client): void {
    const own = this.byClient.get(client);
    this.byClient.delete(client);
    if (own) this.close(client, own);
  }

  /** An event changed the audience of the subject. */
  audienceChanged(businessId: number, id: number, audience: SubjectAudience): void {
    const key = keyOf(businessId, id);
    this.known.set(key, { audience });
    const viewed = this.viewed.get(key);
    if (!viewed) return;
    viewed.audience = audience;
    for (const client of viewed.here) this.viewChanged(client);
  }

  /** Closes the subject of the client if it may no longer hear of it. */
  viewChanged(client: Client): void {
    const own = this.byClient.get(client);
    if (own?.open && !this.settings.visibility.mayHear(client.view, own.open.audience)) this.close(client, own);
  }

  /** After missed events: cached audiences may be wrong. */
  forget(): void {
    this.known.clear();
  }

  /** The last client of the business has left, so its events are no longer received here. */
  forgetBusiness(businessId: number): void {
    this.forget();
    for (const [key, viewed] of this.viewed) if (viewed.businessId === businessId) this.viewed.delete(key);
  }

  /** Receives a signal of another process. */
  receive(businessId: number, sender: string, given: unknown): void {
    const signal = given as Signal;
    const { events, words } = this.settings;
    if (signal.kind === "typing") {
      events.now(businessId, signal.audience, words.toldTyping(signal.id, signal.user));
      return;
    }
    const answered: Viewed[] = [];
    for (const { id, audience, users } of signal.viewed) {
      if (users.length === 0 && !this.viewed.has(keyOf(businessId, id))) continue;
      const viewed = this.viewedOf(businessId, id, audience);
      if (users.length === 0) viewed.elsewhere.delete(sender);
      else viewed.elsewhere.set(sender, { users, until: performance.now() + forgetMs });
      if (signal.asks && viewed.here.size > 0) answered.push(viewed);
      this.tell(viewed);
    }
    this.tellPeers(businessId, answered, false);
  }

  /** Call it regularly. Repeats the state to other processes, where it would expire. */
  beat(): void {
    const now = performance.now();
    if (now < this.repeatAt) return;
    this.repeatAt = now + repeatMs;
    const here = [...this.viewed.values()].filter((viewed) => viewed.here.size > 0);
    for (const [businessId, open] of groupBy(here, (viewed) => viewed.businessId)) {
      this.tellPeers(businessId, open, false);
    }
    for (const viewed of this.viewed.values()) {
      for (const [process, { until }] of viewed.elsewhere) if (until < now) viewed.elsewhere.delete(process);
      this.tell(viewed);
    }
  }

  private async type(client: Client, own: ClientPresence, id: number): Promise<void> {
    const { businessId, userId } = client;
    const key = `${userId} ${keyOf(businessId, id)}`;
    if (this.typed.has(key)) return;
    own.isTyping = true;
    try {
      const audience = await this.audienceFor(client, id);
      if (!audience || !client.connected || this.typed.has(key)) return;
      this.typed.set(key, true);
      const user = colleague(client);
      const { events, peers, words } = this.settings;
      events.now(businessId, audience, words.toldTyping(id, user), client.id);
      peers.signal(businessId, { kind: "typing", id, audience, user } satisfies Signal);
    } catch (error) {
      this.warn(error);
    } finally {
      own.isTyping = false;
    }
  }

  private async openWanted(client: Client, own: ClientPresence): Promise<void> {
    own.isOpening = true;
    while (own.wanted !== undefined && client.connected) {
      const id = own.wanted;
      own.wanted = undefined;
      await this.open(client, own, id).catch((error) => this.warn(error));
      await sleep(viewingPauseMs, undefined, { ref: false });
    }
    own.isOpening = false;
  }

  private async open(client: Client, own: ClientPresence, id: number | null): Promise<void> {
    if (id === null) {
      this.close(client, own);
      return;
    }
    const audience = await this.audienceFor(client, id);
    if (!audience || !client.connected) return;
    const viewed = this.viewedOf(client.businessId, id, audience);
    if (own.open !== viewed) this.close(client, own);
    own.open = viewed;
    const isNew = !viewed.here.has(client);
    viewed.here.add(client);
    if (isNew) this.tellPeers(viewed.businessId, [viewed], true);
    // If nothing changed, as with a user's second socket, this client must still be told.
    if (!this.tell(viewed)) client.send(atOnce(viewed.businessId, this.toldOf(viewed)));
  }

  private close(client: Client, own: ClientPresence): void {
    const viewed = own.open;
    own.open = undefined;
    if (!viewed?.here.delete(client)) return;
    this.tellPeers(viewed.businessId, [viewed], false);
    this.tell(viewed);
  }

  private viewedOf(businessId: number, id: number, audience: SubjectAudience): Viewed {
    const key = keyOf(businessId, id);
    const known = this.viewed.get(key);
    if (known) return known;
    const viewed: Viewed = { businessId, id, audience, here: new Set(), elsewhere: new Map(), told: "" };
    this.viewed.set(key, viewed);
    return viewed;
  }

  /** False if nothing changed. */
  private tell(viewed: Viewed): boolean {
    if (viewed.here.size === 0 && viewed.elsewhere.size === 0) this.viewed.delete(keyOf(viewed.businessId, viewed.id));
    const told = usersOf(viewed)
      .map(({ id }) => id)
      .join();
    if (told === viewed.told) return false;
    viewed.told = told;
    this.settings.events.now(viewed.businessId, viewed.audience, this.toldOf(viewed));
    return true;
  }

  private toldOf(viewed: Viewed): BusinessEvent {
    return this.settings.words.toldViewing(viewed.id, usersOf(viewed));
  }

  /** All subjects must be of this business. */
  private tellPeers(businessId: number, subjects: readonly Viewed[], asks: boolean): void {
    for (let start = 0; start < subjects.length; start += viewedPerSignal) {
      const viewed = subjects.slice(start, start + viewedPerSignal).map(({ id, audience, here }) => ({
        ...{ id, audience },
        users: eachOnce([...here].map(colleague)),
      }));
      this.settings.peers.signal(businessId, { kind: "viewing", viewed, asks } satisfies Signal);
    }
  }

  /** Null if the subject does not exist or the client may not hear of it. */
  private async audienceFor(client: Client, id: number): Promise<SubjectAudience | null> {
    const key = keyOf(client.businessId, id);
    const { audience } = this.known.get(key) ?? (await this.lookUp(client.businessId, id, key));
    return audience && this.settings.visibility.mayHear(client.view, audience) ? audience : null;
  }

  private async lookUp(businessId: number, id: number, key: string) {
    const found = await this.limited(() => this.settings.visibility.audiences(businessId, [id]));
    // An event may have set a newer audience meanwhile.
    const known = this.known.get(key) ?? { audience: found.get(id) ?? null };
    this.known.set(key, known);
    return known;
  }

  private warn(error: unknown): void {
    this.settings.warnings.warn({ err: error }, "The presence of a client could not be announced");
  }
}

const keyOf = (businessId: number, id: number): string => `${businessId}:${id}`;

const colleague = ({ userId, name }: Client): Colleague => ({ id: userId ?? 0, name });

const eachOnce = (users: readonly Colleague[]): Colleague[] =>
  [...new Map(users.map((user) => [user.id, user])).values()].sort((one, other) => one.id - other.id);

const usersOf = ({ here, elsewhere }: Viewed): Colleague[] =>
  eachOnce([...[...elsewhere.values()].flatMap(({ users }) => users), ...[...here].map(colleague)]);
