import v8 from "node:v8";
import closeWithGrace from "close-with-grace";
import { readConfig } from "./bootstrap/config.ts";
import { resolve } from "./bootstrap/provide.ts";
import { startService } from "./bootstrap/service.ts";
import { tokens } from "./bootstrap/tokens.ts";
import { reasonOf } from "./infra/telemetry/redact.ts";

/** Connections that a process accepts per turn of its event loop. */
const acceptors = 64;

try {
  const config = readConfig(process.env);
  // A worker's messages live long enough to reach V8's old generation. By default V8 lets this generation grow to four
  // times its live data, with this flag only to 1.5 times. V8 reads the flag at each collection, so it can be set here.
  if (config.role !== "api") v8.setFlagsFromString("--heap-growing-percent=50");
  const service = await startService(config, { acceptors });
  const log = resolve(service.container, tokens.log);
  // The default logger of `closeWithGrace` prints whole errors, and database errors quote rows.
  const logger = { error: (said: unknown) => log.error({ err: said }, "the process ends") };
  closeWithGrace({ delay: service.stopLimitMs, logger }, async ({ err }) => {
    if (err) log.error({ err }, "the process stops over an error that nobody caught");
    await service.stop();
  });
} catch (error) {
  console.error(reasonOf(error));
  process.exit(1);
}
