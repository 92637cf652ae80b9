import { idArgument, runCommand } from "./command.ts";
import { withService } from "./container.ts";

/** Prints a new session token on standard output, and its expiry on standard error. */
await runCommand(async () => {
  const userId = idArgument("user");
  const businessId = process.env.BUSINESS ? idArgument("business", process.env.BUSINESS) : undefined;
  const session = await withService("issueSession", (sessions) => sessions.execute(userId, businessId));
  console.log(session.token);
  console.error(`valid until ${session.expiresAt.toISOString()}`);
});
