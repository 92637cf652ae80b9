import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocketRoute } from "playwright-core";
import { eventually } from "../support/wait.ts";
import type { Noted, OpenConsole, SlowPage } from "./console-page.ts";

type Says = (customer: number, text: string) => Promise<unknown>;

const boots = 5;
const keys = 60;
const keyPauseMs = 60;
const perSecond = 20;
const seconds = 10;
/** Of every `otherChats` messages, one is for the open chat. */
const otherChats = 4;
const patienceMs = 60_000;
/** In milliseconds. The browser does not report a shorter time from a key press to the paint. */
const shortestToldMs = 16;

/** The compressed bytes of the scripts that are loaded before the chat list appears. */
export async function scriptBytes({ page, url }: OpenConsole): Promise<number> {
  const scripts = new Set<string>();
  const opened = await page("inbox", {
    isSlow: false,
    before: async (open) => {
      open.on("request", (request) => {
        if (request.resourceType() === "script") scripts.add(new URL(request.url()).pathname);
      });
    },
  });
  await usable(opened);
  await opened.close();
  const sizes = await Promise.all([...scripts].map((path) => packedSize(url + path)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const packedSize = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = http.get(url, { headers: { "accept-encoding": "gzip" }, timeout: patienceMs }, (answer) => {
      let size = 0;
      answer.on("data", (part: Buffer) => {
        size += part.length;
      });
      answer.on("end", () => resolve(size));
    });
    request.on("error", reject).on("timeout", () => request.destroy(new Error("no answer")));
  });

const usable = (page: SlowPage): Promise<number> =>
  eventually(async () => {
    const { usableMs } = await page.noted();
    return usableMs !== undefined && usableMs > 0 && usableMs;
  }, patienceMs);

/** Milliseconds from navigation to the chat list, with an empty cache each time. */
export async function bootTimes({ page }: OpenConsole): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < boots; round += 1) {
    const opened = await page("inbox", { isSlow: true });
    times.push(await usable(opened));
    await opened.close();
  }
  return times;
}

/** Milliseconds from each key press to the next paint. */
export async function keyTimes(page: SlowPage): Promise<number[]> {
  const before = (await page.noted()).keyMs.length;
  const field = page.open.getByRole("textbox", { name: "Mensaje" });
  await field.focus();
  for (let key = 0; key < keys; key += 1) {
    await page.open.keyboard.press(key % 6 === 5 ? "Space" : "a");
    await sleep(keyPauseMs);
  }
  await sleep(1_000);
  const told = (await page.noted()).keyMs.slice(before);
  await field.fill("");
  return [...told, ...Array.from({ length: Math.max(0, keys - told.length) }, () => shortestToldMs)];
}

interface EventTimes {
  readonly messages: { readonly shownMs: number[]; readonly missing: number };
  readonly keys: number[];
}

