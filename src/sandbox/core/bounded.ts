/** A queue with constant time for adding and removing; `Array.shift` would move all other items. */
export class Fifo<Item> {
  private items: Item[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  peek(): Item | undefined {
    return this.items[this.head];
  }

  shift(): Item | undefined {
    const item = this.items[this.head];
    if (this.length === 0) return undefined;
    this.head += 1;
    if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  /** Swaps the item at `offset` with the head. */
  promote(offset: number): void {
    const [first, other] = [this.items[this.head], this.items[this.head + offset]];
    if (first === undefined || other === undefined) return;
    this.items[this.head] = other;
    this.items[this.head + offset] = first;
  }

  clear(): void {
    this.items = [];
    this.head = 0;
  }
}

/** Keeps the last `capacity` items. */
export class Ring<Item> {
  private items: Item[] = [];
  private next = 0;

  constructor(private readonly capacity: number) {}

  push(item: Item): void {
    this.items[this.next] = item;
    this.next = (this.next + 1) % this.capacity;
  }

  oldestFirst(): Item[] {
    return [...this.items.slice(this.next), ...this.items.slice(0, this.next)];
  }

  clear(): void {
    this.items = [];
    this.next = 0;
  }
}

/** A map with at most `capacity` keys. It drops the key that was set longest ago. */
export class RecentMap<Value> extends Map<string, Value> {
  constructor(private readonly capacity: number) {
    super();
  }

  override set(key: string, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.size > this.capacity ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}
