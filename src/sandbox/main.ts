import { startSandbox } from "./sandbox.ts";
import { readSettings } from "./settings.ts";

/**
 * Runs the stand-ins as a process. The settings are the JSON of `SandboxSettings`, in the first argument or in
 * SANDBOX_SETTINGS. Prints one JSON line `{"url":...}` on stdout when it listens; logs go to stderr.
 */
async function main(): Promise<void> {
  const given = process.argv[2] ?? process.env.SANDBOX_SETTINGS;
  if (given === undefined) throw new Error("give the settings as JSON, as first argument or in SANDBOX_SETTINGS");
  const settings = readSettings(JSON.parse(given), "settings");
  const sandbox = await startSandbox({ ...settings, log: (line) => process.stderr.write(`${line}\n`) });

  const stop = () => void sandbox.close().then(() => process.exit(0));
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  process.once("disconnect", stop); // the parent process has died
  process.stdout.write(`${JSON.stringify({ url: sandbox.url })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
