import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { World } from "../support/world.ts";

/** The headless shell comes first: it draws without a GPU process, which takes less of a small machine. */
const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The browser of this machine; undefined where there is none. */
export const chromiumPath = places.find((place) => place !== undefined && place !== "" && existsSync(place));

/** Skips the suite where there is no browser, and says so. */
export function demandBrowser(suite: Mocha.Context): void {
  if (chromiumPath !== undefined) return;
  console.log("      There is no Chromium here: the tests of the console in a browser are skipped.");
  suite.skip();
}

/** The service reads the build when it starts. */
export const buildConsole = (): void => void execFileSync("make", ["--silent", "console"], { stdio: "inherit" });

export const launch = (): Promise<Browser> =>
  // Chromium's own sandbox does not work for root, as CI runs.
  chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });

export interface Seat {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** A browser of its own in which the user is signed in, at a view of the console. */
export async function seatOf(
  browser: Browser,
  world: World,
  userId: number,
  view = "inbox",
  at = world.api,
): Promise<Seat> {
  const context = await browser.newContext({ locale: "es-BO", reducedMotion: "reduce" });
  context.setDefaultTimeout(20_000);
  await context.addCookies([{ name: "recado_session", value: await world.sessionToken(userId), url: at }]);
  const page = await context.newPage();
  await page.goto(`${at}/console/${view}`);
  return { page, context };
}

export interface Line {
  readonly url: string;
  /** Ends every connection, and takes none until it is mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A line between browser and service that can be cut. */
export async function lineTo(api: string): Promise<Line> {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(new URL(api).port), "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const endAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      endAll();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      endAll();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
