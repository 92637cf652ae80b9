import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";

/** The example configuration of the documentation. */
const configuration = fileURLToPath(new URL("../../docs/deploy/haproxy.cfg", import.meta.url));

export interface Balancer {
  readonly url: string;
  close(): void;
}

/** Starts Debian's haproxy in front of two API processes. Resolves when `/readyz` answers 200 through haproxy. */
export async function startBalancer(port: number, apis: readonly [string, string]): Promise<Balancer> {
  const [first, second] = apis.map((url) => new URL(url).host);
  const addresses = { BIND: `127.0.0.1:${port}`, API_1: first, API_2: second };
  const child: ChildProcess = spawn("haproxy", ["-db", "-f", configuration], {
    env: { PATH: `${process.env.PATH}:/usr/sbin`, ...addresses },
    stdio: ["ignore", "ignore", "inherit"],
  });
  child.once("error", (error) => {
    console.error(`haproxy cannot be started: ${error.message}; Debian has it: apt-get install haproxy`);
    process.exit(2);
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await request(`${url}/readyz`)).status === 200, 10_000);
  return { url, close: () => child.kill() };
}
