import { request } from "node:http";
import { expect } from "chai";
import { readConfig } from "../../src/bootstrap/config.ts";
import { type Service, startService } from "../../src/bootstrap/service.ts";
import { demoBusinesses } from "../../src/demo/data.ts";
import { type DemoDescription, demoDescription, giveAccess } from "../../src/demo/description.ts";
import { knownOf } from "../../src/demo/known.ts";
import { makeDemo } from "../../src/demo/seed.ts";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import { platformsAt } from "../../src/fixtures/businesses/platforms.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { serve } from "../support/http.ts";
import { openDatabase } from "../support/open-database.ts";
import { appSecret, masterSecret, verifyToken } from "../support/world.ts";

export interface StartedDemo {
  readonly database: Database;
  readonly businesses: BusinessFixture[];
  readonly description: DemoDescription;
  readonly service: Service;
  readonly api: string;
  close(): Promise<void>;
}

/** The demo as `make run` makes it, where a first start broke off in the midst of it and a second one went on. */
export async function startDemo(now: Date): Promise<StartedDemo> {
  const opened = await openDatabase(2);
  const businesses = demoBusinesses(now);
  const sandbox = await startSandbox({ ...knownOf(businesses), host: "127.0.0.1", port: 0 });
  const config = readConfig({
    ...{ DATABASE_URL: opened.url, MASTER_SECRET: masterSecret, PLATFORM_APP_SECRET: appSecret },
    // Its jobs would go on with the demo's stories.
    ...{ PLATFORM_VERIFY_TOKEN: verifyToken, ROLE: "api", HOST_ADDRESS: "127.0.0.1", PORT: "0", LOG_LEVEL: "error" },
    ...platformsAt(sandbox.url),
  });
  const service = await startService(config);
  const api = `http://127.0.0.1:${service.port}`;
  const breaking = await passingOn(api, 50);
  const failure = await makeDemo(service.container, breaking.url, businesses, now).catch((error: unknown) => error);
  expect(failure).to.be.instanceOf(Error);
  expect(await makeDemo(service.container, api, businesses, now)).to.equal(true);
  const access = await giveAccess(service.container, api, businesses);
  const description = demoDescription({ api, sandbox: sandbox.url, databaseUrl: opened.url, businesses, access });
  const close = async () => {
    await breaking.close();
    await service.stop();
    await sandbox.close();
    await opened.close();
  };
  return { database: opened.database, businesses, description, service, api, close };
}

/** Hands requests on, and breaks the connection of those beyond the first `most`. */
async function passingOn(api: string, most: number) {
  let passed = 0;
  return serve((incoming, response) => {
    passed += 1;
    if (passed > most) {
      incoming.destroy();
      return;
    }
    const { method = "GET", url = "/", headers } = incoming;
    const onward = request(`${api}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
}
