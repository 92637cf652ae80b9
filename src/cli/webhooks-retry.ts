import { runCommand } from "./command.ts";
import { withService } from "./container.ts";

/** Puts webhooks that were given up back into the queue. A running service processes them. */
await runCommand(async () => {
  const count = await withService("incomingUpkeep", async (webhooks) => {
    let all = 0;
    for (let some = await webhooks.retryGivenUp(); some > 0; some = await webhooks.retryGivenUp()) all += some;
    return all;
  });
  console.log(`${count} webhooks are due again`);
});
