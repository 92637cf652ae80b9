import type { IncomingMessage } from "node:http";
import { FairGate } from "../../kernel/fair-gate.ts";
import { groupBy } from "../../kernel/group-by.ts";
import type { OccasionalLog } from "../../kernel/occasional-log.ts";
import { type Admission, type Client, hasEnded, type RealtimeIdentity, type RealtimeSocket } from "./client.ts";

/** Null for a token that is unknown, expired or revoked. Rejects when that cannot be found out now. */
export type Authenticate = (token: string) => Promise<RealtimeIdentity | null>;

const maxTokenLength = 1_000;

/** Looks at the tokens of those who come, and again at those of the connected when access changed. */
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
  /** How often access was withdrawn anywhere. */
  private changes = 0;

  constructor(
    private readonly authenticate: Authenticate,
    private readonly warnings: OccasionalLog,
    private readonly addressOf: (request: IncomingMessage) => string,
  ) {}

  /** Rejects with what the client is told in `connect_error`. */
  async admit(socket: RealtimeSocket): Promise<Admission> {
    const { token, since } = socket.handshake.auth;
    if (typeof token !== "string" || token === "" || token.length > maxTokenLength) throw new Error("Invalid token");
    if (!isOptionalNumber(since)) throw new Error("Invalid since");
    const accessChanges = this.changes;
    const identity = await this.identify(socket, token);
    if (!identity || hasEnded(identity)) throw new Error("Invalid token");
    return { token, identity, since: since ?? undefined, accessChanges };
  }

  /** Access was withdrawn somewhere since the client's token was looked at. */
  hasChangedSince({ accessChanges }: Admission): boolean {
    return accessChanges !== this.changes;
  }

  /** Access was withdrawn: disconnects those of the clients whose token is no longer good. */
  async recheck(clients: readonly Client[]): Promise<void> {
    this.changes++;
    await this.verify(clients);
  }

  /** Asks once more about those who could not be asked about. */
  async verifyLeftOver(clients: readonly Client[]): Promise<void> {
    const unverified = clients.filter((client) => client.unverified);
    for (const client of unverified) client.unverified = false;
    await this.verify(unverified);
  }

  /** Asks once per token. Who cannot be asked about stays, and is left over. */
  async verify(clients: readonly Client[]): Promise<void> {
    const byToken = groupBy(clients, (client) => client.token);
    await Promise.all([...byToken].map(([token, holders]) => this.verifyToken(token, holders)));
  }

  private async verifyToken(token: string, holders: readonly Client[]): Promise<void> {
    try {
      const identity = await this.gate.pass("here", () => this.authenticate(token));
      for (const client of holders) client.confirm(identity);
    } catch (error) {
      this.warnings.warn({ err: error }, "A session token could not be checked again");
      for (const client of holders) client.unverified = true;
    }
  }

  private async identify(socket: RealtimeSocket, token: string): Promise<RealtimeIdentity | null> {
    try {
      return await this.gate.pass(this.addressOf(socket.request), () => this.authenticate(token));
    } catch (error) {
      this.warnings.warn({ err: error }, "A session token could not be checked");
      // A refusal would be final for the client; a broken connection makes it try again.
      socket.conn.close(true);
      return null;
    }
  }
}

const isOptionalNumber = (value: unknown): value is number | null | undefined =>
  value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
