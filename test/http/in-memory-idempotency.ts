import { randomUUID } from "node:crypto";
import type { IdempotencyStore, KeyClaim, KeyedRequest, KeyState, StoredAnswer } from "../../src/kernel/idempotency.ts";

interface Known {
  readonly digest: string;
  readonly claim: string;
  /** The artificial age in seconds. */
  age: number;
  answer?: StoredAnswer;
}

type Scope = Pick<KeyedRequest, "businessId" | "operation" | "key">;

const nameOf = ({ businessId, operation, key }: Scope): string => JSON.stringify([businessId, operation, key]);
const oneDay = 86_400;

/** A store whose clock only moves when `age` is called. */
export class InMemoryIdempotencyStore implements IdempotencyStore {
  private readonly keys = new Map<string, Known>();

  constructor(private readonly leaseSeconds = 120) {}

  async begin(request: KeyedRequest): Promise<KeyState> {
    const { businessId, caller, operation } = request;
    const key = `${caller} ${request.key}`;
    const name = nameOf({ businessId, operation, key });
    const digest = Buffer.from(request.digest).toString("hex");
    const known = this.keys.get(name);
    if (!known || known.age > oneDay) {
      const id = randomUUID();
      this.keys.set(name, { digest, claim: id, age: 0 });
      return { kind: "claimed", claim: { businessId, operation, key, id } };
    }
    if (known.digest !== digest) return { kind: "other-request" };
    if (known.answer) return { kind: "answered", answer: structuredClone(known.answer) };
    return { kind: known.age > this.leaseSeconds ? "abandoned" : "in-flight" };
  }

  async finish(claim: KeyClaim, answer: StoredAnswer): Promise<void> {
    const known = this.keys.get(nameOf(claim));
    if (known?.claim === claim.id) known.answer = structuredClone(answer);
  }

  async release(claim: KeyClaim): Promise<void> {
    if (this.keys.get(nameOf(claim))?.claim === claim.id) this.keys.delete(nameOf(claim));
  }

  /** Makes all keys older. */
  age(seconds: number): void {
    for (const known of this.keys.values()) known.age += seconds;
  }

  get size(): number {
    return this.keys.size;
  }
}
