import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../bench/table.ts";
import type { Attack, Tally } from "./attack.ts";
import { bytesOf, type Outcome, type RequestSpec, type Target, Wire } from "./wire.ts";

export interface Offering {
  /** One per business. */
  readonly requests: readonly RequestSpec[];
  /** The numbers of connections that are tried to find the highest throughput. */
  readonly levels: readonly number[];
  readonly levelMs: number;
  /**
   * The number of pairs of a measurement and a flood. The flood sends `factor` times as many requests per second as the
   * service answered in the measurement. Each flood needs its own measurement, since a machine's capacity varies by a
   * third within a minute.
   */
  readonly pairs: number;
  readonly closedMs: number;
  readonly factor: number;
  readonly openMs: number;
  /** The pause after each measurement and each flood. Delayed refusals are sent during the pause. */
  readonly restMs: number;
  /** Connections per business. If all are busy, a request is not sent. */
  readonly connections: number;
  /** The addresses of the clients, one per business. */
  readonly addresses?: readonly string[];
}

const tickMs = 4;

/** Measures the service's answers per second, then sends `factor` times as many requests, equally many per business. */
export const offer =
  (settings: Offering): Attack =>
  async (target, signal, tally) => {
    const { requests, levels, levelMs, pairs, closedMs, factor, openMs, restMs } = settings;
    const rates = new Map<number, number>();
    for (const level of levels) {
      const { rate } = await closedLoop(settings, target, level, levelMs);
      tally.figures[`answered a second by ${level} connections`] = Math.round(rate);
      rates.set(level, rate);
      if (signal.aborted) return;
    }
    const [[level] = [1]] = [...rates].sort(([, a], [, b]) => b - a);
    const carried: Carried[] = [];
    const opened: Opened[] = [];
    const clients = clientsOf(settings, target);
    await connectAll(clients, level);
    for (let pair = 0; pair < pairs && !signal.aborted; pair += 1) {
      const now = await closedLoop(settings, target, level, closedMs);
      // A machine may be faster for a while after a pause. Therefore a pause precedes each flood, and each measurement
      // except the first.
      await sleep(restMs);
      opened.push(await openLoop(clients, now.rate * factor, openMs, tally));
      carried.push(now);
      await sleep(restMs);
    }
    for (const client of clients) client.close();
    const shares = requests.map((_, n) => opened.reduce((sum, { right }) => sum + (right[n] ?? 0), 0));
    const answered = opened.map(({ right }) => (sumOf(right) * 1_000) / openMs);
    const percent = opened.map(({ cpuPercent }, n) => {
      const { rate = 1, cpuPercent: closedPercent = 0 } = carried[n] ?? {};
      // The number of CPUs without the clients' share, since real clients run on other machines.
      const left = (taken: number) => availableParallelism() - taken / 100;
      return (((answered[n] ?? 0) / left(cpuPercent)) * 100) / (rate / left(closedPercent));
    });
    Object.assign(tally.figures, {
      "carried a second": Math.round(median(carried.map(({ rate }) => rate))),
      "asked a second": Math.round(median(opened.map(({ asked }) => (asked * 1_000) / openMs))),
      "answered a second": Math.round(median(answered)),
      "of what was carried %": Math.round(median(percent)),
      "of what was carried, worst %": Math.round(Math.min(...percent)),
      "not sent": sumOf(opened.map(({ unsent }) => unsent)),
      "spread of shares %": Math.round(
        ((Math.max(...shares) - Math.min(...shares)) / (sumOf(shares) / shares.length)) * 100,
      ),
      "generator's CPU %": Math.round(median(opened.map(({ cpuPercent }) => cpuPercent))),
      "generator's CPU in the closed loop %": Math.round(median(carried.map(({ cpuPercent }) => cpuPercent))),
    });
  };

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

interface Carried {
  /** Correct answers per second. */
  readonly rate: number;
  /** This process's share of one core, in percent. */
  readonly cpuPercent: number;
}

/** Sends requests of the businesses in turn. */
async function closedLoop({ requests }: Offering, target: Target, connections: number, ms: number): Promise<Carried> {
  const cpu = process.cpuUsage();
  const buffers = requests.map(bytesOf);
  const wires = Array.from({ length: connections }, () => new Wire(target));
  const began = performance.now();
  let asked = 0;
  let answered = 0;
  const askAgain = async (wire: Wire) => {
    while (performance.now() - began < ms) {
      const { status } = await wire.ask(buffers[asked++ % buffers.length] as Buffer);
      if (status === 200) answered += 1;
    }
  };
  await Promise.all(wires.map(askAgain));
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  for (const wire of wires) wire.close();
  return { rate: answered / seconds, cpuPercent: (user + system) / 10_000 / seconds };
}

interface Opened {
  readonly asked: number;
  /** Correct answers per business. */
  readonly right: readonly number[];
  readonly unsent: number;
  /** This process's share of one core, in percent. */
  readonly cpuPercent: number;
}

/** Connects in advance, since this attack does not measure the speed of new connections. */
async function connectAll(clients: readonly Client[], atOnce: number): Promise<void> {
  const left = clients.flatMap((client) => client.connections());
  const next = async (): Promise<void> => {
    for (let ask = left.pop(); ask; ask = left.pop()) await ask();
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

async function openLoop(clients: readonly Client[], rate: number, ms: number, tally: Tally): Promise<Opened> {
  const right = clients.map(() => 0);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const passed = () => performance.now() - began;
  let asked = 0;
  let unsent = 0;
  const send = (n: number) => {
    const client = clients[n] as Client;
    const wire = client.take();
    if (!wire) {
      unsent += 1;
      return;
    }
    void wire.ask(client.request).then((outcome: Outcome) => {
      client.giveBack(wire);
      if (!client.isClosed) tally.add(outcome);
      if (outcome.status === 200 && passed() <= ms) right[n] = (right[n] ?? 0) + 1;
    });
  };
  while (passed() < ms) {
    for (const until = (passed() * rate) / 1_000; asked < until; asked += 1) send(asked % clients.length);
    await sleep(tickMs);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { asked, right, unsent, cpuPercent: (user + system) / 10 / ms };
}

/** The kept-alive connections of one business. */
class Client {
  /** Whether the client itself has disconnected. Its requests then end without an answer, and are not counted. */
  isClosed = false;
  private readonly free: Wire[] = [];
  private readonly all: Wire[];

  constructor(
    readonly request: Buffer,
    target: Target,
    count: number,
    address: string | undefined,
  ) {
    this.all = Array.from({ length: count }, () => new Wire(target, address));
  }

  /** Functions that open the connections by a first request. */
  connections(): (() => Promise<void>)[] {
    return this.all.map((wire) => async () => {
      await wire.ask(this.request);
      this.free.push(wire);
    });
  }

  /** An idle connection; undefined if there is none. */
  take(): Wire | undefined {
    return this.free.pop();
  }

  giveBack(wire: Wire): void {
    this.free.push(wire);
  }

  close(): void {
    this.isClosed = true;
    for (const wire of this.all) wire.close();
  }
}

const clientsOf = ({ requests, connections, addresses }: Offering, target: Target): Client[] =>
  requests.map((request, n) => new Client(bytesOf(request), target, connections, addresses?.[n]));
