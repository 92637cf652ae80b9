import closeWithGrace from "close-with-grace";
import { readConfig } from "./bootstrap/config.ts";
import { startService } from "./bootstrap/service.ts";

/** Milliseconds until a stop that hangs is cut short: longer than requests under way are waited for. */
const stopLimitMs = 20_000;

try {
  const service = await startService(readConfig(process.env));
  closeWithGrace({ delay: stopLimitMs }, async ({ err }) => {
    if (err) console.error(err);
    await service.stop();
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
