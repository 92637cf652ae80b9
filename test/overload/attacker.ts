import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { within } from "../../src/kernel/within.ts";
import type { AttackSpec, Told } from "./attack.ts";

const program = fileURLToPath(new URL("attacker-process.ts", import.meta.url));
const readyMs = 60_000;
const stopMs = 30_000;
const doneMs = 180_000;

/** An attack in a child process. */
export interface Attacker {
  go(): void;
  /** Resolves when the attack has ended by itself. */
  done(): Promise<void>;
  stop(): Promise<Told>;
  kill(): void;
}

/** Resolves when the attack is prepared. */
export async function startAttacker(spec: AttackSpec, url: string): Promise<Attacker> {
  const { hostname: host, port } = new URL(url);
  const child = fork(program, { execArgv: ["--import", "tsx"] });
  const died = once(child, "exit").then(([code, signal]) => {
    throw new Error(`the attacker ${spec.attack} has ended (${code ?? signal})`);
  });
  // `hear` fails if the attacker exits while `hear` waits. At other times, an exit is not an error.
  died.catch(() => {});
  const hear = <Message>(what: string, ms: number, isWanted: (message: unknown) => boolean): Promise<Message> => {
    const heard = new Promise<Message>((resolve) => {
      const look = (message: unknown) => {
        if (!isWanted(message)) return;
        child.off("message", look);
        resolve(message as Message);
      };
      child.on("message", look);
    });
    return within(ms, Promise.race([heard, died]), () => new Error(`the attacker ${spec.attack} is not ${what}`));
  };
  try {
    const ready = hear("ready", readyMs, (message) => message === "ready");
    child.send({ spec, target: { host, port: Number(port) } });
    await ready;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const done = hear<void>("done", doneMs, (message) => message === "done");
  done.catch(() => {});
  return {
    go: () => void child.send("go"),
    done: () => done,
    stop: async () => {
      const told = hear<Told>("over", stopMs, (message) => typeof message === "object");
      child.send("stop");
      return await told;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
