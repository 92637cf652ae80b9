import type { Platform } from "../core/route.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { ErrorStatuses, GraphError, graphAnswer } from "../graph/errors.ts";
import type { SandboxAccount } from "../settings.ts";
import { AcceptedMessages } from "./accepted.ts";
import { Accounts } from "./accounts.ts";
import type { Cloud } from "./cloud.ts";
import { cloudControl } from "./control.ts";
import { Customers } from "./customers.ts";
import { cloudRoutes } from "./routes.ts";
import { StatusQueue } from "./statuses.ts";

export interface CloudSettings {
  readonly accounts: readonly SandboxAccount[];
  readonly statusDelayMs: number;
  readonly keepMessages: number;
  readonly undeliverable: readonly string[];
  readonly log: (line: string) => void;
}

/** The Cloud API: messages, templates and what belongs to them, with delivery statuses by webhook. */
export function cloudPlatform(settings: CloudSettings, webhooks: Webhooks): Platform {
  const accounts = new Accounts(settings.accounts);
  const cloud: Cloud = {
    accounts,
    accepted: new AcceptedMessages(settings.keepMessages),
    statuses: new StatusQueue(webhooks, settings.statusDelayMs, settings.log),
    customers: new Customers(accounts, webhooks),
    errorStatuses: new ErrorStatuses(),
    webhooks,
    undeliverable: new Set(settings.undeliverable),
  };
  return {
    routes: cloudRoutes(cloud),
    control: cloudControl(cloud),
    failure({ code, subcode, status, message }) {
      const error = new GraphError(code, undefined, { message, subcode });
      return graphAnswer(error, status ?? cloud.errorStatuses.of(code));
    },
    reset() {
      cloud.accepted.clear();
      cloud.customers.clear();
      cloud.statuses.reset();
      cloud.errorStatuses.reset();
      cloud.undeliverable = new Set(settings.undeliverable);
    },
    close: () => cloud.statuses.reset(),
  };
}
