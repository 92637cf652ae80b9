import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { World } from "../support/world.ts";

/** The headless shell comes before the full browsers. It has no GPU process, so it needs fewer resources. */
const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The path of this machine's browser, or undefined if it has none. */
export const chromiumPath = places.find((place) => place !== undefined && place !== "" && existsSync(place));

export function skipWithoutBrowser(suite: Mocha.Context): void {
  if (chromiumPath !== undefined) return;
  console.log("      There is no Chromium here: the tests of the console in a browser are skipped.");
  suite.skip();
}

/** Must run before the service starts, because the service reads the build at its start. */
export const buildConsole = (): void => void execFileSync("make", ["--silent", "console"], { stdio: "inherit" });

export const launch = (): Promise<Browser> =>
  // Chromium's sandbox does not work for root, the user in CI.
  chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });

export interface Seat {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** Opens a view of the console in a new browser context in which the user is signed in. */
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

interface CuttableProxy {
  readonly url: string;
  /** Ends all connections, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** A proxy between browser and service whose connections can be cut. */
export async function cuttableProxy(api: string): Promise<CuttableProxy> {
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
    restore: () => {
      isCut = false;
    },
    close: () => {
      endAll();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
