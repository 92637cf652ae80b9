/** Recent events. They are applied again to lists that began to load before the events and may lack them. */
export class Recent<Event> {
  readonly #kept: { readonly at: number; readonly event: Event }[] = [];
  readonly #limit = 2_000;
  readonly #ageLimitMs = 120_000;

  add(event: Event): void {
    const at = performance.now();
    this.#kept.push({ at, event });
    const first = this.#kept[0];
    if (this.#kept.length > this.#limit || (first && first.at < at - this.#ageLimitMs)) this.#kept.shift();
  }

  since = (at: number): Event[] => this.#kept.filter((one) => one.at >= at).map(({ event }) => event);
}
