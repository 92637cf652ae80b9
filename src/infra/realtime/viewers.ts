import type { BusinessEvent } from "../../kernel/events.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { Client } from "./client.ts";
import type { EventSender } from "./event-sender.ts";
import type { Peers } from "./peers.ts";
import type { Colleague, PresenceWords } from "./presence-words.ts";
import type { SubjectAudience } from "./visibility.ts";
import { atOnce } from "./wire.ts";

export interface ViewersSettings {
  readonly words: Pick<PresenceWords, "toldViewing">;
  readonly events: EventSender;
  readonly peers: Pick<Peers, "signal">;
}

/** A subject that is open in this or another process. */
export interface Viewed {
  readonly businessId: number;
  readonly id: number;
  audience: SubjectAudience;
  readonly here: Set<Client>;
  readonly elsewhere: Map<string, { readonly users: readonly Colleague[]; readonly until: number }>;
  /** The user ids that clients were told last. */
  told: string;
}

/** Tells other processes which users of this process have subjects of one business open. */
export interface ViewingSignal {
  readonly kind: "viewing";
  readonly viewed: readonly {
    readonly id: number;
    readonly audience: SubjectAudience;
    readonly users: readonly Colleague[];
  }[];
  /** Whether other processes shall reply with their own users who have these subjects open. */
  readonly asks: boolean;
}

/** Each process repeats its state every `repeatMs`. Others forget a state that was not repeated for `forgetMs`. */
const repeatMs = 15_000;
const forgetMs = 40_000;
const viewedPerSignal = 500;

/**
 * Knows who has a subject open, in all processes. Sends all changes to clients, and local ones to other processes.
 */
export class Viewers {
  private readonly viewed = new Map<string, Viewed>();
  private repeatAt = performance.now() + repeatMs;

  constructor(private readonly settings: ViewersSettings) {}

  add(client: Client, id: number, audience: SubjectAudience): Viewed {
    const viewed = this.viewedOf(client.businessId, id, audience);
    const isNew = !viewed.here.has(client);
    viewed.here.add(client);
    if (isNew) this.tellPeers(viewed.businessId, [viewed], true);
    // A user's second socket does not change the list of users, so `tell` sends nothing. Only this client gets the list.
    if (!this.tell(viewed)) client.send(atOnce(viewed.businessId, this.toldOf(viewed)));
    return viewed;
  }

  remove(client: Client, viewed: Viewed): void {
    if (!viewed.here.delete(client)) return;
    this.tellPeers(viewed.businessId, [viewed], false);
    this.tell(viewed);
  }

  /** Returns the clients of this process that have the subject open. */
  audienceChanged(businessId: number, id: number, audience: SubjectAudience): Iterable<Client> {
    const viewed = this.viewed.get(subjectKey(businessId, id));
    if (!viewed) return [];
    viewed.audience = audience;
    return viewed.here;
  }

  forgetBusiness(businessId: number): void {
    for (const [key, viewed] of this.viewed) if (viewed.businessId === businessId) this.viewed.delete(key);
  }

  receive(businessId: number, sender: string, signal: ViewingSignal): void {
    const answered: Viewed[] = [];
    for (const { id, audience, users } of signal.viewed) {
      if (users.length === 0 && !this.viewed.has(subjectKey(businessId, id))) continue;
      const viewed = this.viewedOf(businessId, id, audience);
      if (users.length === 0) viewed.elsewhere.delete(sender);
      else viewed.elsewhere.set(sender, { users, until: performance.now() + forgetMs });
      if (signal.asks && viewed.here.size > 0) answered.push(viewed);
      this.tell(viewed);
    }
    this.tellPeers(businessId, answered, false);
  }

  /**
   * Every `repeatMs`, sends this process's state again and drops expired states of other processes. Call it regularly.
   */
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

  private viewedOf(businessId: number, id: number, audience: SubjectAudience): Viewed {
    const key = subjectKey(businessId, id);
    const known = this.viewed.get(key);
    if (known) return known;
    const viewed: Viewed = { businessId, id, audience, here: new Set(), elsewhere: new Map(), told: "" };
    this.viewed.set(key, viewed);
    return viewed;
  }

  /** Sends the list of users if it has changed. Returns false if it has not. */
  private tell(viewed: Viewed): boolean {
    const { businessId, id, here, elsewhere } = viewed;
    if (here.size === 0 && elsewhere.size === 0) this.viewed.delete(subjectKey(businessId, id));
    const told = usersOf(viewed)
      .map((user) => user.id)
      .join();
    if (told === viewed.told) return false;
    viewed.told = told;
    this.settings.events.now(businessId, viewed.audience, this.toldOf(viewed));
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
      this.settings.peers.signal(businessId, { kind: "viewing", viewed, asks } satisfies ViewingSignal);
    }
  }
}

export const subjectKey = (businessId: number, id: number): string => `${businessId}:${id}`;

export const colleague = ({ userId, name }: Client): Colleague => ({ id: userId ?? 0, name });

const eachOnce = (users: readonly Colleague[]): Colleague[] =>
  [...new Map(users.map((user) => [user.id, user])).values()].sort((one, other) => one.id - other.id);

const usersOf = ({ here, elsewhere }: Viewed): Colleague[] =>
  eachOnce([...[...elsewhere.values()].flatMap(({ users }) => users), ...[...here].map(colleague)]);
