import { createLog } from "../../src/infra/telemetry/log.ts";

/** Logs more than a pipe can hold, then an error, and exits at once. The argument is the log's level: info or error. */
const log = createLog(process.argv[2] === "error" ? "error" : "info");
for (let line = 0; line < 2_000; line++) log.info({ line }, "x".repeat(100));
log.error({ err: new TypeError("the last one") }, "end");
process.exit(0);
