import { createAgendaClock } from "../../src/infra/jobs/agenda-clock.ts";
import { recordingLog } from "./recorder.ts";

/** A process whose clock stops after the first run. */
const clock = createAgendaClock({
  databaseUrl: process.argv[2] ?? "",
  log: recordingLog(),
  ticks: [
    {
      name: "often",
      everySeconds: 0.2,
      run: async () => {
        setImmediate(() => void clock.stop());
      },
    },
  ],
});
await clock.start();
