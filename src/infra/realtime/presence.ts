import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { BusinessEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { OccasionalLog } from "../../kernel/occasional-log.ts";
import { semaphore } from "../../kernel/semaphore.ts";
import type { Client, RealtimeSocket } from "./client.ts";
import type { Peers } from "./peers.ts";
import type { Telling } from "./telling.ts";
import type { SubjectAudience, Visibility } from "./visibility.ts";
import { atOnce } from "./wire.ts";

/** A user, as the others get to see it. */
export interface Colleague {
  readonly id: number;
  readonly name: string;
}

/** What clients tell each other of the subjects that they work on, in the wire's spelling. */
export interface PresenceWords {
  /** What a client emits while its user writes. */
  readonly typing: string;
  /** What a client emits when its user opens a subject, or leaves it. */
  readonly viewing: string;
  /** The subject that a client named; null for none; undefined for what makes no sense. */
  subjectIn(payload: unknown): number | null | undefined;
  toldTyping(subjectId: number, user: Colleague): BusinessEvent;
  toldViewing(subjectId: number, users: readonly Colleague[]): BusinessEvent;
}

export interface PresenceSettings {
  readonly words: PresenceWords;
  readonly visibility: Visibility;
  readonly telling: Telling;
  readonly peers: Pick<Peers, "signal">;
  readonly warnings: OccasionalLog;
}

/** A subject that somebody has open, here or in another process. */
interface Viewed {
  readonly businessId: number;
  readonly id: number;
  audience: SubjectAudience;
  readonly here: Set<Client>;
  readonly elsewhere: Map<string, { readonly users: readonly Colleague[]; readonly until: number }>;
  /** The ids that were told last. */
  told: string;
}

/** What one client is doing. */
interface Desk {
  /** The subject that it named last, when that is still to be looked at. */
  wanted: number | null | undefined;
  isOpening: boolean;
  isTyping: boolean;
  open: Viewed | undefined;
}

/** Who of the sender's clients has a subject open. */
interface Viewing {
  readonly id: number;
  readonly audience: SubjectAudience;
  /** All of them. */
  readonly users: readonly Colleague[];
}

type Signal =
  | { readonly kind: "typing"; readonly id: number; readonly audience: SubjectAudience; readonly user: Colleague }
  | {
      readonly kind: "viewing";
      readonly viewed: readonly Viewing[];
      /** The others are to say who has them open with them. */
      readonly asks: boolean;
    };

const typingPauseMs = 2_000;
/** Of one client: of those that it opens in between only the last counts. */
const viewingPauseMs = 200;
const audienceLifeMs = 5_000;
const mostRemembered = 20_000;
/** What another process said is repeated by it, and forgotten where it is not. */
const repeatMs = 15_000;
const forgetMs = 40_000;
/** A signal names at most so many subjects. */
const viewedPerSignal = 500;

/** Who writes and who looks at what. Nothing of it is kept: a client that comes back says it again. */
export class Presence {
  private readonly viewed = new Map<string, Viewed>();
  private readonly desks = new Map<Client, Desk>();
  /** Who may hear of subjects; null for one that does not exist. */
  private readonly known = new LRUCache<string, { readonly audience: SubjectAudience | null }>({
    max: mostRemembered,
    ttl: audienceLifeMs,
  });
  private readonly typed = new LRUCache<string, true>({ max: mostRemembered, ttl: typingPauseMs });
  private readonly limited = semaphore(4);
  private repeatAt = performance.now() + repeatMs;

  constructor(private readonly settings: PresenceSettings) {}

  /** Programs listen only. */
  welcome(client: Client, socket: RealtimeSocket): void {
    if (client.userId === null) return;
    const desk: Desk = { wanted: undefined, isOpening: false, isTyping: false, open: undefined };
    this.desks.set(client, desk);
    const { words } = this.settings;
    socket.on(words.typing, (payload: unknown) => {
      const id = words.subjectIn(payload);
      if (typeof id === "number" && !desk.isTyping) void this.type(client, desk, id);
    });
    socket.on(words.viewing, (payload: unknown) => {
      const id = words.subjectIn(payload);
      if (id === undefined) return;
      desk.wanted = id;
      if (!desk.isOpening) void this.openWanted(client, desk);
    });
  }

  /** The client is gone. */
  leave(client: Client): void {
    const desk = this.desks.get(client);
    this.desks.delete(client);
    if (desk) this.close(client, desk);
  }

  /** An event said who may hear of the subject from now on. */
  moved(businessId: number, id: number, audience: SubjectAudience): void {
    const key = keyOf(businessId, id);
    this.known.set(key, { audience });
    const viewed = this.viewed.get(key);
    if (!viewed) return;
    viewed.audience = audience;
    for (const client of viewed.here) this.closeHidden(client);
  }

  /** Events were missed: who may hear of what is asked again. */
  forget(): void {
    this.known.clear();
  }

  /** No client of the business is left here, and its events are not heard any more. */
  abandon(businessId: number): void {
    this.forget();
    for (const [key, viewed] of this.viewed) if (viewed.businessId === businessId) this.viewed.delete(key);
  }

  /** The client hears something else than before. */
  viewChanged(client: Client): void {
    this.closeHidden(client);
  }

  /** What another process told with `signal`. */
  hear(businessId: number, sender: string, given: unknown): void {
    const signal = given as Signal;
    const { telling, words } = this.settings;
    if (signal.kind === "typing") {
      telling.now(businessId, signal.audience, words.toldTyping(signal.id, signal.user));
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

  /** Called again and again: repeats to the other processes what they forget otherwise. */
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

  private async type(client: Client, desk: Desk, id: number): Promise<void> {
    const { businessId, userId } = client;
    const key = `${userId} ${keyOf(businessId, id)}`;
    if (this.typed.has(key)) return;
    desk.isTyping = true;
    try {
      const audience = await this.audienceFor(client, id);
      if (!audience || !client.connected || this.typed.has(key)) return;
      this.typed.set(key, true);
      const user = colleague(client);
      const { telling, peers, words } = this.settings;
      telling.now(businessId, audience, words.toldTyping(id, user), client.id);
      peers.signal(businessId, { kind: "typing", id, audience, user } satisfies Signal);
    } catch (error) {
      this.warn(error);
    } finally {
      desk.isTyping = false;
    }
  }

  private async openWanted(client: Client, desk: Desk): Promise<void> {
    desk.isOpening = true;
    while (desk.wanted !== undefined && client.connected) {
      const id = desk.wanted;
      desk.wanted = undefined;
      await this.open(client, desk, id).catch((error) => this.warn(error));
      await sleep(viewingPauseMs, undefined, { ref: false });
    }
    desk.isOpening = false;
  }

  private async open(client: Client, desk: Desk, id: number | null): Promise<void> {
    if (id === null) {
      this.close(client, desk);
      return;
    }
    const audience = await this.audienceFor(client, id);
    if (!audience || !client.connected) return;
    const viewed = this.viewedOf(client.businessId, id, audience);
    if (desk.open !== viewed) this.close(client, desk);
    desk.open = viewed;
    const isNew = !viewed.here.has(client);
    viewed.here.add(client);
    if (isNew) this.tellPeers(viewed.businessId, [viewed], true);
    // Who comes with a second socket changes nothing for the others, and does not know yet.
    if (!this.tell(viewed)) client.send(atOnce(viewed.businessId, this.toldOf(viewed)));
  }

  private close(client: Client, desk: Desk): void {
    const viewed = desk.open;
    desk.open = undefined;
    if (!viewed?.here.delete(client)) return;
    this.tellPeers(viewed.businessId, [viewed], false);
    this.tell(viewed);
  }

  private closeHidden(client: Client): void {
    const desk = this.desks.get(client);
    if (desk?.open && !this.settings.visibility.mayHear(client.view, desk.open.audience)) this.close(client, desk);
  }

  private viewedOf(businessId: number, id: number, audience: SubjectAudience): Viewed {
    const key = keyOf(businessId, id);
    const known = this.viewed.get(key);
    if (known) return known;
    const viewed: Viewed = { businessId, id, audience, here: new Set(), elsewhere: new Map(), told: "" };
    this.viewed.set(key, viewed);
    return viewed;
  }

  /** False where nothing changed. */
  private tell(viewed: Viewed): boolean {
    if (viewed.here.size === 0 && viewed.elsewhere.size === 0) this.viewed.delete(keyOf(viewed.businessId, viewed.id));
    const told = usersOf(viewed)
      .map(({ id }) => id)
      .join();
    if (told === viewed.told) return false;
    viewed.told = told;
    this.settings.telling.now(viewed.businessId, viewed.audience, this.toldOf(viewed));
    return true;
  }

  private toldOf(viewed: Viewed): BusinessEvent {
    return this.settings.words.toldViewing(viewed.id, usersOf(viewed));
  }

  /** Subjects of one business. */
  private tellPeers(businessId: number, subjects: readonly Viewed[], asks: boolean): void {
    for (let start = 0; start < subjects.length; start += viewedPerSignal) {
      const viewed = subjects.slice(start, start + viewedPerSignal).map(({ id, audience, here }) => ({
        ...{ id, audience },
        users: eachOnce([...here].map(colleague)),
      }));
      this.settings.peers.signal(businessId, { kind: "viewing", viewed, asks } satisfies Signal);
    }
  }

  /** Null where the client may not hear of the subject, or there is none. */
  private async audienceFor(client: Client, id: number): Promise<SubjectAudience | null> {
    const key = keyOf(client.businessId, id);
    const { audience } = this.known.get(key) ?? (await this.lookUp(client.businessId, id, key));
    return audience && this.settings.visibility.mayHear(client.view, audience) ? audience : null;
  }

  private async lookUp(businessId: number, id: number, key: string) {
    const found = await this.limited(() => this.settings.visibility.audiences(businessId, [id]));
    // An event said something newer meanwhile.
    const known = this.known.get(key) ?? { audience: found.get(id) ?? null };
    this.known.set(key, known);
    return known;
  }

  private warn(error: unknown): void {
    this.settings.warnings.warn({ err: error }, "What a client works on could not be told");
  }
}

const keyOf = (businessId: number, id: number): string => `${businessId}:${id}`;

const colleague = ({ userId, name }: Client): Colleague => ({ id: userId ?? 0, name });

const eachOnce = (users: readonly Colleague[]): Colleague[] =>
  [...new Map(users.map((user) => [user.id, user])).values()].sort((one, other) => one.id - other.id);

const usersOf = ({ here, elsewhere }: Viewed): Colleague[] =>
  eachOnce([...[...elsewhere.values()].flatMap(({ users }) => users), ...[...here].map(colleague)]);
