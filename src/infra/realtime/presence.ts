import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { OccasionalLog } from "../../kernel/occasional-log.ts";
import { semaphore } from "../../kernel/semaphore.ts";
import type { Client, RealtimeSocket } from "./client.ts";
import type { Colleague, PresenceWords } from "./presence-words.ts";
import { colleague, subjectKey, type Viewed, Viewers, type ViewersSettings, type ViewingSignal } from "./viewers.ts";
import type { SubjectAudience, Visibility } from "./visibility.ts";

interface PresenceSettings extends ViewersSettings {
  readonly words: PresenceWords;
  readonly visibility: Visibility;
  readonly warnings: OccasionalLog;
}

interface ClientPresence {
  /** The waiting request: the id of the subject to open, null to open none. Undefined if no request waits. */
  wanted: number | null | undefined;
  isOpening: boolean;
  isTyping: boolean;
  open: Viewed | undefined;
}

interface TypingSignal {
  readonly kind: "typing";
  readonly id: number;
  readonly audience: SubjectAudience;
  readonly user: Colleague;
}

const typingPauseMs = 2_000;
/** Milliseconds between two changes of what a client has open. Of several requests in between, only the last counts. */
const viewingPauseMs = 200;
const audienceLifeMs = 5_000;
const mostRemembered = 20_000;

/** Who is typing and who has what open. Nothing is stored: a client that reconnects says again what it has open. */
export class Presence {
  private readonly viewers: Viewers;
  private readonly byClient = new Map<Client, ClientPresence>();
  /** Cached audiences; null for subjects that do not exist. */
  private readonly known = new LRUCache<string, { readonly audience: SubjectAudience | null }>({
    max: mostRemembered,
    ttl: audienceLifeMs,
  });
  private readonly typed = new LRUCache<string, true>({ max: mostRemembered, ttl: typingPauseMs });
  private readonly limited = semaphore(4);

  constructor(private readonly settings: PresenceSettings) {
    this.viewers = new Viewers(settings);
  }

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

  audienceChanged(businessId: number, id: number, audience: SubjectAudience): void {
    this.known.set(subjectKey(businessId, id), { audience });
    this.adopt(businessId, id, audience);
  }

  /** Closes the subject for clients that may no longer hear of it. */
  private adopt(businessId: number, id: number, audience: SubjectAudience): void {
    for (const client of this.viewers.audienceChanged(businessId, id, audience)) this.viewChanged(client);
  }

  /** Closes the client's subject if the client may no longer hear of it. */
  viewChanged(client: Client): void {
    const own = this.byClient.get(client);
    if (own?.open && !this.settings.visibility.mayHear(client.view, own.open.audience)) this.close(client, own);
  }

  /** Called after missed events, because cached audiences may be wrong. */
  forget(): void {
    this.known.clear();
  }

  /** Called when the last client of the business has left: this process then gets no more of the business's events. */
  forgetBusiness(businessId: number): void {
    this.forget();
    this.viewers.forgetBusiness(businessId);
  }

  receive(businessId: number, sender: string, given: unknown): void {
    const signal = given as TypingSignal | ViewingSignal;
    const { events, words } = this.settings;
    if (signal.kind === "viewing") this.viewers.receive(businessId, sender, signal);
    else events.now(businessId, signal.audience, words.toldTyping(signal.id, signal.user), signal.user.id);
  }

  /** Repeats this process's state to the other processes when it is time. Call it regularly. */
  beat(): void {
    this.viewers.beat();
  }

  private async type(client: Client, own: ClientPresence, id: number): Promise<void> {
    const { businessId, userId } = client;
    const key = `${userId} ${subjectKey(businessId, id)}`;
    if (this.typed.has(key)) return;
    own.isTyping = true;
    try {
      const audience = await this.audienceFor(client, id);
      if (!audience || !client.connected || this.typed.has(key)) return;
      this.typed.set(key, true);
      const user = colleague(client);
      const { events, peers, words } = this.settings;
      events.now(businessId, audience, words.toldTyping(id, user), user.id);
      peers.signal(businessId, { kind: "typing", id, audience, user } satisfies TypingSignal);
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
    // The client has left its old subject, whether or not it may open the new one.
    if (own.open?.id !== id) this.close(client, own);
    const audience = await this.audienceFor(client, id);
    if (!audience || !client.connected) return;
    own.open = this.viewers.add(client, id, audience);
  }

  private close(client: Client, own: ClientPresence): void {
    const viewed = own.open;
    own.open = undefined;
    if (viewed) this.viewers.remove(client, viewed);
  }

  /** Null if the subject does not exist or the client may not hear of it. */
  private async audienceFor(client: Client, id: number): Promise<SubjectAudience | null> {
    const key = subjectKey(client.businessId, id);
    const { audience } = this.known.get(key) ?? (await this.lookUp(client.businessId, id, key));
    return audience && this.settings.visibility.mayHear(client.view, audience) ? audience : null;
  }

  private async lookUp(businessId: number, id: number, key: string) {
    const found = await this.limited(() => this.settings.visibility.audiences(businessId, [id]));
    // An event may have set a newer audience meanwhile.
    const known = this.known.get(key);
    if (known) return known;
    const audience = found.get(id) ?? null;
    this.known.set(key, { audience });
    // This process may have missed the event that changed the audience.
    if (audience) this.adopt(businessId, id, audience);
    return { audience };
  }

  private warn(error: unknown): void {
    this.settings.warnings.warn({ err: error }, "The presence of a client could not be announced");
  }
}
