import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { readConfig } from "../../src/bootstrap/config.ts";
import { type Service, startService } from "../../src/bootstrap/service.ts";
import { demoBusinesses } from "../../src/demo/data.ts";
import { type DemoDescription, demoDescription, giveAccess } from "../../src/demo/description.ts";
import { makeDemo } from "../../src/demo/seed.ts";
import { standInSettings, submittedTemplates } from "../../src/demo/stand-in-settings.ts";
import type { BusinessFixture } from "../../src/fixtures/businesses/business.ts";
import { platformsAt } from "../../src/fixtures/businesses/platforms.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { freePort } from "../http-client/servers.ts";
import { serve } from "../support/http.ts";
import { openDatabase } from "../support/open-database.ts";
import { appSecret, masterSecret, verifyToken } from "../support/world.ts";

export interface StartedDemo {
  readonly database: Database;
  readonly businesses: BusinessFixture[];
  readonly description: DemoDescription;
  readonly service: Service;
  readonly api: string;
  readonly sandbox: string;
  close(): Promise<void>;
}

/**
 * Starts the demo of `make run`. With `brokeOff`, two earlier attempts fail: the first while it creates records, the
 * second while it submits templates.
 */
export async function startDemo(now: Date, { brokeOff = false } = {}): Promise<StartedDemo> {
  const opened = await openDatabase(2);
  const businesses = demoBusinesses(now);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "recado-demo-"));
  const sandbox = await startSandbox({
    ...standInSettings(businesses, await submittedTemplates(opened.url), `http://127.0.0.1:${port}`),
    ...{ host: "127.0.0.1", port: 0, webhook: { url: `http://127.0.0.1:${port}/webhooks/cloud`, appSecret } },
  });
  const config = readConfig({
    ...{ DATABASE_URL: opened.url, MASTER_SECRET: masterSecret, PLATFORM_APP_SECRET: appSecret },
    // No worker runs, since its jobs would change the demo's records.
    ...{ PLATFORM_VERIFY_TOKEN: verifyToken, ROLE: "api", HOST_ADDRESS: "127.0.0.1", LOG_LEVEL: "error" },
    ...{ PORT: String(port), MEDIA_DIR: folder, MEDIA_BASE_URL: "https://media.test/media/" },
    ...platformsAt(sandbox.url),
  });
  const service = await startService(config);
  const api = `http://127.0.0.1:${service.port}`;
  const place = { container: service.container, api, sandbox: sandbox.url };
  for (const [path, times] of brokeOff
    ? ([
        ["/admin/articles", 5],
        ["/submit", 9],
      ] as const)
    : []) {
    const breaking = await passingOn(api, path, times);
    const failure = await makeDemo({ ...place, api: breaking.url }, businesses, now).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await breaking.close();
  }
  expect(await makeDemo(place, businesses, now)).to.equal(true);
  const access = await giveAccess(service.container, api, businesses);
  const description = demoDescription({ api, sandbox: sandbox.url, databaseUrl: opened.url, businesses, access });
  const close = async () => {
    await service.stop();
    await sandbox.close();
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { database: opened.database, businesses, description, service, api, sandbox: sandbox.url, close };
}

/** Forwards requests. After `times` POST requests to the path, it breaks off the next one and all later requests. */
async function passingOn(api: string, path: string, times: number) {
  let passed = 0;
  return serve((incoming, response) => {
    const { method = "GET", url = "/", headers } = incoming;
    if (method === "POST" && url.endsWith(path)) passed += 1;
    if (passed > times) {
      incoming.destroy();
      return;
    }
    const onward = request(`${api}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
}
