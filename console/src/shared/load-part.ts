import { lazyRouteComponent } from "@tanstack/react-router";

/** After this many failures while the service answers, the cause is another one, for example a newer build. */
const mostFailures = 3;
const pausesMs = [500, 1_000, 2_000, 5_000];
const limitMs = 10_000;

/** Loads a part of the console that is a file of its own. Without a connection it waits until the service answers. */
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

/** A screen that is a file of its own. */
export const lazyScreen: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPart(load), name);

async function serviceAnswers(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    await new Promise((over) => setTimeout(over, pausesMs[Math.min(attempt, pausesMs.length - 1)]));
    const answer = await fetch("/version", { signal: AbortSignal.timeout(limitMs) }).catch(() => null);
    if (answer?.ok) return;
  }
}

/** Browsers ask for a style sheet once, and Vite adds each only once. So a failed one is replaced by a copy. */
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
