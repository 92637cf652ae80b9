import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { idArgument, runCommand } from "./command.ts";
import { withContainer } from "./container.ts";

/** Prints a new session token on standard output, and its expiry on standard error. */
await runCommand(async () => {
  const userId = idArgument("user");
  const businessId = process.env.BUSINESS ? idArgument("business", process.env.BUSINESS) : undefined;
  const session = await withContainer((container) =>
    resolve(container, tokens.issueSession).execute(userId, businessId),
  );
  console.log(session.token);
  console.error(`valid until ${session.expiresAt.toISOString()}`);
});
