import { setTimeout as sleep } from "node:timers/promises";
import { aBusiness } from "../support/world.ts";
import type { Bench } from "./bench.ts";
import { rounded } from "./table.ts";

/** The limit for the CPU time of an idle process, in milliseconds per second. */
const aim = 5;
/** Milliseconds before the measurement. In this time, V8 uses CPU to free memory that the start needed. */
const settleMs = 200_000;
const lookMs = 60_000;

/** The CPU usage of an idle process of each role. */
const bench: Bench = {
  about: "idle processes",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: [aBusiness(1)] });
    const roles = ["all", "api", "worker"];
    const services = await Promise.all(roles.map((ROLE) => stage.service("dist", { ROLE })));
    arena.say(`idle: ${(settleMs + lookMs) / 1_000} s`);
    await sleep(settleMs);
    const before = await Promise.all(services.map((service) => service.cpuMs()));
    await sleep(lookMs);
    const after = await Promise.all(services.map((service) => service.cpuMs()));
    await Promise.all(services.map((service) => service.stop()));
    const seen = roles.map((role, index) => {
      const used = (after[index] ?? 0) - (before[index] ?? 0);
      return { role, msPerSecond: rounded((used * 1_000) / lookMs, 1) };
    });
    return {
      tables: [
        {
          title: `Idle processes; aim: under ${aim} ms of CPU in a second`,
          columns: ["role", "ms"],
          rows: seen.map(({ role, msPerSecond }) => [role, msPerSecond]),
        },
      ],
      figures: { seen, aim },
      failures: [],
      belowAim: seen
        .filter(({ msPerSecond }) => msPerSecond >= aim)
        .map(({ role, msPerSecond }) => `idle: a process with the role ${role} takes ${msPerSecond} ms in a second`),
    };
  },
};
export default bench;
