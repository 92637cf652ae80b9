import { createLog, type LogSettings } from "../../src/infra/telemetry/log.ts";

/** Logs more than a pipe holds and exits at once. */
const log = createLog(JSON.parse(process.argv[2] ?? "") as LogSettings);
for (let line = 0; line < 2_000; line++) log.info({ line }, "x".repeat(100));
log.error({ err: new TypeError("the last one") }, "end");
process.exit(0);
