import { Agent, request } from "node:http";
import { quantile, rounded } from "../bench/table.ts";

export interface PulseSettings {
  readonly url: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly perSecond: number;
  /** The client's own address. */
  readonly from?: string | undefined;
}

/** A request: when it was due, the time from then until its answer, and the result. */
interface Beat {
  readonly dueAt: number;
  readonly ms: number;
  readonly status: number | "no answer";
}

export interface Felt {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** The number of requests per status, except 200. A request without an answer has the status `no answer`. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Milliseconds after which an answer counts as missing. */
const patienceMs = 10_000;

/**
 * A client with a fixed rate of requests on kept-alive connections. Times count from when a request was due. A pause of
 * the service therefore adds to the times of all requests that are due during the pause.
 */
export class Pulse {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly beats: Beat[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly settings: PulseSettings) {}

  start(): this {
    const intervalMs = 1_000 / this.settings.perSecond;
    let dueAt = performance.now();
    const beat = () => {
      for (; dueAt <= performance.now(); dueAt += intervalMs) this.ask(dueAt);
      this.timer = setTimeout(beat, Math.max(0, dueAt - performance.now()));
    };
    beat();
    return this;
  }

  /** Summarizes the requests that were due in this time, except requests that still wait for an answer. */
  felt(from: number, to: number): Felt {
    const seen = this.beats.filter(({ dueAt }) => dueAt >= from && dueAt < to);
    const latencies = seen.map(({ ms }) => ms);
    const failures: Record<string, number> = {};
    for (const { status } of seen) if (status !== 200) failures[status] = (failures[status] ?? 0) + 1;
    return {
      requests: seen.length,
      p50Ms: rounded(quantile(latencies, 0.5), 1),
      p99Ms: rounded(quantile(latencies, 0.99), 1),
      worstMs: rounded(Math.max(0, ...latencies), 1),
      failures,
    };
  }

  /** Resolves when every due request has an answer or has failed. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  pause(): void {
    clearTimeout(this.timer);
  }

  stop(): void {
    this.pause();
    this.agent.destroy();
  }

  private ask(dueAt: number): void {
    const asked = new Promise<void>((resolve) => {
      const { url, path, headers, from } = this.settings;
      const { hostname, port } = new URL(url);
      let isOver = false;
      const over = (status: Beat["status"]) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        this.beats.push({ dueAt, ms: performance.now() - dueAt, status });
        resolve();
      };
      const local = from === undefined ? {} : { localAddress: from };
      const outgoing = request({ agent: this.agent, hostname, port, path, headers, ...local }, (response) => {
        response.resume();
        response.once("end", () => over(response.statusCode ?? 0));
        response.once("error", () => over("no answer"));
      });
      const timer = setTimeout(() => {
        over("no answer");
        outgoing.destroy();
      }, patienceMs);
      outgoing.once("error", () => over("no answer"));
      outgoing.end();
    });
    this.underWay.add(asked);
    void asked.then(() => this.underWay.delete(asked));
  }
}
