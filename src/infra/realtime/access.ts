import type { IncomingMessage } from "node:http";
import { cookieIn, sessionCookie } from "../../kernel/cookies.ts";
import { FairGate } from "../../kernel/fair-gate.ts";
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
import { Refused } from "./refusals.ts";
import type { RealtimeUser, View, Visibility } from "./visibility.ts";

/** Null for a token or key that is unknown, expired or revoked. Rejects when that cannot be found out now. */
export type Authenticate = (credential: string) => Promise<RealtimeIdentity | null>;

export interface AccessSettings {
  readonly authenticate: Readonly<Record<Credential["kind"], Authenticate>>;
  readonly visibility: Visibility;
  readonly warnings: OccasionalLog;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Whether it is a page that this service answered itself. */
  readonly isFromOwnOrigin: (request: IncomingMessage) => boolean;
  /** `changes`: see `Client.see`. */
  readonly onView: (client: Client, view: View, changes: number) => void;
}

const longestCredential = 1_000;

/** Looks at what those show who come, and again at what the connected may do when that may have changed. */
export class Access {
  /** What those who come share by their address, and the looks at those who are here. */
  private readonly gate = new FairGate({
    name: "handshakes",
    width: 12,
    widthOfOne: 8,
    queueOfOne: 20_000,
    queue: 40_000,
    waitMs: 10_000,
  });
  /** How often access was withdrawn, or what users see changed, anywhere. */
  private changes = 0;

  constructor(private readonly settings: AccessSettings) {}

  /** Rejects with what the client is told in `connect_error`. */
  async admit(socket: RealtimeSocket): Promise<Admission> {
    const { key, since } = socket.handshake.auth;
    const token = socket.handshake.auth.token ?? this.tokenInCookie(socket.request);
    const kind = key === undefined || key === null ? "token" : "key";
    const text: unknown = kind === "key" ? key : token;
    if (typeof text !== "string" || text === "" || text.length > longestCredential) throw new Refused(kind);
    if (!isOptionalNumber(since)) throw new Refused("since");
    const credential = { kind, text } as const;
    const { changes } = this;
    const found = await this.identify(socket, credential);
    if (!found || hasEnded(found.identity)) throw new Refused(kind);
    if (found.identity.mayNotRead) throw new Refused("scope");
    return { credential, ...found, since: since ?? undefined, changes };
  }

  /** A browser sends the cookie whichever page opens the socket: only those of this service may use it. */
  private tokenInCookie(request: IncomingMessage): string | undefined {
    return this.settings.isFromOwnOrigin(request) ? cookieIn(request.headers.cookie, sessionCookie) : undefined;
  }

  /** Access or views changed somewhere since the client was looked at. */
  hasChangedSince({ changes }: Admission): boolean {
    return changes !== this.changes;
  }

  /** Access was withdrawn: disconnects those of the clients whose token or key is no longer good. */
  async recheck(clients: readonly Client[]): Promise<void> {
    this.changes++;
    await this.verify(clients);
  }

  /** What users may see changed. */
  async lookAgain(clients: readonly Client[]): Promise<void> {
    this.changes++;
    await this.lookAtUsers(clients);
  }

  /** Asks once more about those who could not be asked about. */
  async verifyLeftOver(clients: readonly Client[]): Promise<void> {
    const unverified = clients.filter((client) => client.unverified);
    for (const client of unverified) client.unverified = false;
    await this.verify(unverified);
  }

  /** Asks once per business and once per credential. Who cannot be asked about stays, and is left over. */
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
      const users = await this.gate.pass("here", asked);
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
      const identity = await this.gate.pass("here", () => this.ask(first.credential));
      for (const client of holders) {
        if (identity && !identity.mayNotRead && isSameHolder(identity, client.identity)) client.confirm(identity);
        else client.end(client.hasExpired ? "expired" : "revoked");
      }
    });
  }

  private async asking(clients: readonly Client[], look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.settings.warnings.warn({ err: error }, "What clients may hear could not be checked again");
      for (const client of clients) client.unverified = true;
    }
  }

  private ask({ kind, text }: Credential): Promise<RealtimeIdentity | null> {
    return this.settings.authenticate[kind](text);
  }

  private async identify(socket: RealtimeSocket, credential: Credential): Promise<Holder | null> {
    try {
      return await this.gate.pass(this.settings.addressOf(socket.request), () => this.holderOf(credential));
    } catch (error) {
      this.settings.warnings.warn({ err: error }, "A session token or App Key could not be checked");
      // A refusal would be final for the client; a broken connection makes it try again.
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
  /** Null for a program. */
  readonly user: RealtimeUser | null;
}

const isOptionalNumber = (value: unknown): value is number | null | undefined =>
  value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
