import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { programArguments } from "../support/program.ts";
import { anAccount } from "./support.ts";

describe("the sandbox as a process of its own", () => {
  let child: ChildProcessByStdio<null, Readable, Readable>;

  const start = (args: string[], environment: NodeJS.ProcessEnv = {}) => {
    child = spawn(process.execPath, [...programArguments("src/sandbox/main.ts"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment },
    });
    return child;
  };
  afterEach(() => child.kill("SIGKILL"));

  const settings = JSON.stringify({ port: 0, host: "127.0.0.1", accounts: [anAccount()] });

  it("prints its URL, and stops on SIGTERM", async () => {
    start([], { SANDBOX_SETTINGS: settings });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    const response = await fetch(`${url}/v23.0/2001`, { headers: { authorization: "Bearer token-1" } });
    expect(response.status).to.equal(200);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).to.deep.equal([0, null]);
  });

  it("names an invalid setting", async () => {
    start([settings.replace('"port":0', '"port":"x"')]);
    const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
    expect(code).to.equal(1);
    expect(said).to.equal("sandbox: port must be a whole number from 0 to 65535\n");
  });
});
