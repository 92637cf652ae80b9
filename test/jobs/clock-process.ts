import { AgendaClock } from "../../src/infra/jobs/agenda-clock.ts";
import { recordingLog } from "./recorder.ts";

/** This process prints a line for each tick until it gets SIGTERM. */
const clock = new AgendaClock({
  databaseUrl: process.argv[2] ?? "",
  log: recordingLog(),
  ticks: [{ name: "often", everySeconds: 0.1, run: async () => void process.stdout.write("tick\n") }],
});
process.once("SIGTERM", () => void clock.stop());
await clock.start();
