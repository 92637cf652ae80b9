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
      loadStylesAgain();
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

/** Browsers try a style sheet once, and Vite adds each only once. */
function loadStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]"))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
}
