import { RecentMap } from "../core/bounded.ts";
import { isAskedFor } from "../core/route.ts";

const remembered = 100_000;

interface Read {
  readonly phoneNumberId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly times: number;
}

/** Messages of customers that a number said to have read. */
export class Reads {
  private readonly reads = new RecentMap<Read>(remembered);

  add(phoneNumberId: string, messageId: string): void {
    const before = this.reads.get(messageId);
    this.reads.set(messageId, { phoneNumberId, at: before?.at ?? Date.now(), times: (before?.times ?? 0) + 1 });
  }

  list(query: URLSearchParams): object[] {
    return [...this.reads]
      .filter(([messageId]) => isAskedFor(query, "message_id", messageId))
      .map(([messageId, { phoneNumberId, at, times }]) => ({
        ...{ message_id: messageId, phoneNumberId, at: new Date(at).toISOString(), times },
      }));
  }

  clear(): void {
    this.reads.clear();
  }
}
