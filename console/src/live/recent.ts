import type { QueryKey } from "@tanstack/react-query";
import { queryClient } from "../shared/query.ts";

/** Keeps recent events. A list that began to load before an event may lack it, so the event is applied to the list. */
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

  /**
   * When a fetch of a query below `root` ends, applies the events that came during the fetch. They have to be applied
   * again, since a fetch of a further page resets the other pages to their state before the fetch.
   */
  reapply<Data>(root: QueryKey, apply: (data: Data, event: Event, key: QueryKey) => Data): void {
    const begun = new WeakMap<object, number>();
    // The cache calls this listener before the page renders, so the page never shows the data without these events.
    queryClient.getQueryCache().subscribe((change) => {
      const { query } = change;
      const { queryKey: key } = query;
      if (change.type !== "updated" || root.some((part, index) => key[index] !== part)) return;
      if (change.action.type === "fetch") begun.set(query, performance.now());
      const began = begun.get(query);
      if (began === undefined || change.action.type !== "success" || change.action.manual) return;
      const events = this.since(began);
      const data = queryClient.getQueryData<Data>(key);
      if (data === undefined || events.length === 0) return;
      queryClient.setQueryData<Data>(
        key,
        events.reduce<Data>((so, event) => apply(so, event, key), data),
      );
    });
  }
}
