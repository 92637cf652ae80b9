import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Tally } from "./attack.ts";
import { bytesOf, type Outcome, type RequestSpec, type Target, Wire } from "./wire.ts";

export interface Offering {
  /** One of each business. */
  readonly requests: readonly RequestSpec[];
  /** Connections of the closed loops that look for the most that is answered in a second. */
  readonly levels: readonly number[];
  readonly levelMs: number;
  /** Times that most is what is asked then, for so long. */
  readonly factor: number;
  readonly openMs: number;
  /** Of one business; beyond it a request is not sent. */
  readonly mostConnections: number;
  /** The client of each business has an address of its own. */
  readonly addresses?: readonly string[];
}

const tickMs = 4;

/** Looks for what can be carried, and then asks for more than that, for all businesses alike. */
export const offer =
  (settings: Offering): Attack =>
  async (target, signal, tally) => {
    const { levels, levelMs, factor, openMs } = settings;
    let best = 0;
    for (const level of levels) {
      const rate = await closedLoop(settings, target, level, levelMs);
      tally.figures[`answered a second by ${level} connections`] = Math.round(rate);
      best = Math.max(best, rate);
      if (signal.aborted) return;
    }
    await openLoop(settings, target, best * factor, openMs, tally);
    tally.figures["best a second"] = Math.round(best);
  };

/** Right answers in a second, the businesses in turn. */
async function closedLoop({ requests }: Offering, target: Target, connections: number, ms: number): Promise<number> {
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
  for (const wire of wires) wire.close();
  return answered / seconds;
}

async function openLoop(settings: Offering, target: Target, rate: number, ms: number, tally: Tally): Promise<void> {
  const clients = clientsOf(settings, target);
  const right = clients.map(() => 0);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const passed = () => performance.now() - began;
  let due = 0;
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
      if (passed() > ms) return;
      tally.add(outcome);
      if (outcome.status === 200) right[n] = (right[n] ?? 0) + 1;
    });
  };
  while (passed() < ms) {
    for (const until = (passed() * rate) / 1_000; due < until; due += 1) send(due % clients.length);
    await sleep(tickMs);
  }
  const { user, system } = process.cpuUsage(cpu);
  for (const client of clients) client.close();
  const sum = right.reduce((total, each) => total + each, 0);
  const mean = sum / clients.length;
  Object.assign(tally.figures, {
    "asked a second": Math.round((due * 1_000) / ms),
    "answered a second": Math.round((sum * 1_000) / ms),
    "not sent": unsent,
    "spread of shares %": Math.round(((Math.max(...right) - Math.min(...right)) / mean) * 100),
    "generator's CPU %": Math.round((user + system) / 10 / ms),
  });
}

/** The kept-alive connections of one business. */
class Client {
  private readonly free: Wire[] = [];
  private readonly all: Wire[] = [];

  constructor(
    readonly request: Buffer,
    private readonly target: Target,
    private readonly most: number,
    private readonly address: string | undefined,
  ) {}

  /** A connection that waits for nothing; undefined when there is none and no more may be made. */
  take(): Wire | undefined {
    if (this.free.length > 0 || this.all.length === this.most) return this.free.pop();
    const wire = new Wire(this.target, this.address);
    this.all.push(wire);
    return wire;
  }

  giveBack(wire: Wire): void {
    this.free.push(wire);
  }

  close(): void {
    for (const wire of this.all) wire.close();
  }
}

const clientsOf = ({ requests, mostConnections, addresses }: Offering, target: Target): Client[] =>
  requests.map((request, n) => new Client(bytesOf(request), target, mostConnections, addresses?.[n]));
