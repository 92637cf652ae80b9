import { execFileSync } from "node:child_process";
import { aBusiness, aThread } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import { bootTimes, eventTimes, keyTimes, memoryOverAnHour, scriptBytes } from "./console-figures.ts";
import { heapOf, openConsole, skipWithoutBrowser, slowedBy } from "./console-page.ts";
import { quantile, rounded } from "./table.ts";

const businessId = 1;
const userId = 101;
const chats = 200;
const messagesEach = 60;

const limits = {
  scriptKilobytes: 300,
  usableMs: 3_000,
  keyMs: 50,
  messageMs: 150,
  /** The allowed growth of the heap in MB in the second half of an hour of events. */
  growthMb: 3,
} as const;

const threads = Array.from({ length: chats }, (_, n) =>
  aThread(1_001 + n, {
    name: `Cliente ${n + 1}`,
    phone: `591${70_000_000 + n}`,
    state: "pending",
    messages: Array.from({ length: messagesEach }, (_, index) => ({
      direction: index % 3 === 0 ? ("out" as const) : ("in" as const),
      body: `Mensaje ${index + 1} de una conversación como tantas, con algunas palabras más.`,
      author: index % 3 === 0 ? ("user" as const) : ("contact" as const),
      authorName: index % 3 === 0 ? "Ada Admin" : `Cliente ${n + 1}`,
      state: index % 3 === 0 ? "read" : "received",
      at: new Date(Date.now() - (messagesEach - index) * 60_000),
    })),
  }),
);

/** Measures how fast an agent's page starts and reacts on a slow CPU, and how its memory grows in an hour of events. */
const bench: Bench = {
  about: `the console on a CPU slowed ${slowedBy} times, and its memory on the machine's own CPU`,
  run: async (arena) => {
    skipWithoutBrowser();
    execFileSync("make", ["--silent", "console"], { stdio: ["ignore", "inherit", "inherit"] });
    const stage = await arena.stage({ businesses: [aBusiness(businessId, { threads })] });
    const service = await stage.service("dist");
    await stage.pointWebhooksAt(service);
    const token = await stage.sessionToken(userId);
    const says = (n: number, text: string) =>
      stage.control("POST", `/customers/591${70_000_000 + n}/say`, { to: `number-${businessId}`, text });
    const console = await openConsole(service.url, token);
    try {
      arena.say("console: the first view");
      const bytes = await scriptBytes(console);
      const boots = await bootTimes(console);
      arena.say("console: keys and messages at 20 a second");
      const page = await console.page("inbox/1001", { isSlow: true });
      await page.open.getByRole("log").getByText("Mensaje 60", { exact: false }).waitFor();
      const quietKeys = await keyTimes(page);
      const { messages, keys } = await eventTimes(page, says);
      await page.close();
      arena.say("console: an hour of events");
      const looks = await memoryOverAnHour(console, says, heapOf);

      const middle = looks[Math.floor(looks.length / 2)];
      const growth = rounded((looks.at(-1)?.heapMb ?? 0) - (middle?.heapMb ?? 0), 1);
      const rows: [what: string, figure: number, limit: number][] = [
        ["JavaScript before the inbox shows, kB gzip", rounded(bytes / 1_000, 1), limits.scriptKilobytes],
        ["inbox usable, ms (median)", rounded(quantile(boots, 0.5)), limits.usableMs],
        ["key press painted, ms (p95)", rounded(quantile(quietKeys, 0.95)), limits.keyMs],
        ["the same at 20 events a second", rounded(quantile(keys, 0.95)), limits.keyMs],
        ["message shown after its event, ms (p50)", rounded(quantile(messages.shownMs, 0.5)), limits.messageMs],
        ["message shown after its event, ms (p95)", rounded(quantile(messages.shownMs, 0.95)), limits.messageMs],
        ["heap grown in the second half of an hour of events, on the machine's own CPU, MB", growth, limits.growthMb],
      ];
      return {
        tables: [
          {
            title: `The console on a CPU slowed ${slowedBy} times`,
            columns: ["what", "figure", "limit"],
            rows,
          },
          {
            title: "An hour of events, 20 a second, sped up, on the machine's own CPU",
            columns: ["events", "heap MB", "elements"],
            rows: looks.map(({ events, heapMb, elements }) => [events, heapMb, elements]),
          },
        ],
        figures: { rows, looks, limits },
        failures: messages.missing > 0 ? [`console: ${messages.missing} messages were never shown`] : [],
        belowAim: rows
          .filter(([, figure, limit]) => !(figure <= limit))
          .map(([what, figure, limit]) => `console: ${what}: ${figure}, and ${limit} is the limit`),
      };
    } finally {
      await console.close();
      await service.stop();
    }
  },
};
export default bench;
