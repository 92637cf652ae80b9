import type { IncomingMessage } from "node:http";
import { cookieIn, sessionCookie } from "../../kernel/cookies.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { OccasionalLog } from "../../kernel/occasional-log.ts";
import {
  type Admission,
  type Client,
  type Credential,
  hasEnded,
  isSameHolder,
  type RealtimeIdentity,
  type RealtimeSocket,
} from "./client.ts";
import { HandshakeRefused } from "./refusals.ts";
import type { RealtimeUser, View, Visibility } from "./visibility.ts";

/** Null if the token or key is unknown, expired or revoked. Rejects if that cannot be checked now. */
export type Authenticate = (credential: string) => Promise<RealtimeIdentity | null>;

interface AccessSettings {
  readonly authenticate: Readonly<Record<Credential["kind"], Authenticate>>;
  readonly visibility: Visibility;
  readonly warnings: OccasionalLog;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Whether the request comes from a page that this service served. */
  readonly isFromOwnOrigin: (request: IncomingMessage) => boolean;
  /** `changes` is the value of `Access.changes` before `view` was read. */
  readonly onView: (client: Client, view: View, changes: number) => void;
}

const longestCredential = 1_000;

/** Authenticates clients, and checks connected ones again after changes. */
export class Access {
  /** Limits how many handshakes run at a time, in total and per address. Also limits checks of connected clients. */
  private readonly gate = new FairQueue({
    name: "handshakes",
    width: 12,
    widthPerKey: 8,
    queuePerKey: 20_000,
    queue: 40_000,
    waitMs: 10_000,
  });
  /** The number of times that access or views have changed. */
  private changes = 0;

  constructor(private readonly settings: AccessSettings) {}

  /** Rejects with the error for `connect_error`. */
  async admit(socket: RealtimeSocket): Promise<Admission> {
    const { key, since } = socket.handshake.auth;
    const token = socket.handshake.auth.token ?? this.tokenInCookie(socket.request);
    const kind = key === undefined || key === null ? "token" : "key";
    const text: unknown = kind === "key" ? key : token;
    if (typeof text !== "string" || text === "" || text.length > longestCredential) throw new HandshakeRefused(kind);
    if (!isOptionalNumber(since)) throw new HandshakeRefused("since");
    const credential = { kind, text } as const;
    const { changes } = this;
    const found = await this.identify(socket, credential);
    if (!found || hasEnded(found.identity)) throw new HandshakeRefused(kind);
    if (found.identity.mayNotRead) throw new HandshakeRefused("scope");
    return { credential, ...found, since: since ?? undefined, changes };
  }

  /** A browser sends the cookie from any page, so it is accepted only from pages of this service. */
  private tokenInCookie(request: IncomingMessage): string | undefined {
    return this.settings.isFromOwnOrigin(request) ? cookieIn(request.headers.cookie, sessionCookie) : undefined;
  }

  /** Whether anybody's access or view has changed since the check of the client's credential began. */
  hasChangedSince({ changes }: Admission): boolean {
    return changes !== this.changes;
  }

  /** After access was withdrawn: disconnects clients whose token or key is no longer valid. */
  async recheck(clients: readonly Client[]): Promise<void> {
    this.changes++;
    await this.verify(clients);
  }

  async recheckViews(clients: readonly Client[]): Promise<void> {
    this.changes++;
    await this.lookAtUsers(clients);
  }

  /** Checks the clients whose last check could not be made. */
  async verifyLeftOver(clients: readonly Client[]): Promise<void> {
    const unverified = clients.filter((client) => client.unverified);
    for (const client of unverified) client.unverified = false;
    await this.verify(unverified);
  }

  /**
   * Reads the users of each business and checks each credential only once. Clients that cannot be checked stay
   * connected, and the next sweep checks them again.
   */
  async verify(clients: readonly Client[]): Promise<void> {
    await this.lookAtUsers(clients);
    const byCredential = groupBy(
      clients.filter(({ connected }) => connected),
      ({ credential: { kind, text } }) => `${kind} ${text}`,
    );
    await Promise.all([...byCredential.values()].map((holders) => this.verifyCredential(holders)));
  }

  private async lookAtUsers(clients: readonly Client[]): Promise<void> {
    const ofUsers = clients.filter(({ userId }) => userId !== null);
    const byBusiness = groupBy(ofUsers, ({ businessId }) => businessId);
    await Promise.all([...byBusiness].map(([businessId, group]) => this.lookAtUsersOf(businessId, group)));
  }

  private async lookAtUsersOf(businessId: number, clients: readonly Client[]): Promise<void> {
    const { changes } = this;
    const byUser = groupBy(clients, ({ userId }) => userId ?? 0);
    const asked = () => this.settings.visibility.users(businessId, [...byUser.keys()]);
    await this.asking(clients, async () => {
      const users = await this.gate.run("here", asked);
      for (const [userId, holders] of byUser) {
        const user = users.get(userId);
        for (const client of holders) {
          if (user) this.settings.onView(client, user.view, changes);
          else client.end("user_inactive");
        }
      }
    });
  }

  private async verifyCredential(holders: readonly Client[]): Promise<void> {
    const [first] = holders;
    if (!first) return;
    await this.asking(holders, async () => {
      const identity = await this.gate.run("here", () => this.ask(first.credential));
      for (const client of holders) {
        if (identity && !identity.mayNotRead && isSameHolder(identity, client.identity)) client.identity = identity;
        else client.end(client.hasExpired ? "expired" : "revoked");
      }
    });
  }

  private async asking(clients: readonly Client[], look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.settings.warnings.warn({ err: error }, "The access of clients could not be checked again");
      for (const client of clients) client.unverified = true;
    }
  }

  private ask({ kind, text }: Credential): Promise<RealtimeIdentity | null> {
    return this.settings.authenticate[kind](text);
  }

  private async identify(socket: RealtimeSocket, credential: Credential): Promise<Holder | null> {
    try {
      return await this.gate.run(this.settings.addressOf(socket.request), () => this.holderOf(credential));
    } catch (error) {
      this.settings.warnings.warn({ err: error }, "A session token or App Key could not be checked");
      // A refusal would make the client give up. After a broken connection it tries again.
      socket.conn.close(true);
      return null;
    }
  }

  private async holderOf(credential: Credential): Promise<Holder | null> {
    const identity = await this.ask(credential);
    if (!identity || identity.userId === null) return identity && { identity, user: null };
    const { businessId, userId } = identity;
    const user = (await this.settings.visibility.users(businessId, [userId])).get(userId);
    return user ? { identity, user } : null;
  }
}

interface Holder {
  readonly identity: RealtimeIdentity;
  /** Null for an App Key. */
  readonly user: RealtimeUser | null;
}

const isOptionalNumber = (value: unknown): value is number | null | undefined =>
  value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
