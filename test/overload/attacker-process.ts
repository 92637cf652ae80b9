import { once, setMaxListeners } from "node:events";
import { getPriority, setPriority } from "node:os";
import { type AttackSpec, Tally, type Told } from "./attack.ts";
import { attacks } from "./attacks.ts";
import type { Target } from "./wire.ts";

/** The program of `startAttacker`: prepares, sends `ready`, attacks on `go`, and sends its result on `stop`. */
async function main(): Promise<void> {
  const [given] = await once(process, "message");
  const { spec, target } = given as { readonly spec: AttackSpec; readonly target: Target };
  // The service gets the CPU first, since a remote attacker would not use this machine's CPU.
  setPriority(Math.min(19, getPriority() + (spec.niceness ?? 10)));
  const prepare = attacks[spec.attack];
  if (!prepare) throw new Error(`there is no attack ${spec.attack}`);
  const run = await prepare(spec.settings as never);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const tally = new Tally();
  let running = Promise.resolve();
  let began = { at: performance.now(), cpu: process.cpuUsage() };

  const go = async () => {
    began = { at: performance.now(), cpu: process.cpuUsage() };
    running = run(target, stop.signal, tally);
    await running;
    process.send?.("done");
  };
  const end = async () => {
    const { user, system } = process.cpuUsage(began.cpu);
    const cpuPercent = Math.round((user + system) / 10 / (performance.now() - began.at));
    stop.abort();
    await running;
    const { outcomes, withoutRetryAfter, bytesSent, figures } = tally;
    const told: Told = { outcomes, withoutRetryAfter, bytesSent, figures, cpuPercent };
    process.send?.(told, () => process.exit(0));
  };
  process.on("message", (message) => void (message === "go" ? go() : end()));
  process.send?.("ready");
}

process.once("disconnect", () => process.exit(1));
await main();
