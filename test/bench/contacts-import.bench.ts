import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import pg from "pg";
import { aBusiness } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import { highestRss } from "./campaigns.ts";
import { copyIn } from "./copy.ts";
import type { OwnProcess } from "./processes.ts";
import { quantile, rounded } from "./table.ts";

const contacts = 500_000;
/** Memory is measured as soon as at least this many rows are imported, and again after all rows. */
const few = 100_000;
const rounds = 3;
/** The maximum duration of an import, as a multiple of the bare COPY's duration. */
const aim = 3;
/** The allowed growth of the service's peak RSS in MB between the two measurements. */
const mostGrowth = 60;
/** The maximum milliseconds without progress. The service reports progress each second. */
const silenceMs = 60_000;

const copied = "business_id, name, phone, platform_id, fields";
const names = ["María", "José", "Carla", "Luis", "Ana", "Jorge", "Rosa", "Óscar"];
const surnames = ["Quispe", "Mamani", "Rojas", "Flores", "Vargas", "Choque", "Gutiérrez", "Suárez", "Peña"];
const cities = ["La Paz", "El Alto", "Cochabamba", "Santa Cruz", "Oruro", "Sucre", "Tarija"];

/** Yields contacts with unsorted phone numbers, like the files of real businesses. */
function* people(): Generator<{ readonly name: string; readonly phone: string; readonly city: string }> {
  for (let n = 0; n < contacts; n += 1) {
    const name = `${names[n % names.length]} ${surnames[n % surnames.length]} ${n}`;
    // 123,457 and the number of contacts have no common factor, so each phone number comes once.
    const phone = `591${70_000_000 + ((n * 123_457) % contacts)}`;
    yield { name, phone, city: cities[n % cities.length] ?? "" };
  }
}

/**
 * Compares an import with a bare COPY of the same rows into a table with the same columns and indexes. Each round
 * measures an import and then a COPY. Each round has its own business.
 */
const bench: Bench = {
  about: `${contacts} contacts imported in one request, against a bare COPY of their rows`,
  run: async (arena) => {
    const ids = Array.from({ length: rounds }, (_, n) => n + 1);
    const stage = await arena.stage({ businesses: ids.map((id) => aBusiness(id, { threads: [] })) });
    const database = new pg.Client({ connectionString: stage.databaseUrl, connectionTimeoutMillis: 10_000 });
    await database.connect();
    await database.query("create table copied_contacts (like contacts including all)");
    const file = Buffer.from(
      `numero,nombre,Ciudad\n${[...people()].map(({ name, phone, city }) => `${phone},${name},${city}\n`).join("")}`,
    );
    const service = await stage.service("dist");
    const failures: string[] = [];
    const seen: { readonly importMs: number; readonly copyMs: number; readonly ratio: number }[] = [];
    const memory: { readonly rows: number; readonly highest: number }[] = [];
    for (const id of ids) {
      const isFirst = id === ids[0];
      const look = async (rows: number) => {
        const highest = await highestRss(service.pid);
        memory.push({ rows, highest });
        arena.say(`${rows} rows taken in, highest RSS ${highest} MB`);
      };
      const cpuBefore = await service.cpuMs();
      const began = performance.now();
      const told = await importInto(service, stage.appKey(id), file, async ({ created }) => {
        if (isFirst && memory.length === 0 && created >= few) await look(created);
      });
      const importMs = performance.now() - began;
      const cpuMs = (await service.cpuMs()) - cpuBefore;
      if (isFirst) await look(told.created);
      if (told.created !== contacts) failures.push(`import: the service says ${JSON.stringify(told)}`);
      const rows = Buffer.from(
        [...people()]
          .map(({ name, phone, city }) => `${id}\t${name}\t${phone}\t${phone}\t${JSON.stringify({ Ciudad: city })}\n`)
          .join(""),
      );
      const copyMs = await copyIn(stage.databaseUrl, `copy copied_contacts (${copied}) from stdin`, rows);
      const ratio = rounded(importMs / copyMs, 2);
      seen.push({ importMs: rounded(importMs), copyMs: rounded(copyMs), ratio });
      arena.say(`import ${rounded(importMs)} ms (the service's CPU ${rounded(cpuMs)} ms), COPY ${rounded(copyMs)} ms`);
    }
    await service.stop();
    arena.say("comparing the contacts of all rounds with those of the COPY, which takes a while");
    const { rows: differing } = await database.query(
      `select (select count(*) from (select ${copied} from contacts except select ${copied} from copied_contacts))
            + (select count(*) from (select ${copied} from copied_contacts except select ${copied} from contacts)) as n`,
    );
    if (Number(differing[0]?.n) !== 0)
      failures.push(`import: ${differing[0]?.n} rows are others than those of the COPY`);
    await database.end();

    const ratios = seen.map(({ ratio }) => ratio);
    const ratio = quantile(ratios, 0.5);
    const median = (of: "importMs" | "copyMs") =>
      quantile(
        seen.map((one) => one[of]),
        0.5,
      );
    const growth = rounded((memory[1]?.highest ?? Number.NaN) - (memory[0]?.highest ?? Number.NaN), 1);
    if (!(growth <= mostGrowth)) failures.push(`import: RSS grew by ${growth} MB with the file`);
    return {
      tables: [
        {
          title: `Importing ${contacts} contacts; the aim is at most ${aim} times the bare COPY: ${ratio <= aim ? "met" : "not met"}`,
          columns: ["", "median ms", "rows/s", "times the bare COPY (worst to best round)"],
          rows: [
            ["COPY of the same rows", median("copyMs"), rounded(contacts / (median("copyMs") / 1_000)), ""],
            [
              "one request",
              median("importMs"),
              rounded(contacts / (median("importMs") / 1_000)),
              `${ratio} (${Math.max(...ratios)} to ${Math.min(...ratios)})`,
            ],
          ],
        },
        {
          title: `Memory of the service during an import; flat is at most ${mostGrowth} MB more: ${growth <= mostGrowth ? "met" : "not met"}`,
          columns: ["rows taken in", "highest RSS MB"],
          rows: [...memory.map((one) => [one.rows, one.highest]), ["growth", growth]],
        },
      ],
      figures: { contacts, seen, ratio, aim, memory, growth, mostGrowth },
      failures,
      belowAim: ratio <= aim ? [] : [`import: ${ratio} times the bare COPY, more than the aim of ${aim}`],
    };
  },
};
export default bench;

interface Told {
  readonly created: number;
  readonly error?: string;
}

/** Sends the file and reads the lines that report progress. Returns the last line. */
async function importInto(
  { url }: OwnProcess,
  key: string,
  file: Buffer,
  onProgress: (told: Told) => Promise<void>,
): Promise<Told> {
  const headers = { "x-api-key": key, "content-type": "text/csv", "content-length": file.length };
  const sending = request(`${url}/contacts/import`, { method: "POST", headers, timeout: silenceMs });
  sending.once("timeout", () => sending.destroy(new Error(`no progress of the import for ${silenceMs} ms`)));
  sending.end(file);
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  let last: Told = { created: 0, error: `status ${answer.statusCode}` };
  let begun = "";
  // The loop throws if the connection breaks.
  for await (const text of answer.setEncoding("utf8")) {
    const lines = `${begun}${text}`.split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) {
      last = JSON.parse(line) as Told;
      await onProgress(last);
    }
  }
  return last;
}
