import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Shot } from "./load.ts";

export interface OpenLoopSettings {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly next: () => Shot;
}

export interface Answered {
  /** The latencies of correct answers, in milliseconds from the time at which a request was due. */
  readonly latencies: readonly number[];
  /** The number of wrong answers by status. Missing answers are counted under status 0. */
  readonly wrong: Readonly<Record<number, number>>;
}

const tickMs = 4;
const requestLimitMs = 30_000;

/** Sends requests at a fixed rate, whether or not answers arrive. Resolves when the last answer has arrived. */
export async function openLoop({ url, perSecond, seconds, next }: OpenLoopSettings): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, scheduling: "lifo" });
  const latencies: number[] = [];
  const wrong: Record<number, number> = {};
  const started = performance.now();
  const all: Promise<void>[] = [];
  const total = perSecond * seconds;
  const shoot = (dueAt: number): Promise<void> => {
    const { method = "POST", path, headers, body, answered } = next();
    return new Promise((resolve) => {
      const over = (status: number) => {
        if (status === 200) latencies.push(performance.now() - dueAt);
        else wrong[status] = (wrong[status] ?? 0) + 1;
        answered?.(status);
        resolve();
      };
      const sized = { ...headers, ...(body !== "" && { "content-length": Buffer.byteLength(body) }) };
      const outgoing = request({
        agent,
        hostname,
        port,
        path,
        method,
        headers: sized,
        timeout: requestLimitMs,
      });
      outgoing.on("timeout", () => outgoing.destroy(new Error("no answer")));
      outgoing.on("error", () => over(0));
      outgoing.on("response", (response) => {
        response.resume();
        response.on("end", () => over(response.statusCode ?? 0));
        response.on("error", () => over(0));
      });
      outgoing.end(body);
    });
  };
  while (all.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - started) * perSecond) / 1_000));
    while (all.length < due) all.push(shoot(started + (all.length * 1_000) / perSecond));
    await sleep(tickMs);
  }
  await Promise.all(all);
  agent.destroy();
  return { latencies, wrong };
}
