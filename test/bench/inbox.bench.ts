import { Agent } from "node:http";
import { request } from "../support/http.ts";
import type { Bench } from "./bench.ts";
import { agentOf, departmentOf, inboxBusinesses, loadInboxes, phoneOf, type Sizes, tagOf } from "./inbox-data.ts";
import type { OwnProcess } from "./processes.ts";
import { quantile, rounded, type Table } from "./table.ts";

/** Of the largest business over the smallest. */
const aim = 1.3;
const requestsEach = 60;

/** `CHATS` is the size of the largest business. */
const largest = Number(process.env.CHATS ?? 1_000_000);
const sizes: Sizes = { 1: largest / 100, 2: largest / 10, 3: largest };
const ids = Object.keys(sizes).map(Number);
const [smallest = 1] = ids;
const large = ids.at(-1) ?? smallest;

const variantsOf = (businessId: number): Readonly<Record<string, string>> => ({
  "first page": "/chats",
  "page of 100": "/chats?limit=100",
  estado: "/chats?estado=proceso",
  "estado, two": "/chats?estado=pendiente&estado=bot",
  soporte: `/chats?soporte=${agentOf(businessId)}`,
  "soporte and estado": `/chats?soporte=${agentOf(businessId)}&estado=proceso`,
  "soporte none": "/chats?soporte=none",
  departamento: `/chats?departamento=${departmentOf(businessId)}`,
  "departamento and estado": `/chats?departamento=${departmentOf(businessId)}&estado=proceso`,
  tag: `/chats?tag=${tagOf(businessId)}`,
  anuncio: "/chats?anuncio=ad-1",
  no_leidos: "/chats?no_leidos=true",
  "no_leidos, nothing": "/chats?no_leidos=false",
  provider: "/chats?provider=qr",
  "q, a number": `/chats?q=${phoneOf(Math.floor((sizes[businessId] ?? 0) / 2))}`,
  counts: "/chats/counts",
  "a chat": `/chats/${Math.floor((sizes[businessId] ?? 0) / 2)}`,
  thread: `/chats/${Math.floor((sizes[businessId] ?? 0) / 2)}/messages`,
});

const bench: Bench = {
  about: `lists, counts and threads of an inbox by the size of the business: ${ids.map((id) => sizes[id]).join(", ")} chats`,
  run: async (arena) => {
    const stage = await arena.stage({ businesses: inboxBusinesses(sizes) });
    arena.say(`loading ${largest} chats and more`);
    const began = performance.now();
    await loadInboxes(stage.databaseUrl, sizes);
    const seconds = rounded((performance.now() - began) / 1_000);
    const service = await stage.service("dist");
    arena.say(`loaded in ${seconds} s; asking for each page and filter`);
    const times = new Map<string, number>();
    for (const round of [1, 2]) {
      for (const businessId of ids) {
        const headers = { "x-api-key": stage.appKey(businessId) };
        const agentHeaders = { authorization: `Bearer ${await stage.sessionToken(agentOf(businessId))}` };
        const ask = (path: string, by: Headers = headers) => timed(service, path, by, round === 1 ? 5 : requestsEach);
        const variants = Object.entries(variantsOf(businessId));
        for (const [name, path] of variants) times.set(`${businessId} ${name}`, await ask(path));
        for (const [name, path] of variants.filter(([, each]) => !/^\/chats\/\d/.test(each))) {
          times.set(`${businessId} an agent's ${name}`, await ask(path, agentHeaders));
        }
        const deep = await pathOfPage(service, headers, Math.min(100, (sizes[businessId] ?? 0) / 100));
        times.set(`${businessId} page 100`, await ask(deep));
      }
    }
    await service.stop();
    const names = [...times.keys()].filter((key) => key.startsWith(`${large} `)).map((key) => key.slice(2));
    const ratio = (name: string) =>
      rounded((times.get(`${large} ${name}`) ?? 0) / (times.get(`${smallest} ${name}`) ?? Number.NaN), 2);
    const table: Table = {
      title: "The inbox, p50 in ms through HTTP, one request at a time",
      columns: ["", ...ids.map((id) => `of ${sizes[id]}`), "largest of smallest"],
      rows: names.map((name) => [name, ...ids.map((id) => rounded(times.get(`${id} ${name}`) ?? 0, 2)), ratio(name)]),
    };
    return {
      tables: [table],
      figures: { loadSeconds: seconds, p50s: Object.fromEntries(times) },
      failures: [],
      belowAim: names.filter((name) => ratio(name) > aim).map((name) => `${name}: ${ratio(name)} times as long`),
    };
  },
};
export default bench;

type Headers = Readonly<Record<string, string>>;

/** Follows the cursors of pages of 50 to that page. */
async function pathOfPage({ url }: OwnProcess, headers: Headers, page: number): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  let path = "/chats";
  for (let n = 1; n < page; n += 1) {
    const { json } = await request(url + path, { agent, headers });
    path = `/chats?cursor=${json.next}`;
  }
  agent.destroy();
  return path;
}

/** One request after the other on one connection. */
async function timed({ url }: OwnProcess, path: string, headers: Headers, requests: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    const began = performance.now();
    const answer = await request(url + path, { agent, headers });
    latencies.push(performance.now() - began);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  }
  agent.destroy();
  return quantile(latencies, 0.5);
}
