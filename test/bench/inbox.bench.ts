import { Agent } from "node:http";
import { request } from "../support/http.ts";
import type { Bench } from "./bench.ts";
import { agentOf, departmentOf, inboxBusinesses, loadInboxes, phoneOf, type Sizes, tagOf } from "./inbox-data.ts";
import type { OwnProcess } from "./processes.ts";
import type { Stage } from "./stage.ts";
import { quantile, rounded, type Table } from "./table.ts";

/**
 * The maximum latency in the largest business, as a multiple of the latency in the smallest business whose page has
 * the same number of rows.
 */
const aim = 1.3;
const requestsEach = 100;
const warmUp = 10;

/** The number of chats of the largest business; `CHATS` overrides it. */
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
    const asked = await pathsOf(stage, service);
    const measured = await askInTurn(service, asked);
    await service.stop();
    const names = [...new Set(asked.map(({ name }) => name))];
    const of = (businessId: number, name: string) =>
      measured.get(`${businessId} ${name}`) ?? { ms: Number.NaN, rows: 0 };
    // Pages that are not full are faster, so only equally full pages are compared.
    const ratio = (name: string) => {
      const alike = ids.find((id) => of(id, name).rows === of(large, name).rows) ?? large;
      return rounded(of(large, name).ms / of(alike, name).ms, 2);
    };
    const table: Table = {
      title: "The inbox, p50 in ms through HTTP, one request at a time",
      columns: ["", ...ids.map((id) => `of ${sizes[id]}`), "rows", "largest of smallest"],
      rows: names.map((name) => [
        name,
        ...ids.map((id) => rounded(of(id, name).ms, 2)),
        [...new Set(ids.map((id) => of(id, name).rows))].join(" to "),
        ratio(name),
      ]),
    };
    return {
      tables: [table],
      figures: { loadSeconds: seconds, p50s: Object.fromEntries([...measured].map(([name, { ms }]) => [name, ms])) },
      failures: [],
      belowAim: names.filter((name) => !(ratio(name) <= aim)).map((name) => `${name}: ${ratio(name)} times as long`),
    };
  },
};
export default bench;

type Headers = Readonly<Record<string, string>>;

/** Follows the cursors through pages of 50 chats. Returns the path of the given page. */
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

interface Asked {
  readonly businessId: number;
  readonly name: string;
  readonly path: string;
  readonly headers: Headers;
}

async function pathsOf(stage: Stage, service: OwnProcess): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const businessId of ids) {
    const headers = { "x-api-key": stage.appKey(businessId) };
    const agentHeaders = { authorization: `Bearer ${await stage.sessionToken(agentOf(businessId))}` };
    const variants = Object.entries(variantsOf(businessId));
    asked.push(...variants.map(([name, path]) => ({ businessId, name, path, headers })));
    const ofAgents = variants.filter(([, path]) => !/^\/chats\/\d/.test(path));
    asked.push(
      ...ofAgents.map(([name, path]) => ({ businessId, name: `an agent's ${name}`, path, headers: agentHeaders })),
    );
    const deep = await pathOfPage(service, headers, Math.min(100, (sizes[businessId] ?? 0) / 100));
    asked.push({ businessId, name: "page 100", path: deep, headers });
  }
  return asked;
}

/** Sends each request to all businesses in turn, so that changes of the machine's load affect them equally. */
async function askInTurn({ url }: OwnProcess, asked: readonly Asked[]) {
  const agent = new Agent({ keepAlive: true });
  const measured = new Map<string, { ms: number; rows: number }>();
  for (const name of new Set(asked.map((each) => each.name))) {
    const alike = asked.filter((each) => each.name === name);
    const latencies = new Map(alike.map(({ businessId }) => [businessId, [] as number[]]));
    for (let n = -warmUp; n < requestsEach; n += 1) {
      for (const { businessId, path, headers } of alike) {
        const began = performance.now();
        const answer = await request(url + path, { agent, headers });
        if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
        if (n >= 0) latencies.get(businessId)?.push(performance.now() - began);
        measured.set(`${businessId} ${name}`, { ms: 0, rows: answer.json.data?.length ?? 1 });
      }
    }
    for (const [businessId, each] of latencies) {
      const key = `${businessId} ${name}`;
      measured.set(key, { ms: quantile(each, 0.5), rows: measured.get(key)?.rows ?? 0 });
    }
  }
  agent.destroy();
  return measured;
}
