import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { apiRoutes } from "../../src/bootstrap/service.ts";
import type { Route } from "../../src/infra/http/route.ts";

/** The routes of the API as they are served, to be looked at: nothing behind them is there. */
export function servedRoutes(): Route[] {
  const config = readConfig({
    LOG_LEVEL: "silent",
    DATABASE_URL: "postgres://127.0.0.1:1/none",
    MASTER_SECRET: "a master secret that is good for tests only",
    MESSAGING_PLATFORM_URL: "http://127.0.0.1:1",
    PLATFORM_APP_SECRET: "app secret",
    PLATFORM_VERIFY_TOKEN: "verify token",
  });
  return apiRoutes(createContainer(config));
}

/** Those that a feature brings; the others document them. */
export const isOfFeature = (route: Route): boolean => route.tag !== "documentation";
