import type { CDPSession, Page } from "playwright-core";
import { chromiumPath, launch } from "../console/browser.ts";
import { rounded } from "./table.ts";

/** The factor by which the CPU of a slow page is throttled. */
export const slowedBy = 4;

/** Recorded in the page as `window.noted`. */
export interface Noted {
  /** Milliseconds from navigation to the paint of the chat list; 0 while the list waits for its paint. */
  usableMs?: number;
  /** Milliseconds from key events to the next paint. The browser does not report durations under 16 ms. */
  keyMs: number[];
  /** Maps the number of each text `Marca <number>.` to its paint time, in milliseconds since 1970; 0 until then. */
  shownAt: Record<string, number>;
}

export interface SlowPage {
  readonly open: Page;
  readonly devtools: CDPSession;
  noted(): Promise<Noted>;
  close(): Promise<void>;
}

export interface OpenConsole {
  readonly url: string;
  /** Opens a view in a page with an empty cache. `before` runs before the page loads. */
  page(view: string, how: { isSlow: boolean; before?: (page: Page) => Promise<void> }): Promise<SlowPage>;
  close(): Promise<void>;
}

export function skipWithoutBrowser(): void {
  if (chromiumPath === undefined)
    throw new Error("Chromium is not installed, and the console cannot be measured without it");
}

/** Runs in the page before its own scripts. */
const notes = `
  window.noted = { keyMs: [], shownAt: {} };
  const painted = (then) => requestAnimationFrame(() => setTimeout(then));
  const look = () => {
    if (noted.usableMs === undefined && document.querySelector('[role=list] [role=listitem]')) {
      noted.usableMs = 0;
      painted(() => { noted.usableMs = performance.now(); });
    }
    for (const article of document.querySelectorAll('[role=log] article')) {
      const mark = /Marca (\\d+)\\./.exec(article.textContent)?.[1];
      if (mark === undefined || mark in noted.shownAt) continue;
      noted.shownAt[mark] = 0;
      painted(() => { noted.shownAt[mark] = performance.timeOrigin + performance.now(); });
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') noted.keyMs.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
`;

export async function openConsole(url: string, token: string): Promise<OpenConsole> {
  const browser = await launch();
  return {
    url,
    page: async (view, { isSlow, before }) => {
      const context = await browser.newContext({ locale: "es-BO", viewport: { width: 1_440, height: 900 } });
      await context.addCookies([{ name: "recado_session", value: token, url }]);
      const open = await context.newPage();
      const devtools = await context.newCDPSession(open);
      await devtools.send("Network.enable");
      if (isSlow) await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowedBy });
      await open.addInitScript(notes);
      await before?.(open);
      await open.goto(`${url}/console/${view}`);
      return {
        open,
        devtools,
        noted: () => open.evaluate<Noted>("window.noted"),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/** The page's heap after garbage collection, and the number of the page's elements. */
export async function heapOf({ devtools, open }: SlowPage): Promise<{ heapMb: number; elements: number }> {
  for (let round = 0; round < 3; round += 1) await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const elements = await open.evaluate<number>("document.querySelectorAll('*').length");
  return { heapMb: rounded(usedSize / 2 ** 20, 1), elements };
}
