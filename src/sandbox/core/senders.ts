import { BadInput } from "./input.ts";

const maxSenders = 10_000;

/** The senders of one platform, by their ids on that platform. */
export class Senders<Sender> {
  private readonly known = new Map<string, Sender>();

  constructor(
    senders: readonly Sender[],
    private readonly idOf: (sender: Sender) => string,
  ) {
    for (const sender of senders) this.put(sender);
  }

  put(sender: Sender): Sender {
    const id = this.idOf(sender);
    if (!this.known.has(id) && this.known.size >= maxSenders) throw new BadInput(`at most ${maxSenders} of a kind`);
    this.known.set(id, sender);
    return sender;
  }

  find(id: string | undefined): Sender | undefined {
    return id === undefined ? undefined : this.known.get(id);
  }

  first(matches: (sender: Sender) => boolean = () => true): Sender | undefined {
    for (const sender of this.known.values()) if (matches(sender)) return sender;
    return undefined;
  }

  some(matches: (sender: Sender) => boolean): boolean {
    return this.first(matches) !== undefined;
  }
}
