import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { startWorld, type World, type WorldSettings } from "../support/world.ts";
import { buildConsole, launch, type Seat, seatOf, skipWithoutBrowser } from "./browser.ts";

interface StageSettings extends WorldSettings {
  /** Stores uploaded files in a temporary folder. */
  readonly keepsMedia?: true;
  /** The size of every signed-in page. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Adds records to the world before the first test. */
  readonly fill?: (world: World) => Promise<void>;
}

/** A world and a browser for one suite. Both start before the suite's tests; reading them earlier throws an error. */
interface Stage {
  readonly world: World;
  readonly browser: Browser;
  /** Opens a page in a new browser context in which the user is signed in. The page is closed after the test. */
  seat(userId: number, view?: string, at?: string): Promise<Page>;
  /** Opens a page in a new browser context without a session. The page is closed after the test. */
  visitor(view?: string, options?: BrowserContextOptions): Promise<Page>;
}

export const wide = { width: 1440, height: 900 } as const;

/** Starts the world and the browser before a suite's tests, and stops both after the tests. A suite calls it once. */
export function setStage({ keepsMedia, viewport, fill, ...options }: StageSettings = {}): Stage {
  let world: World | undefined;
  let browser: Browser | undefined;
  let folder: string | undefined;
  const seats: Pick<Seat, "context">[] = [];

  before(async function () {
    skipWithoutBrowser(this);
    buildConsole();
    if (keepsMedia) folder = await mkdtemp(join(tmpdir(), "recado-console-"));
    const media = folder && { MEDIA_DIR: folder, MEDIA_BASE_URL: "https://media.test/media/" };
    world = await startWorld({ ...options, environment: { ...options.environment, ...media } });
    await fill?.(world);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await world?.stop();
    if (folder) await rm(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const { context } of seats.splice(0)) await context.close();
  });

  const set = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the suite has not begun");
    return part;
  };
  return {
    get world() {
      return set(world);
    },
    get browser() {
      return set(browser);
    },
    async seat(userId, view, at) {
      const opened = await seatOf(set(browser), set(world), userId, view, at);
      seats.push(opened);
      if (viewport) await opened.page.setViewportSize(viewport);
      return opened.page;
    },
    async visitor(view = "", given = {}) {
      const context = await set(browser).newContext({ locale: "es-BO", reducedMotion: "reduce", ...given });
      context.setDefaultTimeout(20_000);
      seats.push({ context });
      const page = await context.newPage();
      await page.goto(`${set(world).api}/console/${view}`);
      return page;
    },
  };
}
