import closeWithGrace from "close-with-grace";
import { readConfig } from "./bootstrap/config.ts";
import { resolve } from "./bootstrap/provide.ts";
import { startService } from "./bootstrap/service.ts";
import { tokens } from "./bootstrap/tokens.ts";
import { reasonOf } from "./infra/telemetry/redact.ts";

try {
  const service = await startService(readConfig(process.env));
  const log = resolve(service.container, tokens.log);
  // Its own words would print errors whole, with the rows that a database error quotes.
  const logger = { error: (said: unknown) => log.error({ err: said }, "the process ends") };
  closeWithGrace({ delay: service.stopLimitMs, logger }, async ({ err }) => {
    if (err) log.error({ err }, "the process stops over an error that nobody caught");
    await service.stop();
  });
} catch (error) {
  console.error(reasonOf(error));
  process.exit(1);
}
