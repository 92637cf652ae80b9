import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bareEnvironment } from "./environment.ts";

/** The folder from which tests start processes. `make test` uses `dist`, which loads three times as fast. */
export const testedFrom = process.env.TEST_BUILT ? "dist" : "src";

/** Node's arguments that run a program, such as `src/main.ts`. */
export const programArguments = (path: string): string[] =>
  testedFrom === "dist" ? [join("dist", path.replace(/ts$/, "js"))] : ["--import", "tsx", path];

/** Runs an operator's command. Returns its exit code and output. */
export async function runCommand(
  path: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<[code: number, said: string]> {
  const child = spawn(process.execPath, [...programArguments(path), ...parameters], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...bareEnvironment, ...environment },
  });
  const [[code], printed, complained] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return [code, `${printed}${complained}`];
}
