import { runCommand } from "./command.ts";
import { withService } from "./container.ts";

/** Cancels the abandoned orders of all businesses, and prints how many orders it cancelled. */
await runCommand(() =>
  withService("cancelInactive", async (inactivity) => {
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    process.once("SIGINT", stop).once("SIGTERM", stop);
    const { orders, businesses, failed } = await inactivity.execute(stopping.signal);
    const end = stopping.signal.aborted ? "; stopped before the end" : "";
    console.log(`orders cancelled for inactivity: ${orders}, of businesses: ${businesses}${end}`);
    if (failed > 0) throw new Error(`orders that could not be cancelled: ${failed}; the next run tries them again`);
  }),
);