/** Milliseconds from the arrival of a message's event to its paint while the user types. */
export async function eventTimes(page: SlowPage, says: Says): Promise<EventTimes> {
  const arrivedAt = new Map<string, number>();
  // The events' `timestamp` counts from an unknown moment. Requests also have the wall time, which reveals that moment.
  let epoch: number | undefined;
  page.devtools.on("Network.requestWillBeSent", ({ timestamp, wallTime }) => {
    epoch ??= wallTime - timestamp;
  });
  page.devtools.on("Network.webSocketFrameReceived", ({ timestamp, response }) => {
    const mark = /"message:new".*Marca (\d+)\./.exec(response.payloadData)?.[1];
    if (mark !== undefined && !arrivedAt.has(mark)) arrivedAt.set(mark, timestamp * 1_000);
  });
  const sent: Promise<unknown>[] = [];
  const typing = keyTimes(page);
  const began = performance.now();
  for (let n = 0; n < perSecond * seconds; n += 1) {
    await sleep(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    const isForOpen = n % otherChats === 0;
    sent.push(says(isForOpen ? 0 : 1 + (n % 150), isForOpen ? `Marca ${n}. Con algunas palabras más.` : `Otro ${n}`));
  }
  await Promise.all(sent);
  const keyMs = await typing;
  const count = (perSecond * seconds) / otherChats;
  const shown = await eventually(async () => {
    const { shownAt } = await page.noted();
    return Object.values(shownAt).filter((at) => at > 0).length >= count && shownAt;
  }, 20_000).catch(async () => (await page.noted()).shownAt);
  const offset = (epoch ?? Number.NaN) * 1_000;
  const shownMs = [...arrivedAt].flatMap(([mark, at]) => {
    const then = (shown as Noted["shownAt"])[mark];
    return then ? [then - (at + offset)] : [];
  });
  return { messages: { shownMs, missing: count - shownMs.length }, keys: keyMs };
}

const hour = 3_600 * perSecond;
const perLook = hour / 6;
const atOnce = 100;

interface Look {
  readonly events: number;
  readonly heapMb: number;
  readonly elements: number;
}

/**
 * Sends an hour's events, built like real events, as fast as the page handles them. Measures the page in between. The
 * CPU is not slowed, because that would not change the memory.
 */
export async function memoryOverAnHour(
  { page }: OpenConsole,
  says: Says,
  weigh: (page: SlowPage) => Promise<{ heapMb: number; elements: number }>,
): Promise<Look[]> {
  const patterns = new Map<string, Record<string, unknown>>();
  let toPage: WebSocketRoute | undefined;
  const opened = await page("inbox/1001", {
    isSlow: false,
    before: (open) =>
      open.routeWebSocket(/socket\.io/, (route) => {
        toPage = route;
        const server = route.connectToServer();
        server.onMessage((frame) => {
          const [, name, payload] = /^42\/realtime,\["([\w:]+)",(.*)\]$/s.exec(String(frame)) ?? [];
          if (name && payload) patterns.set(name, JSON.parse(payload));
          route.send(frame);
        });
      }),
  });
  await usable(opened);
  // Events before `ready` do not reach the page.
  await eventually(() => patterns.has("ready"), patienceMs);
  await says(0, "Un patrón");
  const [message, row] = await eventually(() => {
    const found = [patterns.get("message:new"), patterns.get("inbox:reorder")];
    return found.every(Boolean) && found;
  }, patienceMs);
  const fakes = new FakeEvents(message as Fields, row as Fields);
  const looks: Look[] = [];
  for (let events = 0; events <= hour; events += perLook) {
    if (events > 0) {
      for (let sent = 0; sent < perLook; sent += atOnce) {
        for (let n = 0; n < atOnce; n += 2) for (const frame of fakes.next()) toPage?.send(frame);
        // This resolves after the page has handled the events that were sent so far.
        await opened.open.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
      }
    }
    looks.push({ events, ...(await weigh(opened)) });
  }
  await opened.close();
  return looks;
}

type Fields = Record<string, unknown>;

/** Builds pairs of events: a new message, and the new row of its chat. Each pair is newer than the previous pair. */
class FakeEvents {
  #count = 0;
  readonly #message: Fields;
  readonly #row: Fields;

  constructor(message: Fields, row: Fields) {
    this.#message = message;
    this.#row = row;
  }

  next(): [string, string] {
    this.#count += 1;
    const n = this.#count;
    // Every fourth pair is for the open chat.
    const chatId = n % otherChats === 0 ? 1_001 : 1_002 + (n % 150);
    const id = Number((this.#message.mensaje as Fields).id) + n;
    const mensaje = {
      ...(this.#message.mensaje as Fields),
      id,
      texto: `Uno más, el ${n}`,
      fecha: new Date().toISOString(),
    };
    const contacto = { ...(this.#row.contacto as Fields), nombre: `Cliente ${chatId - 1_000}` };
    const row = {
      ...this.#row,
      ...{ chat_id: chatId, contacto, version: Number(this.#row.version) + n },
      ...{ ultimo_mensaje: mensaje.fecha, mensaje: { ...(this.#row.mensaje as Fields), id, texto: mensaje.texto } },
    };
    return [
      `42/realtime,${JSON.stringify(["message:new", { ...this.#message, chat_id: chatId, mensaje }])}`,
      `42/realtime,${JSON.stringify(["inbox:reorder", row])}`,
    ];
  }
}
