import { platformsAt, pusherAt } from "../fixtures/businesses/platforms.ts";
import {
  databaseUrl,
  newSecrets,
  ownFiles,
  ports,
  pusherApp,
  sandboxFor,
  untilStopped,
  writeEnvironment,
} from "./machine.ts";

/**
 * Runs a database without the demo's data, and stand-ins for the platforms, for `make migrate`, `make business` and
 * `make start`.
 */

const account = {
  phoneNumberId: "1065",
  accountId: "2077",
  displayPhoneNumber: "59122000001",
  token: "EAAG-stand-in",
  templates: [],
};

await untilStopped("stand-ins", async () => {
  const url = await databaseUrl("own");
  ownFiles();
  const secrets = newSecrets();
  const sandbox = await sandboxFor(secrets.PLATFORM_APP_SECRET, { accounts: [account] });
  writeEnvironment({
    ...secrets,
    ...platformsAt(sandbox.url),
    ...pusherAt(sandbox.url, pusherApp),
    DATABASE_URL: url,
    PORT: String(ports.api),
    HOST_ADDRESS: "127.0.0.1",
    LOG_LEVEL: "warn",
    // The business's systems that receive webhooks run on this machine, too.
    ALLOW_PRIVATE_WEBHOOK_URLS: "true",
  });
  console.log(`
Database    ${url}
Platform    ${sandbox.url}
Its number  platform_id ${account.phoneNumberId}, account_id ${account.accountId}, phone ${account.displayPhoneNumber}, token ${account.token}

In another terminal, in this folder: make migrate, make business, make start.
Ctrl-C stops everything.`);
});
