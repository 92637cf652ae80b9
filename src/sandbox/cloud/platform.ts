import type { Shared } from "../core/accepted.ts";
import type { Platform } from "../core/route.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { type ErrorStatuses, graphFailure } from "../graph/errors.ts";
import type { SandboxAccount } from "../settings.ts";
import { Accounts } from "./accounts.ts";
import type { Cloud } from "./cloud.ts";
import { cloudControl } from "./control.ts";
import { Customers } from "./customers.ts";
import { cloudRoutes } from "./routes.ts";
import { StatusQueue } from "./statuses.ts";

export interface CloudSettings {
  readonly accounts: readonly SandboxAccount[];
  readonly statusDelayMs: number;
  readonly log: (line: string) => void;
}

/** The Cloud API: messages, templates and what belongs to them, with delivery statuses by webhook. */
export function cloudPlatform(
  settings: CloudSettings,
  shared: Shared,
  errorStatuses: ErrorStatuses,
  webhooks: Webhooks,
): Platform {
  const accounts = new Accounts(settings.accounts);
  const cloud: Cloud = {
    accounts,
    shared,
    statuses: new StatusQueue(webhooks, settings.statusDelayMs, settings.log),
    customers: new Customers(accounts, webhooks),
    errorStatuses,
    webhooks,
  };
  return {
    routes: cloudRoutes(cloud),
    control: cloudControl(cloud),
    failure: graphFailure(errorStatuses),
    reset() {
      cloud.customers.clear();
      cloud.statuses.reset();
      errorStatuses.reset();
    },
    close: () => cloud.statuses.reset(),
  };
}
