import { fileURLToPath } from "node:url";
import { request } from "../support/http.ts";
import { aBusiness } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import { type OwnProcess, startProgram } from "./processes.ts";
import type { Arrivals } from "./socket-listeners.ts";
import { businessId, type Changes, type Commits, type SocketServerSettings } from "./socket-servers.ts";
import { quantile, rounded } from "./table.ts";

const sockets = 1_000;
const users = 50;
const perSecond = 50;
/** The number of rounds per server. The servers take turns. Each is measured for 20 s in all. */
const rounds = 4;
const roundSeconds = 5;
const warmUpSeconds = 3;
const aims = { p99Ratio: 2, bytesPerSocket: 40_000 };

const kinds = ["gateway", "bare"] as const;

const program = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** The cost of announcing a change to many sockets, compared with plain Socket.IO. */
const bench: Bench = {
  about: `${sockets} sockets receive ${perSecond} changes a second`,
  run: async (arena) => {
    const { databaseUrl } = await arena.stage({ businesses: [aBusiness(businessId)] });
    const start = (kind: SocketServerSettings["kind"]) =>
      startProgram(program("socket-servers.ts"), [JSON.stringify({ kind, databaseUrl, users })]);
    const listeners = await startProgram(program("socket-listeners.ts"), []);
    const servers = { gateway: await start("gateway"), bare: await start("bare") } as const;

    const open = (url: string, count: number) =>
      asked(listeners, "/open", { url, tokens: Array.from({ length: count }, (_, n) => String((n % users) + 1)) });
    const bytes: Record<string, number> = {};
    for (const [kind, server] of Object.entries(servers)) {
      arena.say(`sockets: ${sockets} to the ${kind} server`);
      await open(server.url, users);
      await asked(listeners, "/close", { url: server.url });
      const before = await held(server);
      await open(server.url, sockets);
      bytes[kind] = ((await held(server)) - before) / sockets;
    }

    const heard = { gateway: [] as Arrivals[], bare: [] as Arrivals[] };
    const round = async (kind: keyof typeof servers, seconds: number): Promise<Arrivals> => {
      const { url } = servers[kind];
      const changes: Changes = { perSecond, count: perSecond * seconds };
      const commits = await asked<Commits>(servers[kind], "/changes", changes);
      return asked<Arrivals>(listeners, "/judge", { url, commits });
    };
    for (const kind of kinds) await round(kind, warmUpSeconds);
    const cpu = () => Promise.all(kinds.map((kind) => servers[kind].cpuMs()));
    const before = await cpu();
    for (let n = 1; n <= rounds; n += 1) {
      arena.say(`sockets: round ${n} of ${rounds}`);
      for (const kind of ["bare", "gateway"] as const) heard[kind].push(await round(kind, roundSeconds));
    }
    const after = await cpu();
    await Promise.all([...Object.values(servers), listeners].map((each) => each.kill()));

    const side = (kind: keyof typeof heard) => ({
      p50Ms: rounded(
        quantile(
          heard[kind].map(({ p50 }) => p50),
          0.5,
        ),
        1,
      ),
      p99Ms: rounded(
        quantile(
          heard[kind].map(({ p99 }) => p99),
          0.5,
        ),
        1,
      ),
      // Unlike the delays, CPU time does not depend on the machine's load.
      cpuMsPerChange: rounded(
        ((after[kinds.indexOf(kind)] ?? 0) - (before[kinds.indexOf(kind)] ?? 0)) / (rounds * roundSeconds * perSecond),
        1,
      ),
      bytesPerSocket: Math.round(bytes[kind] ?? 0),
    });
    const seen = { gateway: side("gateway"), bare: side("bare") };
    const p99Ratio = rounded(seen.gateway.p99Ms / seen.bare.p99Ms, 2);
    const cpuRatio = rounded(seen.gateway.cpuMsPerChange / seen.bare.cpuMsPerChange, 2);
    const wrong = Object.entries(heard).flatMap(([kind, arrivals]) =>
      arrivals
        .filter(({ missing, twice, lost }) => missing + twice + lost > 0)
        .map(
          ({ missing, twice, lost }) =>
            `sockets: of the ${kind} server ${missing} events were missing, ${twice} came twice, ${lost} sockets were cut off`,
        ),
    );
    const row = (name: string, { p50Ms, p99Ms, cpuMsPerChange, bytesPerSocket }: typeof seen.bare) => [
      name,
      p50Ms,
      p99Ms,
      cpuMsPerChange,
      rounded(bytesPerSocket / 1_000, 1),
    ];
    return {
      tables: [
        {
          title:
            `${sockets} sockets, ${perSecond} changes a second, from commit to arrival; ` +
            `aim: p99 within ${aims.p99Ratio} times, under ${aims.bytesPerSocket / 1_000} kB a socket`,
          columns: ["server", "p50 ms", "p99 ms", "CPU ms a change", "kB a socket"],
          rows: [
            row("the gateway", seen.gateway),
            row("Socket.IO alone", seen.bare),
            ["ratio", "", p99Ratio, cpuRatio, ""],
          ],
        },
      ],
      figures: { seen, p99Ratio, cpuRatio, aims },
      failures: wrong,
      belowAim: [
        ...(p99Ratio > aims.p99Ratio ? [`sockets: p99 is ${p99Ratio} times that of Socket.IO alone`] : []),
        ...(seen.gateway.bytesPerSocket > aims.bytesPerSocket
          ? [`sockets: one takes ${seen.gateway.bytesPerSocket} bytes`]
          : []),
      ],
    };
  },
};
export default bench;

async function asked<Answer = object>({ url }: OwnProcess, path: string, body: object): Promise<Answer> {
  const answer = await request(url + path, { method: "POST", body });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer.json as Answer;
}

/** Memory in bytes after repeated garbage collection. */
async function held(server: OwnProcess): Promise<number> {
  await server.memory();
  await server.memory();
  return (await server.memory()).rss;
}
