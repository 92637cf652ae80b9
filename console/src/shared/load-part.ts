import { lazyRouteComponent } from "@tanstack/react-router";

/**
 * After this many failures, `loadPart` gives up. The service answered in between, so the connection is not the cause.
 * A newer build may have removed the file.
 */
const mostFailures = 3;
const pausesMs = [500, 1_000, 2_000, 5_000];
const limitMs = 10_000;

/** Loads a part of the console that has its own file. Without a connection, waits until the service answers. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failures = 1; ; failures++) {
    try {
      return await load();
    } catch (error) {
      if (failures === mostFailures) throw error;
      await serviceAnswers();
      await loadStylesAgain();
    }
  }
}

/** A screen that has its own file. */
export const lazyScreen: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPart(load), name);

async function serviceAnswers(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    await new Promise((over) => setTimeout(over, pausesMs[Math.min(attempt, pausesMs.length - 1)]));
    const answer = await fetch("/version", { signal: AbortSignal.timeout(limitMs) }).catch(() => null);
    if (answer?.ok) return;
  }
}

/**
 * Style sheets that failed to load. Vite and the browser do not request them again, so `loadStylesAgain` replaces each
 * link by a copy.
 */
const failedStyles = new Set<HTMLLinkElement>();
document.addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") failedStyles.add(target);
  },
  // Errors of links do not bubble.
  { capture: true },
);

async function loadStylesAgain(): Promise<void> {
  const failed = [...failedStyles];
  failedStyles.clear();
  await Promise.all(
    failed.map(
      (link) =>
        new Promise((settled) => {
          const copy = link.cloneNode() as HTMLLinkElement;
          copy.onload = settled;
          copy.onerror = settled;
          link.replaceWith(copy);
        }),
    ),
  );
}
