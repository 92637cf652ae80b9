import { aBusiness, aTemplate, aThread } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import { load, type Shot } from "./load.ts";
import { rounded } from "./table.ts";

const businessId = 1;
const userId = 101;
const knownContacts = 2_000;
/** Numbers of requests after which memory is measured; the last two are compared. */
const looks = [2_000, 10_000, 20_000];
/** The allowed growth between the last two measurements in MB; a leak of 1 kB per request would be 10. */
const mostGrowth = { heapUsed: 3, rss: 24 };

const threads = Array.from({ length: knownContacts }, (_, n) =>
  aThread(1_000_000 + n, { phone: `591${70_000_000 + n}` }),
);
const templates = Array.from({ length: 30 }, (_, n) => aTemplate(101 + n));
const business = aBusiness(businessId, { templates, threads });

/** Checks that the service's memory does not grow over sends and listings. Collects garbage before measuring. */
const bench: Bench = {
  about: "memory of the service over 20,000 requests",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: [business] });
    const service = await stage.service("dist");
    const headers = { "x-api-key": stage.appKey(businessId) };
    let shots = 0;
    const next = (): Shot => {
      shots += 1;
      const own = { empresa_id: businessId };
      const list = { path: "/chats/obtener/mensaje/plantilla", body: { ...own, usuario_id: userId } };
      const phone = `591${70_000_000 + (shots % knownContacts)}`;
      const send = {
        path: "/chats/enviar/plantilla/business",
        body: { ...own, phone_number: phone, plantilla_id: 101, parameters: ["Carla", String(shots)] },
      };
      const { path, body } = shots % 2 === 0 ? list : send;
      return { path, headers, body: JSON.stringify(body) };
    };

    const seen: { readonly requests: number; readonly heapUsed: number; readonly rss: number }[] = [];
    const failures: string[] = [];
    for (const [look, requests] of looks.entries()) {
      arena.say(`memory after ${requests} requests`);
      const isRight = (status: number) => status === 200;
      const count = requests - (looks[look - 1] ?? 0);
      const volley = await load({ url: service.url, connections: 16, requests: count, next, isRight });
      if (volley.wrong > 0) failures.push(`memory: ${volley.wrong} answers were wrong: ${volley.firstWrong}`);
      const { heapUsed, rss } = await service.memory();
      seen.push({ requests, heapUsed: megabytes(heapUsed), rss: megabytes(rss) });
    }
    await service.stop();

    const [earlier, last] = seen.slice(-2);
    const growth = {
      heapUsed: rounded((last?.heapUsed ?? 0) - (earlier?.heapUsed ?? 0), 1),
      rss: rounded((last?.rss ?? 0) - (earlier?.rss ?? 0), 1),
    };
    for (const kind of ["heapUsed", "rss"] as const) {
      if (growth[kind] > mostGrowth[kind]) {
        failures.push(
          `memory: ${kind} grew by ${growth[kind]} MB from ${earlier?.requests} to ${last?.requests} requests`,
        );
      }
    }
    return {
      tables: [
        {
          title: `Memory of the service; flat is at most ${mostGrowth.heapUsed} MB of heap and ${mostGrowth.rss} MB of RSS between the last two`,
          columns: ["requests", "heap MB", "RSS MB"],
          rows: [...seen.map((one) => [one.requests, one.heapUsed, one.rss]), ["growth", growth.heapUsed, growth.rss]],
        },
      ],
      figures: { seen, growth, mostGrowth },
      failures,
      belowAim: [],
    };
  },
};
export default bench;

const megabytes = (bytes: number): number => rounded(bytes / 2 ** 20, 1);
